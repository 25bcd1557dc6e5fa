import { assert, describe, it } from "vitest"
import { bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** What a new sandbox begins with (docs/sandbox.md), as its people see it. */

const service = useService({ SARRAF_SANDBOX_DEMO: "true" })
const client = makeClient(service)
const key = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")

interface Expense {
  readonly id: string
  readonly status: string
  readonly date: string
  readonly base_currency: string
  readonly receipt_url: string | null
  readonly user_id: string
  readonly card_transaction_id: string | null
}
interface Sums {
  readonly count: number
  readonly amount: number
}

const everything = async (send: typeof key) => {
  const all: Array<Expense> = []
  let next = ""
  for (;;) {
    const answer = await send("GET", `/api/expenses?limit=100${next}`)
    all.push(...rowsOf<Expense>(answer))
    const { next_cursor } = bodyOf<{ readonly next_cursor: string | null }>(answer)
    if (next_cursor === null) return all
    next = `&cursor=${next_cursor}`
  }
}

describe("A new sandbox", () => {
  it("has a year of expenses in every state, none of them in the future", async () => {
    const expenses = await everything(key)
    assert.isAbove(expenses.length, 500)
    const states = new Set(expenses.map(({ status }) => status))
    assert.sameMembers([...states], ["DRAFT", "PENDING", "APPROVED", "REJECTED", "REIMBURSED"])
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    assert.isTrue(expenses.every(({ date }) => date < tomorrow))
  })

  it("has approvals that wait for the approver, the administrator and the owner", async () => {
    for (const email of ["approver@sandbox.test", "admin@sandbox.test", "owner@sandbox.test"]) {
      const send = bearerOf(client, await signIn(client, email))
      const waiting = rowsOf<{ readonly id: string; readonly status: string }>(
        await send("GET", "/api/approvals?mine=true&limit=100")
      )
      assert.isAbove(waiting.length, 2, email)
      assert.isTrue(waiting.every(({ status }) => status === "OPEN"))
    }
    const member = bearerOf(client, await signIn(client, "member@sandbox.test"))
    assert.isAbove(rowsOf(await member("GET", "/api/expenses")).length, 10)
  })

  it("has sums in its statistics and its reports", async () => {
    const { by_status } = bodyOf<{ readonly by_status: Readonly<Record<string, Sums>> }>(await key("GET", "/api/stats"))
    assert.isAbove(by_status.REIMBURSED?.amount ?? 0, 100_000)
    for (const group of ["category", "merchant", "user", "department", "month"]) {
      const { groups } = bodyOf<{ readonly groups: ReadonlyArray<Sums> }>(
        await key("GET", `/api/reports/spend?group_by=${group}`)
      )
      assert.isAbove(groups.length, 3, group)
    }
  })

  it("blocks what has no receipt, and says why", async () => {
    const drafts = rowsOf<Expense & { readonly violations: ReadonlyArray<{ readonly enforcement: string }> }>(
      await key("GET", "/api/expenses?status=DRAFT&limit=100")
    )
    const blocked = drafts.find(({ violations }) => violations[0]?.enforcement === "BLOCK")
    assert.strictEqual((await key("POST", `/api/expenses/${blocked?.id}/submit`)).status, 422)
  })

  it("has expenses that cards paid, whose transactions are named by those who hold the card", async () => {
    const paid = (await everything(key)).filter(({ card_transaction_id }) => card_transaction_id !== null)
    assert.isAbove(paid.length, 300)
    const member = bearerOf(client, await signIn(client, "member@sandbox.test"))
    const name = (send: typeof key, card_transaction_id: string | null | undefined) =>
      send("POST", "/api/expenses", { amount: 1, currency: "TRY", merchant: "Shared taxi", card_transaction_id })
    const own = rowsOf<Expense>(await member("GET", "/api/expenses?limit=100")).find(
      ({ card_transaction_id }) => card_transaction_id !== null
    )
    const theirs = paid.find(({ user_id }) => user_id !== own?.user_id)
    const made = await name(member, own?.card_transaction_id)
    assert.strictEqual(bodyOf<Expense>(made, 201).card_transaction_id, own?.card_transaction_id)
    assert.strictEqual((await name(member, theirs?.card_transaction_id)).status, 404)
    assert.strictEqual((await name(key, theirs?.card_transaction_id)).status, 201)
    assert.strictEqual((await name(other, theirs?.card_transaction_id)).status, 404)
  })

  it("has receipts that open", async () => {
    const [{ receipt_url } = { receipt_url: null }] = rowsOf<Expense>(
      await key("GET", "/api/expenses?status=REIMBURSED&limit=100")
    ).filter((expense) => expense.receipt_url !== null)
    assert.isTrue(receipt_url?.startsWith(service().url))
    const answer = await key("GET", receipt_url?.slice(service().url.length) ?? "")
    assert.strictEqual(answer.status, 200)
    assert.match(answer.headers.get("content-type") ?? "", /^(?:application\/pdf|image\/png)/u)
  })

  it("shows the second organization a small year of its own, in its own currency, and nothing of the first", async () => {
    const [own, theirs] = [await everything(key), await everything(other)]
    // One was refused above: nothing of it is there.
    assert.strictEqual(theirs.length, 25)
    assert.isTrue(theirs.every(({ base_currency }) => base_currency === "USD"))
    const ids = new Set(own.map(({ id }) => id))
    assert.isTrue(theirs.every(({ id }) => !ids.has(id)))
    assert.strictEqual((await other("GET", `/api/expenses/${own[0]?.id}`)).status, 404)
  })
})
