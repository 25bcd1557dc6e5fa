import { assert, beforeAll, describe, it } from "vitest"
import { faultPaths, problemOf } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** Approvals as an organization meets them: chains that policies ask for, delegates, and who may not decide. */

// Without the demo year: nobody but the owner is in the second organization.
const service = useService()
const client = makeClient(service)

const ids = {
  owner: "usr_01kd8z0000e0080000000000p1",
  admin: "usr_01kd8z0000e0080000000000p2",
  approver: "usr_01kd8z0000e0080000000000p3",
  member: "usr_01kd8z0000e0080000000000p4",
  otherOwner: "usr_01kd8z0000e0080000000000v1"
} as const

const tokens = new Map<string, string>()

type Headers = Readonly<Record<string, string>>

/** As a user by the first part of the address, or as a key. */
const send = (as: string, method: string, path: string, body?: unknown, headers: Headers = {}) =>
  client.send({
    method,
    path,
    headers: {
      authorization: `Bearer ${tokens.get(as) ?? as}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  })

interface Approval {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly current_step: number
  readonly can_decide: boolean
  readonly blocked_reason: string | null
  readonly subject: { readonly type: string; readonly id: string; readonly version: number }
  readonly waiting_for: ReadonlyArray<{ readonly user_id: string; readonly on_behalf_of: string | null }>
  readonly steps: ReadonlyArray<{
    readonly status: string
    readonly decisions: ReadonlyArray<{
      readonly by: string
      readonly on_behalf_of: string | null
      readonly sole_owner: boolean
    }>
  }>
}
interface Expense {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly rejection_reason: string | null
}
interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

const answered = async <A>(answer: ReturnType<typeof send>, status = 200): Promise<A> => {
  const { json, status: seen, text } = await answer
  assert.strictEqual(seen, status, text)
  return json as A
}

const submitted = (as: string, category: string, merchant = "Migros") =>
  answered<Expense>(
    send(as, "POST", "/api/expenses", { amount: 149.9, currency: "TRY", merchant, category, submit: true }),
    201
  )

const expenseOf = (id: string) => answered<Expense>(send("key_test_sandbox", "GET", `/api/expenses/${id}`))

const approvalOf = async ({ id }: Expense, as = "key_test_sandbox") => {
  const { data } = await answered<Page<Approval>>(send(as, "GET", `/api/approvals?subject_id=${id}`))
  const [found] = data
  if (found === undefined) throw new Error(`No approval of ${id}`)
  return found
}

const decide = (as: string, { id }: Approval, decision = "approve", body?: unknown, headers?: Headers) =>
  send(as, "POST", `/api/approvals/${id}/${decision}`, body, headers)

const mineOf = async (as: string): Promise<ReadonlyArray<string>> => {
  const { data } = await answered<Page<Approval>>(send(as, "GET", "/api/approvals?mine=true&limit=100"))
  return data.map(({ id }) => id)
}

/** Whose turn it is, as the approval says and as each of them sees it. */
const turnOf = async ({ id }: Approval) => {
  const waiting = (await answered<Approval>(send("key_test_sandbox", "GET", `/api/approvals/${id}`))).waiting_for
  const names = Object.entries(ids).filter(([, userId]) => waiting.some(({ user_id }) => user_id === userId))
  const turn = names.map(([name]) => name)
  for (const name of ["owner", "admin", "approver", "member"]) {
    assert.strictEqual((await mineOf(name)).includes(id), turn.includes(name), `mine=true of ${name}`)
  }
  return turn
}

const chains: Readonly<Record<string, ReadonlyArray<object>>> = {
  Chain: [
    { roles: ["APPROVER"], mode: "any" },
    { roles: ["ADMIN"], mode: "any" }
  ],
  Both: [{ roles: ["APPROVER", "ADMIN"], mode: "all" }],
  Named: [{ users: [ids.approver], mode: "any" }],
  Managed: [{ manager: true, mode: "any" }]
}

beforeAll(async () => {
  for (const name of ["owner", "admin", "approver", "member", "auditor"]) {
    tokens.set(name, await signIn(client, `${name}@sandbox.test`))
  }
  tokens.set("otherOwner", await signIn(client, "owner@other.test"))
  for (const [category, approval_steps] of Object.entries(chains)) {
    const conditions = { field: "category", op: "eq", value: category }
    const policy = { name: category, scope: "expense", enforcement: "REQUIRE_APPROVAL", conditions, approval_steps }
    await answered(
      send("key_test_sandbox", "POST", "/api/policies", { ...policy, message: `${category} is approved.` }),
      201
    )
  }
})

describe("A chain", () => {
  it("is decided step by step, by another person each, at either door", async () => {
    const expense = await submitted("member", "Chain")
    const approval = await approvalOf(expense)
    assert.deepInclude(approval.subject, { type: "expense", id: expense.id, version: expense.version })
    assert.deepStrictEqual(await turnOf(approval), ["owner", "admin", "approver"])
    const first = await answered<Approval>(decide("approver", approval))
    assert.deepInclude(first, { status: "OPEN", current_step: 2, can_decide: false })
    assert.deepStrictEqual(
      first.steps.map(({ status }) => status),
      ["APPROVED", "OPEN"]
    )
    assert.strictEqual((await expenseOf(expense.id)).status, "PENDING")
    assert.deepStrictEqual(await turnOf(approval), ["owner", "admin"])
    problemOf(await decide("approver", approval), 403, "FORBIDDEN")
    const last = await answered<Expense>(send("admin", "POST", `/api/expenses/${expense.id}/approve`, {}))
    assert.strictEqual(last.status, "APPROVED")
    assert.strictEqual((await approvalOf(expense)).status, "APPROVED")
    problemOf(await decide("owner", approval), 409, "INVALID_STATE")
  })

  it("does not take one person for two", async () => {
    const approval = await approvalOf(await submitted("member", "Chain"))
    assert.strictEqual((await answered<Approval>(decide("admin", approval))).current_step, 2)
    assert.deepStrictEqual(await turnOf(approval), ["owner"])
    const { detail } = problemOf(await decide("admin", approval), 403, "FORBIDDEN")
    assert.include(detail, "ADMIN or above")
    assert.strictEqual((await answered<Approval>(decide("owner", approval))).status, "APPROVED")
  })

  it("ends with a rejection, whose reason the expense keeps", async () => {
    const expense = await submitted("member", "Chain")
    const approval = await approvalOf(expense)
    const rejected = await answered<Approval>(decide("approver", approval, "reject", { reason: "No receipt" }))
    assert.strictEqual(rejected.status, "REJECTED")
    assert.deepInclude(await expenseOf(expense.id), { status: "REJECTED", rejection_reason: "No receipt" })
  })

  it("begins again where the expense is changed: the earlier approval is over", async () => {
    const expense = await submitted("member", "Chain")
    const before = await approvalOf(expense)
    await answered(decide("approver", before))
    await answered(send("member", "PATCH", `/api/expenses/${expense.id}`, { amount: 151 }))
    const after = await approvalOf(expense)
    assert.notStrictEqual(after.id, before.id)
    assert.deepInclude(after, { status: "OPEN", current_step: 1 })
    problemOf(await decide("admin", before), 409, "INVALID_STATE")
    assert.strictEqual(
      (await answered<Approval>(send("admin", "GET", `/api/approvals/${before.id}`))).status,
      "CANCELLED"
    )
    assert.deepStrictEqual(await turnOf(after), ["owner", "admin", "approver"])
  })
})

describe("A step", () => {
  it("that asks for all waits for each", async () => {
    const approval = await approvalOf(await submitted("member", "Both"))
    assert.strictEqual((await answered<Approval>(decide("owner", approval))).status, "OPEN")
    problemOf(await decide("owner", approval), 409, "INVALID_STATE")
    assert.deepStrictEqual(await turnOf(approval), ["admin", "approver"])
    assert.strictEqual((await answered<Approval>(decide("approver", approval))).status, "APPROVED")
  })

  it("for the manager waits for the submitter's, and where there is none for the ADMINs and OWNERs", async () => {
    assert.deepStrictEqual(await turnOf(await approvalOf(await submitted("member", "Managed"))), ["approver"])
    assert.deepStrictEqual(await turnOf(await approvalOf(await submitted("owner", "Managed"))), ["admin"])
    assert.deepStrictEqual(await turnOf(await approvalOf(await submitted("key_test_sandbox", "Managed"))), [
      "owner",
      "admin"
    ])
  })

  it("for a person is not decided by a key in that person's stead", async () => {
    const approval = await approvalOf(await submitted("key_test_sandbox", "Named"))
    problemOf(await decide("key_test_sandbox", approval), 403, "FORBIDDEN")
    assert.strictEqual((await answered<Approval>(decide("approver", approval))).status, "APPROVED")
  })

  it("of one's own request is another's to decide", async () => {
    const approval = await approvalOf(await submitted("approver", "Office"))
    problemOf(await decide("approver", approval), 403, "FORBIDDEN")
    assert.deepStrictEqual(await turnOf(approval), ["owner", "admin"])
    assert.strictEqual((await answered<Approval>(decide("key_test_sandbox", approval))).status, "APPROVED")
  })

  it("that only the OWNER could decide says so, until the organization lets the sole OWNER", async () => {
    const expense = await submitted("otherOwner", "Office")
    const approval = await approvalOf(expense, "otherOwner")
    assert.match(String(approval.blocked_reason), /^Nobody is left/u)
    problemOf(await decide("otherOwner", approval), 403, "FORBIDDEN")
    await answered(send("otherOwner", "PATCH", "/api/organization", { sole_owner_may_approve: true }))
    assert.isNull((await approvalOf(expense, "otherOwner")).blocked_reason)
    const { status, steps } = await answered<Approval>(decide("otherOwner", approval))
    assert.strictEqual(status, "APPROVED")
    assert.deepInclude(steps[0]?.decisions[0], { by: `user:${ids.otherOwner}`, sole_owner: true })
  })
})

describe("A decision", () => {
  it("is refused for a version that is not the present one", async () => {
    const approval = await approvalOf(await submitted("member", "Chain"))
    const stale = { "if-match": `"${approval.version + 1}"` }
    problemOf(await decide("approver", approval, "approve", {}, stale), 412, "VERSION_CONFLICT")
    problemOf(await decide("approver", approval, "approve", { version: 99 }), 412, "VERSION_CONFLICT")
    const fitting = { "if-match": `"${approval.version}"` }
    const body = { version: approval.subject.version, colour: "red" }
    const answer = await decide("approver", approval, "approve", body, fitting)
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.headers.get("etag"), `"${approval.version + 1}"`)
    const { warnings } = answer.json as { readonly warnings: ReadonlyArray<{ readonly path: string }> }
    assert.deepStrictEqual(
      warnings.map(({ path }) => path),
      ["colour"]
    )
  })

  it("is made once under its Idempotency-Key", async () => {
    const approval = await approvalOf(await submitted("member", "Both"))
    const headers = { "idempotency-key": "both-1" }
    const first = await decide("admin", approval, "approve", {}, headers)
    const again = await decide("admin", approval, "approve", {}, headers)
    assert.deepStrictEqual([first.status, again.status], [200, 200], again.text)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual((await answered<Approval>(decide("approver", approval))).status, "APPROVED")
  })

  it("of many at the same moment is one where one is enough", async () => {
    const approval = await approvalOf(await submitted("member", "Office"))
    const answers = await Promise.all(["owner", "admin", "approver", "admin"].map((name) => decide(name, approval)))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
  })

  it("needs a role that decides, and an approval within reach", async () => {
    const approval = await approvalOf(await submitted("member", "Named"))
    for (const name of ["member", "auditor"]) problemOf(await decide(name, approval), 403, "FORBIDDEN")
    problemOf(await decide("key_test_nobody", approval), 401, "UNAUTHENTICATED")
    for (const name of ["otherOwner", "key_test_other"]) {
      problemOf(await decide(name, approval), 404, "NOT_FOUND")
      problemOf(await send(name, "GET", `/api/approvals/${approval.id}`), 404, "NOT_FOUND")
      problemOf(await send(name, "GET", `/api/approvals/${approval.id}/history`), 404, "NOT_FOUND")
    }
    assert.isTrue((await answered<Approval>(send("auditor", "GET", `/api/approvals/${approval.id}`))).status === "OPEN")
    assert.isTrue((await answered<Approval>(send("member", "GET", `/api/approvals/${approval.id}`))).status === "OPEN")
  })
})

describe("The list of approvals", () => {
  it("has each once over its pages, newest first, and refuses what it does not know", async () => {
    const whole = await answered<Page<Approval>>(send("admin", "GET", "/api/approvals?limit=100&status=OPEN"))
    for (const filter of ["status=OPEN", "mine=true"]) {
      const paged: Array<string> = []
      let cursor = ""
      do {
        const page = await answered<Page<Approval>>(send("admin", "GET", `/api/approvals?limit=2&${filter}${cursor}`))
        paged.push(...page.data.map(({ id }) => id))
        cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`
      } while (cursor !== "")
      const expected = filter === "status=OPEN" ? whole.data.map(({ id }) => id) : await mineOf("admin")
      assert.isAbove(expected.length, 2)
      assert.deepStrictEqual(paged, expected)
      assert.deepStrictEqual(paged, [...paged].sort().reverse())
    }
    for (const query of ["colour=red", "status=PENDING", "mine=perhaps", "cursor=broken", "limit=0"]) {
      problemOf(await send("admin", "GET", `/api/approvals?${query}`), 400, "INVALID_REQUEST")
    }
  })
})

