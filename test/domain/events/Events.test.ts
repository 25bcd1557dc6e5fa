import { assert, it } from "@effect/vitest"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { EventLog, type NewEvent } from "@sarraf/domain/events/EventLog"
import type { EventRecord } from "@sarraf/domain/events/EventPayload"
import { type EventFilter, EventStore } from "@sarraf/domain/events/EventStore"
import { Events } from "@sarraf/domain/events/Events"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { sampleOrganization } from "../organizations/support/SampleOrganization.ts"

const page = { limit: 25, after: undefined }

const recordOf = (event: NewEvent): EventRecord => ({
  id: "evt_1",
  type: event.type,
  organizationId: "org_1",
  objectId: event.objectId,
  sequence: 1,
  data: { object: event.object },
  createdAt: 0
})

/** The use case with what it wrote and asked, and the calls of a role. */
const makeDesk = (isSandbox = true) => {
  const appended: Array<NewEvent> = []
  const audited: Array<unknown> = []
  const asked: Array<EventFilter> = []
  const ports = Layer.mergeAll(
    Layer.mock(EventLog, { append: (event) => Effect.sync(() => void appended.push(event)) }),
    Layer.mock(EventStore, {
      list: (filter) =>
        Effect.sync(() => {
          asked.push(filter)
          return { items: appended.map(recordOf), hasMore: false }
        }),
      find: () => Effect.undefined
    }),
    Layer.mock(AuditTrail, { append: (entry) => Effect.sync(() => void audited.push(entry)) }),
    Layer.mock(Organizations, { current: Effect.succeed(sampleOrganization({ isSandbox })) }),
    Layer.mock(Identifiers, { next: (prefix) => Effect.succeed(`${prefix}_01h455vb4pex5vsknk084sn02q`) }),
    Layer.succeed(UnitOfWork, { run: (effect) => effect, apart: (effect) => effect })
  )
  const as = (role: Role) => {
    const caller = {
      organizationId: "org_1",
      role,
      name: "key:shop",
      kind: "key",
      userId: null,
      createdBy: null
    } as const
    return <A, E>(call: (events: Events["Service"]) => Effect.Effect<A, E, Caller>) =>
      Effect.flatMap(Events, call).pipe(
        Effect.provideService(Caller, caller),
        Effect.provide(Layer.provide(Events.layer, ports))
      )
  }
  return { appended, as, asked, audited }
}

it.effect("A day of a filter is the organization's, and the last one counts whole", () =>
  Effect.gen(function* () {
    const { as, asked } = makeDesk()
    yield* as("AUDITOR")((events) => events.list({ from: "2026-03-14", to: "2026-03-14" }, page))
    // Istanbul is three hours ahead.
    assert.deepStrictEqual(asked, [{ from: Date.UTC(2026, 2, 13, 21), to: Date.UTC(2026, 2, 14, 21) }])
  })
)

it.effect("A time of a filter stays as it is", () =>
  Effect.gen(function* () {
    const { as, asked } = makeDesk()
    yield* as("ADMIN")((events) => events.list({ types: ["card.frozen"], objectId: "card_1", from: 5, to: 7 }, page))
    assert.deepStrictEqual(asked, [{ types: ["card.frozen"], objectId: "card_1", from: 5, to: 7 }])
  })
)

it.effect("Events are read by ADMINs, OWNERs and AUDITORs, and made by the first two", () =>
  Effect.gen(function* () {
    for (const role of ["MEMBER", "APPROVER"] as const) {
      const { appended, as } = makeDesk()
      const errors = [
        yield* Effect.flip(as(role)((events) => events.list({}, page))),
        yield* Effect.flip(as(role)((events) => events.find("evt_1"))),
        yield* Effect.flip(as(role)((events) => events.trigger("bill.paid")))
      ]
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["RoleMissing", "RoleMissing", "RoleMissing"]
      )
      assert.deepStrictEqual(appended, [])
    }
    const { as } = makeDesk()
    assert.strictEqual((yield* Effect.flip(as("AUDITOR")((events) => events.find("evt_1"))))._tag, "NotFound")
    assert.strictEqual((yield* Effect.flip(as("AUDITOR")((events) => events.trigger("bill.paid"))))._tag, "RoleMissing")
  })
)

it.effect("An example that is triggered is about an object of its own, and audited", () =>
  Effect.gen(function* () {
    const { appended, as, asked, audited } = makeDesk()
    const event = yield* as("ADMIN")((events) => events.trigger("card.transaction"))
    const objectId = "ctx_01h455vb4pex5vsknk084sn02q"
    assert.deepStrictEqual(
      appended.map(({ object, objectId: id, type }) => [type, id, object.id]),
      [["card.transaction", objectId, objectId]]
    )
    assert.strictEqual(event.objectId, objectId)
    assert.deepStrictEqual(asked, [{ objectId }])
    assert.deepStrictEqual(audited, [
      {
        action: "event.triggered",
        subject: { type: "event", id: "evt_1" },
        after: { type: "card.transaction", object_id: objectId }
      }
    ])
  })
)

it.effect("Nothing is made up in live mode", () =>
  Effect.gen(function* () {
    const { appended, as, audited } = makeDesk(false)
    const error = yield* Effect.flip(as("OWNER")((events) => events.trigger("bill.paid")))
    assert.strictEqual(error._tag, "Forbidden")
    assert.deepStrictEqual([appended, audited], [[], []])
  })
)
