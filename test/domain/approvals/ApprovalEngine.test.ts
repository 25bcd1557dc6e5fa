import { assert, describe, it } from "@effect/vitest"
import { ApprovalEngine } from "@sarraf/domain/approvals/ApprovalEngine"
import * as EscalateApprovals from "@sarraf/domain/approvals/EscalateApprovals"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeOffice } from "./support/Office.ts"
import { delegation, key, member, request, user } from "./support/Staff.ts"

const lunch = { type: "expense", id: "exp_lunch" } as const
const as = (caller: Caller["Service"]) => Effect.provideService(Caller, caller)
const shop = key("shop", "OWNER")
const people = [member("ada", "APPROVER", { managerId: "usr_ben" }), member("ben", "APPROVER"), member("cem", "ADMIN")]
const anyApprover = { roles: ["APPROVER"], mode: "any" } as const

const open = (...asked: Parameters<typeof request>) =>
  as(shop)(Effect.flatMap(ApprovalEngine, (engine) => engine.open(request(...asked))))
const decide = (caller: Caller["Service"], decision: "approve" | "reject" = "approve", reason: string | null = null) =>
  as(caller)(Effect.flatMap(ApprovalEngine, (engine) => engine.decide(lunch, decision, reason)))

type Office = ReturnType<typeof makeOffice>["office"]
const told = ({ events }: Office) => events.map(({ type }) => type)
const audited = ({ audited: entries }: Office) => entries.map(({ action }) => action)

describe("ApprovalEngine.open", () => {
  it.effect("asks whoever may decide, and records it", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      const opened = yield* open([anyApprover], { concerned: ["usr_ada"] })
      assert.deepStrictEqual(opened, { deciders: null })
      assert.deepStrictEqual(audited(office), ["approval.opened"])
      assert.deepStrictEqual(told(office), ["approval.requested"])
      const [event] = office.events
      assert.strictEqual(event?.objectId, "apr_1")
      assert.deepInclude(event?.object, {
        status: "OPEN",
        subject: { type: "expense", id: "exp_lunch", version: 2 },
        current_step: 1,
        waiting_for: [
          { user_id: "usr_ben", name: "Ben", on_behalf_of: null },
          { user_id: "usr_cem", name: "Cem", on_behalf_of: null }
        ],
        due_at: "1970-01-04T00:00:00.000Z",
        created_at: "1970-01-01T00:00:00.000Z"
      })
    }).pipe(Effect.provide(layer))
  })

  it.effect("tells who may decide in some step where no step asks for a role", () => {
    const { layer } = makeOffice(people)
    return Effect.gen(function* () {
      const steps = [
        { users: ["usr_cem"], mode: "any" },
        { users: ["usr_cem"], manager: true, mode: "all" }
      ] as const
      const { deciders } = yield* open(steps, { concerned: ["usr_ada"] })
      assert.deepStrictEqual(deciders, ["usr_cem", "usr_ben"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("without a step asks for the usual one, so that nothing is approved by nobody", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      yield* open([])
      assert.strictEqual(office.approvals.get("apr_1")?.steps.length, 1)
    }).pipe(Effect.provide(layer))
  })
})

describe("ApprovalEngine.decide", () => {
  it.effect("takes a chain through its steps, and tells each", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      yield* open([anyApprover, { roles: ["ADMIN"], mode: "any" }])
      assert.deepStrictEqual(yield* decide(user("ada")), { id: "apr_1", status: "OPEN" })
      assert.deepStrictEqual(yield* decide(user("cem", "ADMIN"), "approve", "Fine"), {
        id: "apr_1",
        status: "APPROVED"
      })
      assert.deepStrictEqual(told(office), ["approval.requested", "approval.requested", "approval.completed"])
      assert.deepStrictEqual(audited(office), [
        "approval.opened",
        "approval.decided",
        "approval.decided",
        "approval.completed"
      ])
      assert.deepInclude(office.audited[2]?.detail, { decision: "approve", reason: "Fine", step: 2 })
      assert.strictEqual((yield* Effect.flip(decide(user("ben"))))._tag, "StateRefused")
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends it with a rejection", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      yield* open([anyApprover, anyApprover])
      assert.strictEqual((yield* decide(user("ada"), "reject", "Too much")).status, "REJECTED")
      assert.deepStrictEqual(told(office), ["approval.requested", "approval.completed"])
      assert.deepInclude(office.events[1]?.object, { status: "REJECTED", waiting_for: [], blocked_reason: null })
    }).pipe(Effect.provide(layer))
  })

  it.effect("refuses who is concerned, who is not asked, who has decided, and what is not open", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(decide(user("ben"))))._tag, "StateRefused")
      yield* open([{ roles: ["APPROVER", "APPROVER"], mode: "all" }], { concerned: ["usr_ada"] })
      assert.strictEqual((yield* Effect.flip(decide(user("ada"))))._tag, "Forbidden")
      assert.strictEqual((yield* Effect.flip(decide(key("k", "OWNER", "ada"))))._tag, "Forbidden")
      assert.strictEqual((yield* Effect.flip(decide(user("eve"))))._tag, "Forbidden")
      yield* decide(user("ben"))
      assert.strictEqual((yield* Effect.flip(decide(user("ben"))))._tag, "StateRefused")
      assert.strictEqual(office.approvals.get("apr_1")?.decisions.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks the people of the moment: a role that is lost is no power, one that is gained is", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      yield* open([{ users: ["usr_ada"], mode: "any" }])
      assert.strictEqual((yield* Effect.flip(decide(user("cem", "ADMIN"))))._tag, "Forbidden")
      office.people = [member("ada", "APPROVER", { status: "INACTIVE" }), member("cem", "ADMIN")]
      assert.strictEqual((yield* decide(user("cem", "ADMIN"))).status, "APPROVED")
    }).pipe(Effect.provide(layer))
  })

  it.effect("names the delegate and the one who delegated, until the delegation ends", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      yield* open([{ users: ["usr_ada", "usr_cem"], mode: "all" }])
      office.delegations = [delegation("ada", "ben")]
      yield* TestClock.adjust(999)
      yield* decide(user("ben"))
      assert.deepInclude(office.audited[1]?.detail, { on_behalf_of: "usr_ada" })
      office.delegations = [delegation("cem", "ben", { endsAt: 2000, endedAt: 999 })]
      assert.strictEqual((yield* Effect.flip(decide(user("ben"))))._tag, "StateRefused")
      assert.strictEqual((yield* decide(user("cem", "ADMIN"))).status, "APPROVED")
    }).pipe(Effect.provide(layer))
  })

  it.effect("does not let a delegate decide before the period and from its last moment on", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      yield* open([{ users: ["usr_ada"], mode: "any" }])
      office.delegations = [delegation("ada", "ben", { startsAt: 500 })]
      yield* TestClock.adjust(499)
      assert.strictEqual((yield* Effect.flip(decide(user("ben"))))._tag, "Forbidden")
      yield* TestClock.adjust(501)
      assert.strictEqual((yield* Effect.flip(decide(user("ben"))))._tag, "Forbidden")
      office.delegations = [delegation("ada", "ben", { startsAt: 1000, endsAt: 1001 })]
      assert.strictEqual((yield* decide(user("ben"))).status, "APPROVED")
    }).pipe(Effect.provide(layer))
  })

  it.effect("records an OWNER's decision of an own request as such", () => {
    const { layer, office } = makeOffice([member("ada", "OWNER")], { soleOwnerMayApprove: true })
    return Effect.gen(function* () {
      yield* open([anyApprover], { concerned: ["usr_ada"] })
      assert.strictEqual((yield* decide(user("ada", "OWNER"))).status, "APPROVED")
      assert.deepInclude(office.audited[1]?.detail, { sole_owner: true })
    }).pipe(Effect.provide(layer))
  })

  it.effect("says why nobody may where the organization does not allow that", () => {
    const { layer, office } = makeOffice([member("ada", "OWNER")])
    return Effect.gen(function* () {
      yield* open([anyApprover], { concerned: ["usr_ada"] })
      assert.strictEqual((yield* Effect.flip(decide(user("ada", "OWNER"))))._tag, "Forbidden")
      assert.match(String(office.events[0]?.object.blocked_reason), /^Nobody is left/u)
    }).pipe(Effect.provide(layer))
  })
})

