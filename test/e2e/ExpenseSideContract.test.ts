import { assert, describe, it } from "vitest"
import { faultPaths, problemOf } from "./support/answers.ts"
import { bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { createExpense } from "./support/expenses.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** What the contract says of all of `/api`, where one part of it had gone its own way. */

const service = useService()
const client = makeClient(service)
const key = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")

interface Row {
  readonly id: string
  readonly version: number
}
interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** The day of a time in a timezone, `2026-01-31`, and of so many days later. */
const dayOf = (at: string, timeZone: string, daysLater = 0) =>
  new Intl.DateTimeFormat("en-CA", { timeZone }).format(Date.parse(at) + daysLater * 86_400_000)

describe("A request without a body", () => {
  it("is taken whatever its Content-Type says", async () => {
    const { id } = await createExpense(key)
    for (const [command, type] of [
      ["submit", "application/x-www-form-urlencoded"],
      ["withdraw", "text/plain"],
      ["submit", "application/json"]
    ] as const) {
      bodyOf(await key("POST", `/api/expenses/${id}/${command}`, undefined, { "content-type": type }))
    }
  })

  it("is still refused with a body of another type", async () => {
    const { id } = await createExpense(key)
    const answer = await key("POST", `/api/expenses/${id}/submit`, {}, { "content-type": "text/plain" })
    problemOf(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
  })
})

describe("Days of the audit trail", () => {
  it("are the organization's, and the last one is taken in", async () => {
    const { timezone } = bodyOf<{ timezone: string }>(await key("GET", "/api/organization"))
    const { created_at, id } = await createExpense(key)
    const found = async (period: string) =>
      rowsOf(await key("GET", `/api/audit?subject_type=expense&subject_id=${id}&${period}`)).length
    const [before, day, after] = [-1, 0, 1].map((days) => dayOf(created_at, timezone, days))
    assert.strictEqual(await found(`from=${day}&to=${day}`), 1)
    assert.strictEqual(await found(`to=${before}`), 0)
    assert.strictEqual(await found(`from=${after}`), 0)
    // A time is what it says.
    assert.strictEqual(await found(`from=${created_at}`), 1)
    assert.strictEqual(await found(`to=${created_at.slice(0, 10)}T00:00:00Z`), 0)
    assert.deepStrictEqual(faultPaths(await key("GET", "/api/audit?from=2026-02-30")), ["from"])
  })
})

describe("Delegations", () => {
  const approver = async () => bearerOf(client, await signIn(client, "approver@sandbox.test"))
  const ends_at = new Date(Date.now() + 86_400_000).toISOString()

  it("know no member of another organization", async () => {
    const send = await approver()
    for (const to_user_id of ["usr_01kd8z0000e0080000000000v1", "usr_none"]) {
      const refused = problemOf(await send("POST", "/api/delegations", { to_user_id, ends_at }), 404, "NOT_FOUND")
      assert.include(refused.detail, "to_user_id")
    }
  })

  it("are found where their Location says, by whom they concern", async () => {
    const send = await approver()
    const made = await send("POST", "/api/delegations", { to_user_id: "usr_01kd8z0000e0080000000000p2", ends_at })
    const { id } = bodyOf<Row>(made, 201)
    const path = made.headers.get("location") ?? assert.fail("no Location")
    for (const reader of [send, key, bearerOf(client, await signIn(client, "admin@sandbox.test"))]) {
      assert.strictEqual(bodyOf<Row>(await reader("GET", path)).id, id)
    }
    problemOf(await other("GET", path), 404, "NOT_FOUND")
    problemOf(await bearerOf(client, await signIn(client, "member@sandbox.test"))("GET", path), 403, "FORBIDDEN")
    assert.strictEqual((await send("DELETE", path)).status, 204)
  })
})

describe("Departments", () => {
  it("are found where their Location says, with their history", async () => {
    const made = await key("POST", "/api/departments", { name: `Found ${Date.now()}` })
    const path = made.headers.get("location") ?? assert.fail("no Location")
    const read = await key("GET", path)
    assert.deepInclude(bodyOf<Row>(read), { id: bodyOf<Row>(made, 201).id, version: 1 })
    assert.strictEqual(read.headers.get("etag"), '"1"')
    bodyOf(await key("PATCH", path, { name: `Renamed ${Date.now()}` }))
    const actions = rowsOf<{ action: string }>(await key("GET", `${path}/history`)).map(({ action }) => action)
    assert.deepStrictEqual(actions, ["department.changed", "department.created"])
    problemOf(await other("GET", path), 404, "NOT_FOUND")
    problemOf(await other("GET", `${path}/history`), 404, "NOT_FOUND")
  })

  it("are listed page by page, newest first", async () => {
    for (const name of ["One", "Two", "Three"]) {
      bodyOf(await key("POST", "/api/departments", { name: `${name} ${Date.now()}` }), 201)
    }
    const seen: Array<string> = []
    let cursor = ""
    do {
      const page = bodyOf<Page<Row>>(await key("GET", `/api/departments?limit=2${cursor}`))
      assert.isAtMost(page.data.length, 2)
      seen.push(...page.data.map(({ id }) => id))
      assert.strictEqual(page.has_more, page.next_cursor !== null)
      cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`
    } while (cursor !== "")
    assert.isAbove(seen.length, 2)
    assert.deepStrictEqual(seen, [...new Set(seen)].sort().reverse())
    assert.deepStrictEqual(faultPaths(await key("GET", "/api/departments?name=x")), ["name"])
    assert.deepStrictEqual(faultPaths(await key("GET", "/api/departments?cursor=x")), ["cursor"])
  })
})

describe("An answer that shows a secret", () => {
  it("is kept by nobody on the way", async () => {
    const owner = bearerOf(client, await signIn(client, "owner@sandbox.test"))
    const clientMade = await owner("POST", "/api/payment-clients", {})
    const { id } = bodyOf<Row>(clientMade, 201)
    for (const answer of [
      clientMade,
      await owner("POST", `/api/payment-clients/${id}/rotate-secret`, {}),
      await owner("POST", "/api/api-keys", { name: "a", role: "MEMBER" }),
      await owner("POST", "/api/assistant-tokens", { name: "a" })
    ]) {
      assert.isBelow(answer.status, 300, answer.text)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    }
  })
})

describe("A key that a person made", () => {
  it("acts for the organization, and approves what it made for nobody in particular", async () => {
    const owner = bearerOf(client, await signIn(client, "owner@sandbox.test"))
    const made = bodyOf<{ key: string; created_by: string }>(
      await owner("POST", "/api/api-keys", { name: "ERP", role: "OWNER" }),
      201
    )
    const erp = bearerOf(client, made.key)
    const settled = async (fields: object) => {
      const { id } = await createExpense(erp, { submit: true, ...fields })
      return erp("POST", `/api/expenses/${id}/approve`)
    }
    assert.strictEqual(bodyOf<{ status: string }>(await settled({})).status, "APPROVED")
    // What benefits its maker, and what its maker submitted, is decided by somebody else.
    problemOf(await settled({ user_id: made.created_by }), 403, "FORBIDDEN")
    const own = await createExpense(owner, { submit: true })
    problemOf(await erp("POST", `/api/expenses/${own.id}/approve`), 403, "FORBIDDEN")

    bodyOf(await owner("PATCH", "/api/organization", { api_keys_may_approve: false }))
    try {
      problemOf(await settled({}), 403, "FORBIDDEN")
    } finally {
      bodyOf(await owner("PATCH", "/api/organization", { api_keys_may_approve: true }))
    }
  })
})
