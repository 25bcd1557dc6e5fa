import { assert, describe, it } from "vitest"
import { faultPaths } from "./support/answers.ts"
import { bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { createExpense, type ExpenseAnswer, expensesPath } from "./support/expenses.ts"
import { useService } from "./support/Service.ts"

/** Lists of expenses: filters, pages, and what is refused (contract sections 1 and 6). */

const service = useService()
const client = makeClient(service)
const send = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")

const idsOf = async (query: string, as = send) =>
  rowsOf<ExpenseAnswer>(await as("GET", `${expensesPath}?${query}`)).map(({ id }) => id)

describe("A list of expenses", () => {
  it("is filtered by everything that the contract names", async () => {
    const mark = "Liste Kırtasiye"
    const one = await createExpense(send, {
      merchant: `${mark} 100%`,
      amount: 10,
      date: "2026-01-05",
      category: "Paper"
    })
    const two = await createExpense(send, { merchant: `${mark} B`, amount: 20, date: "2026-01-31", submit: true })
    const three = await createExpense(send, { merchant: `${mark} C`, amount: 5, currency: "XAF", date: "2026-02-01" })
    const [a, b, c] = [one.id, two.id, three.id]
    const of = (query: string) => idsOf(`merchant=${encodeURIComponent(mark)}&${query}`)
    for (const [query, found] of [
      ["", [c, b, a]],
      ["status=PENDING", [b]],
      ["status=DRAFT,PENDING", [c, b, a]],
      ["status=DRAFT&status=APPROVED", [c, a]],
      ["category=Paper", [a]],
      ["category=Paper&category=Office", [c, b, a]],
      ["from=2026-01-05&to=2026-01-31", [b, a]],
      ["start_date=2026-01-06&end_date=2026-01-31", [b]],
      ["currency=XAF", [c]],
      ["min_amount=10.01", [b]],
      ["max_amount=10", [a]],
      [`q=${encodeURIComponent("100%")}`, [a]],
      ["q=PAPER", [a]],
      ["user_id=usr_nobody", []],
      ["department_id=dep_nothing", []]
    ] as const) {
      assert.deepStrictEqual(await of(query), [...found], query)
    }
    assert.deepStrictEqual(await idsOf(`merchant=${encodeURIComponent(mark)}`, other), [])
  })

  it("refuses filters that it does not know, and values that cannot be", async () => {
    for (const [query, path] of [
      ["colour=red", "colour"],
      ["from=2026-01-01&start_date=2026-01-01", "start_date"],
      ["to=2026-01-01&end_date=2026-01-01", "end_date"],
      ["from=2026-02-30", "from"],
      ["min_amount=ten", "min_amount"],
      ["min_amount=1.001", "min_amount"],
      ["currency=TRL", "currency"],
      ["limit=0", "limit"],
      ["limit=101", "limit"],
      ["cursor=abc", "cursor"]
    ] as const) {
      assert.deepStrictEqual(faultPaths(await send("GET", `${expensesPath}?${query}`)), [path], query)
    }
    const [fault] = faultPaths(await send("GET", `${expensesPath}?status=OPEN`))
    assert.match(fault ?? "", /^status/)
  })

  it("gives each expense once, page by page, while others are added", async () => {
    const made: Array<string> = []
    for (let count = 0; count < 7; count++) made.unshift((await createExpense(send, { category: "Pages" })).id)
    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page: { data: ReadonlyArray<ExpenseAnswer>; next_cursor: string | null; has_more: boolean } = bodyOf(
        await send("GET", `${expensesPath}?category=Pages&limit=2${at}`)
      )
      assert.strictEqual(page.has_more, page.next_cursor !== null)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
      await createExpense(send, { category: "Pages" })
    }
    assert.deepStrictEqual(seen, made)
    const { next_cursor } = bodyOf<{ next_cursor: string }>(await send("GET", `${expensesPath}?category=Pages&limit=2`))
    const foreign = `${expensesPath}?category=Other&limit=2&cursor=${encodeURIComponent(next_cursor)}`
    assert.deepStrictEqual(faultPaths(await send("GET", foreign)), ["cursor"])
  })
})