describe("ApprovalEngine.cancel", () => {
  it.effect("ends an open approval, tells nobody to decide, and does nothing where none is open", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      const engine = yield* ApprovalEngine
      yield* open([anyApprover])
      yield* as(shop)(engine.cancel(lunch, "withdrawn"))
      assert.strictEqual(office.approvals.get("apr_1")?.status, "CANCELLED")
      yield* as(shop)(engine.cancel(lunch, "withdrawn"))
      assert.deepStrictEqual(audited(office), ["approval.opened", "approval.cancelled"])
      assert.strictEqual((yield* Effect.flip(decide(user("ada"))))._tag, "StateRefused")
    }).pipe(Effect.provide(layer))
  })
})

describe("Overdue approvals", () => {
  it.effect("are looked for twice a minute, and go to ADMINs and OWNERs once", () => {
    const { layer, office } = makeOffice(people)
    return Effect.gen(function* () {
      yield* open([{ users: ["usr_ada"], mode: "any", escalateAfterHours: 2 }])
      yield* Layer.build(EscalateApprovals.layer)
      yield* TestClock.adjust("119 minutes")
      assert.deepStrictEqual(told(office), ["approval.requested"])
      assert.strictEqual((yield* Effect.flip(decide(user("cem", "ADMIN"))))._tag, "Forbidden")
      yield* TestClock.adjust("90 seconds")
      assert.deepStrictEqual(told(office), ["approval.requested", "approval.requested"])
      assert.deepStrictEqual(audited(office), ["approval.opened", "approval.escalated"])
      const names = office.events[1]?.object.waiting_for as ReadonlyArray<{ readonly name: string }>
      assert.deepStrictEqual(
        names.map(({ name }) => name),
        ["Ada", "Cem"]
      )
      yield* TestClock.adjust("10 days")
      assert.strictEqual(office.events.length, 2)
      assert.strictEqual((yield* decide(user("cem", "ADMIN"))).status, "APPROVED")
    }).pipe(Effect.provide(layer))
  })
})