describe("A delegation", () => {
  const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

  it("lets the delegate decide until it is ended, and names both", async () => {
    const approval = await approvalOf(await submitted("member", "Named"))
    assert.deepStrictEqual(await turnOf(approval), ["approver"])
    const body = { to_user_id: ids.admin, ends_at: soon(5), reason: "Holiday" }
    const made = await send("approver", "POST", "/api/delegations", body)
    assert.strictEqual(made.status, 201, made.text)
    const { id } = made.json as { readonly id: string }
    assert.strictEqual(made.headers.get("location"), `/api/delegations/${id}`)
    assert.deepStrictEqual(await turnOf(approval), ["admin", "approver"])
    problemOf(
      await send("approver", "POST", "/api/delegations", { ...body, to_user_id: ids.owner }),
      409,
      "INVALID_STATE"
    )
    assert.strictEqual((await send("approver", "DELETE", `/api/delegations/${id}`)).status, 204)
    assert.strictEqual((await send("approver", "DELETE", `/api/delegations/${id}`)).status, 204)
    assert.deepStrictEqual(await turnOf(approval), ["approver"])
    problemOf(await decide("admin", approval), 403, "FORBIDDEN")
    await answered(send("admin", "POST", "/api/delegations", { ...body, from_user_id: ids.approver }), 201)
    const { status, steps } = await answered<Approval>(decide("admin", approval))
    assert.strictEqual(status, "APPROVED")
    assert.deepInclude(steps[0]?.decisions[0], { by: `user:${ids.admin}`, on_behalf_of: ids.approver })
    const history = await answered<Page<{ readonly action: string; readonly detail: object }>>(
      send("admin", "GET", `/api/approvals/${approval.id}/history`)
    )
    assert.deepInclude(history.data.find(({ action }) => action === "approval.decided")?.detail, {
      on_behalf_of: ids.approver
    })
  })

  it("is refused where it cannot be, and is nobody else's business", async () => {
    const body = { to_user_id: ids.admin, ends_at: soon(5) }
    problemOf(await send("member", "POST", "/api/delegations", body), 403, "FORBIDDEN")
    problemOf(await send("auditor", "GET", "/api/delegations"), 403, "FORBIDDEN")
    problemOf(
      await send("approver", "POST", "/api/delegations", { ...body, from_user_id: ids.owner }),
      403,
      "FORBIDDEN"
    )
    const faultsOf = async (changes: object) =>
      faultPaths(await send("owner", "POST", "/api/delegations", { ...body, ...changes }))
    assert.deepStrictEqual(await faultsOf({ to_user_id: ids.owner }), ["to_user_id"])
    assert.deepStrictEqual(await faultsOf({ to_user_id: ids.member }), ["to_user_id"])
    const stranger = { ...body, to_user_id: ids.otherOwner }
    problemOf(await send("owner", "POST", "/api/delegations", stranger), 404, "NOT_FOUND")
    assert.deepStrictEqual(await faultsOf({ ends_at: soon(91) }), ["ends_at"])
    assert.deepStrictEqual(await faultsOf({ ends_at: soon(-1) }), ["ends_at"])
    assert.deepStrictEqual(await faultsOf({ ends_at: "tomorrow" }), ["ends_at"])
    const { id } = await answered<{ readonly id: string }>(send("owner", "POST", "/api/delegations", body), 201)
    problemOf(await send("approver", "DELETE", `/api/delegations/${id}`), 404, "NOT_FOUND")
    problemOf(await send("otherOwner", "DELETE", `/api/delegations/${id}`), 404, "NOT_FOUND")
    const seenBy = async (as: string) =>
      (await answered<Page<{ readonly id: string }>>(send(as, "GET", "/api/delegations"))).data.some(
        (one) => one.id === id
      )
    assert.deepStrictEqual(await Promise.all(["owner", "admin", "approver", "otherOwner"].map(seenBy)), [
      true,
      true,
      false,
      false
    ])
  })
})
