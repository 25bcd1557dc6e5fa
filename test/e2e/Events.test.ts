import { eventCatalogue, payloadSchema } from "@sarraf/domain/events/EventCatalogue"
import { type EventType, eventTypes } from "@sarraf/domain/events/EventLog"
import { Schema } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { problemOf } from "./support/answers.ts"
import { bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { commandExpense, createExpense } from "./support/expenses.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** What happened, as `GET /api/events` tells it: true of the published schemas, numbered, filtered, and nobody else's. */

const service = useService()
const client = makeClient(service)
const key = bearerOf(client, "key_test_sandbox")
const stranger = bearerOf(client, "key_test_other")

interface EventAnswer {
  readonly id: string
  readonly type: EventType
  readonly created_at: string
  readonly organization_id: string
  readonly sequence: number
  readonly data: {
    readonly object: Readonly<Record<string, unknown>> & { readonly id: string }
    readonly previous?: Readonly<Record<string, unknown>>
  }
}

const strict = { errors: "all", onExcessProperty: "error" } as const

/** Throws where the payload lacks a member of its schema or has one that the schema does not know. */
const requireTrue = (event: EventAnswer) =>
  Schema.decodeUnknownSync(payloadSchema(event.type))(JSON.parse(JSON.stringify(event)), strict)

const eventsOf = async (query = "") => rowsOf<EventAnswer>(await key("GET", `/api/events?limit=100${query}`))

const told = (events: ReadonlyArray<EventAnswer>) => events.map(({ sequence, type }) => `${type} ${sequence}`).reverse()

describe("The events of expenses and approvals", () => {
  let approvedId = ""
  let rejectedId = ""

  beforeAll(async () => {
    const member = bearerOf(client, await signIn(client, "member@sandbox.test"))
    const approver = bearerOf(client, await signIn(client, "approver@sandbox.test"))
    const admin = bearerOf(client, await signIn(client, "admin@sandbox.test"))
    const chain = {
      name: "Two for software",
      scope: "expense",
      enforcement: "REQUIRE_APPROVAL",
      message: "Software needs an approver and an admin.",
      conditions: { field: "category", op: "eq", value: "Software" },
      approval_steps: [
        { roles: ["APPROVER"], mode: "any" },
        { roles: ["ADMIN"], mode: "any" }
      ]
    }
    bodyOf(await key("POST", "/api/policies", chain), 201)
    const software = await createExpense(member, { category: "Software", currency: "USD", description: "Editor" })
    approvedId = software.id
    // A change before it is submitted, and none of the eleven events.
    bodyOf(await member("PATCH", `/api/expenses/${approvedId}`, { receipt_url: "https://example.com/r.pdf" }))
    await commandExpense(member, approvedId, "submit")
    await commandExpense(approver, approvedId, "approve")
    await commandExpense(admin, approvedId, "approve", { reason: "Fine" })
    const twice = { amount: 100, merchant: "Migros", category: "Meals" }
    await createExpense(member, { ...twice, submit: true })
    rejectedId = (await createExpense(member, twice)).id
    await commandExpense(member, rejectedId, "submit")
    await commandExpense(approver, rejectedId, "reject", { reason: "The same lunch again" })
    await commandExpense(member, rejectedId, "reopen")
    await commandExpense(member, rejectedId, "submit")
  })

  it("are true of their schemas, member by member", async () => {
    const all = await eventsOf()
    const types = [
      "expense.submitted",
      "expense.approved",
      "expense.rejected",
      "approval.requested",
      "approval.completed"
    ]
    assert.sameMembers([...new Set(all.map(({ type }) => type))], types)
    for (const event of all) requireTrue(event)
    const approved = all.find(({ type }) => type === "expense.approved")
    assert.strictEqual(approved?.data.object.status, "APPROVED")
    assert.strictEqual(approved?.data.previous?.status, "PENDING")
    assert.strictEqual(approved?.organization_id, "org_01kd8z0000e0080000000000s1")
    // The schema would notice: a member less, and one more.
    const event = approved ?? all[0]
    assert.isDefined(event)
    const withObject = (object: EventAnswer["data"]["object"]) => ({ ...event, data: { ...event.data, object } })
    const { id, ...others } = event.data.object
    const short = Object.fromEntries(Object.entries(others).filter(([name]) => name !== "merchant"))
    assert.throws(() => requireTrue(withObject({ ...short, id })), /merchant/u)
    assert.throws(() => requireTrue(withObject({ ...others, id, more: 1 })), /more/u)
  })

  it("are numbered for each object in the order in which they happened", async () => {
    assert.deepStrictEqual(told(await eventsOf(`&object_id=${approvedId}`)), [
      "expense.submitted 1",
      "expense.approved 2"
    ])
    const again = await eventsOf(`&object_id=${rejectedId}`)
    assert.deepStrictEqual(told(again), ["expense.submitted 1", "expense.rejected 2", "expense.submitted 3"])
    const approvalId = (await eventsOf(`&object_id=${approvedId}`))[0]?.data.object.approval_id
    const steps = await eventsOf(`&object_id=${approvalId}`)
    assert.deepStrictEqual(told(steps), ["approval.requested 1", "approval.requested 2", "approval.completed 3"])
  })

  it("are listed newest first, and by type, object and time", async () => {
    const all = await eventsOf()
    assert.deepStrictEqual(
      all.map(({ id }) => id),
      all
        .map(({ id }) => id)
        .sort()
        .reverse()
    )
    const two = ["expense.approved", "approval.completed"]
    const expected = all.filter(({ type }) => two.includes(type)).map(({ id }) => id)
    assert.isAbove(expected.length, 2)
    for (const query of [`&type=${two.join(",")}`, `&type=${two[0]}&type=${two[1]}`]) {
      assert.deepStrictEqual(
        (await eventsOf(query)).map(({ id }) => id),
        expected
      )
    }
    const { created_at: middle = "" } = all[4] ?? {}
    const [since, before] = [await eventsOf(`&from=${middle}`), await eventsOf(`&to=${middle}`)]
    assert.strictEqual(since.length + before.length, all.length)
    for (const { created_at } of since) assert.isTrue(created_at >= middle)
    for (const { created_at } of before) assert.isTrue(created_at < middle)
    assert.isNotEmpty(await eventsOf(`&from=2000-01-01&to=2100-01-01`))
    assert.deepStrictEqual(await eventsOf("&to=2000-01-01"), [])
    const page = bodyOf<{ readonly has_more: boolean; readonly next_cursor: string }>(
      await key("GET", "/api/events?limit=3")
    )
    assert.isTrue(page.has_more)
    const next = rowsOf<EventAnswer>(await key("GET", `/api/events?limit=3&cursor=${page.next_cursor}`))
    assert.deepStrictEqual(
      next.map(({ id }) => id),
      all.slice(3, 6).map(({ id }) => id)
    )
  })

  it("are refused to questions that the list does not know", async () => {
    for (const query of [
      "type=card.melted",
      "type=expense.approved,",
      "types=expense.approved",
      "from=yesterday",
      "to=2026-02-30",
      "cursor=abc",
      "limit=101"
    ]) {
      const { errors } = problemOf(await key("GET", `/api/events?${query}`), 400, "INVALID_REQUEST")
      assert.isNotEmpty(errors, query)
    }
  })

  it("are read one by one, by those who may, and are nobody else's", async () => {
    const [event] = await eventsOf()
    assert.isDefined(event)
    assert.deepStrictEqual(bodyOf<EventAnswer>(await key("GET", `/api/events/${event.id}`)), event)
    const auditor = bearerOf(client, await signIn(client, "auditor@sandbox.test"))
    bodyOf(await auditor("GET", `/api/events/${event.id}`))
    for (const [send, status] of [
      [stranger, 404],
      [bearerOf(client, await signIn(client, "member@sandbox.test")), 403],
      [bearerOf(client, await signIn(client, "approver@sandbox.test")), 403]
    ] as const) {
      assert.strictEqual((await send("GET", `/api/events/${event.id}`)).status, status)
    }
    assert.deepStrictEqual(rowsOf(await stranger("GET", "/api/events")), [])
    assert.strictEqual((await key("GET", "/api/events/evt_01h455vb4pex5vsknk084sn02q")).status, 404)
  })
})

describe("An example", () => {
  it.each(eventTypes)("of %s is made, true of its schema, in the list, and in the audit trail", async (type) => {
    const answer = await key("POST", "/api/events", { type })
    const event = bodyOf<EventAnswer>(answer, 201)
    requireTrue(event)
    assert.strictEqual(answer.headers.get("location"), `/api/events/${event.id}`)
    assert.match(event.data.object.id, new RegExp(`^${eventCatalogue[type].prefix}_`, "u"))
    assert.deepStrictEqual(await eventsOf(`&object_id=${event.data.object.id}`), [event])
    const [entry] = rowsOf<{ readonly action: string; readonly after: unknown }>(
      await key("GET", `/api/audit?subject_id=${event.id}`)
    )
    assert.strictEqual(entry?.action, "event.triggered")
    assert.deepStrictEqual(entry?.after, { type, object_id: event.data.object.id })
  })

  it("is made once for a request that is repeated", async () => {
    const headers = { "idempotency-key": "example-1" }
    const [first, again] = [
      bodyOf<EventAnswer>(await key("POST", "/api/events", { type: "bill.paid" }, headers), 201),
      bodyOf<EventAnswer>(await key("POST", "/api/events", { type: "bill.paid" }, headers), 201)
    ]
    assert.deepStrictEqual(again, first)
    assert.strictEqual((await eventsOf(`&object_id=${first.data.object.id}`)).length, 1)
  })

  it("is refused without a type that there is, and to those who may not", async () => {
    const count = (await eventsOf()).length
    for (const body of [{}, { type: "card.melted" }, { type: ["bill.paid"] }]) {
      problemOf(await key("POST", "/api/events", body), 400, "INVALID_REQUEST")
    }
    for (const email of ["member@sandbox.test", "approver@sandbox.test", "auditor@sandbox.test"]) {
      const send = bearerOf(client, await signIn(client, email))
      assert.strictEqual((await send("POST", "/api/events", { type: "bill.paid" })).status, 403, email)
    }
    assert.strictEqual((await eventsOf()).length, count)
    const warned = bodyOf<{ readonly warnings: ReadonlyArray<{ readonly path: string }> }>(
      await key("POST", "/api/events", { type: "bill.paid", object_id: "bill_1" }),
      201
    )
    assert.deepStrictEqual(
      warned.warnings.map(({ path }) => path),
      ["object_id"]
    )
  })
})

describe("The reference", () => {
  it("leads to the events and their schemas", async () => {
    assert.include((await client.visit("/docs")).text, "/docs/events")
    assert.strictEqual((await client.visit("/docs/events")).status, 200)
    for (const type of eventTypes) assert.strictEqual((await client.visit(`/docs/events/${type}.json`)).status, 200)
  })
})
