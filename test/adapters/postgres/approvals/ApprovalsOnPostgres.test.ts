import { assert, layer } from "@effect/vitest"
import { ApprovalEngine } from "@sarraf/domain/approvals/ApprovalEngine"
import type { ApprovalStepRule } from "@sarraf/domain/approvals/ApprovalStep"
import { Approvals } from "@sarraf/domain/approvals/Approvals"
import { Delegations } from "@sarraf/domain/approvals/Delegations"
import * as EscalateApprovals from "@sarraf/domain/approvals/EscalateApprovals"
import { SubjectDecisions } from "@sarraf/domain/approvals/SubjectDecisions"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { company, stores } from "./support/Company.ts"

/** The subject's use case is here nothing but the decision itself. */
const subjects = Layer.effect(
  SubjectDecisions,
  Effect.map(ApprovalEngine, (engine) =>
    SubjectDecisions.of({
      expense: ({ id }, decision, reason) => engine.decide({ type: "expense", id }, decision, reason)
    })
  )
)
const useCases = Layer.mergeAll(Approvals.layer.pipe(Layer.provide(subjects)), Delegations.layer).pipe(
  Layer.provideMerge(ApprovalEngine.layer),
  Layer.provideMerge(stores)
)

const staff = { ada: "APPROVER", ben: "APPROVER", cem: "ADMIN", dua: "MEMBER", eda: "AUDITOR" } as const
const everything = { limit: 100, after: undefined }
const anyApprover: ApprovalStepRule = { roles: ["APPROVER"], mode: "any" }
const lunch = { type: "expense", id: "exp_lunch" } as const

const opening = (
  steps: ReadonlyArray<ApprovalStepRule>,
  concerned: ReadonlyArray<string> = [],
  id: string = lunch.id
) =>
  Effect.gen(function* () {
    const { open } = yield* ApprovalEngine
    const approvalId = yield* (yield* Identifiers).next("apr")
    yield* open({
      id: approvalId,
      subject: { type: "expense", id, version: 2 },
      concerned,
      submitterId: concerned[0] ?? null,
      steps,
      summary: "Lunch"
    })
    return { id: approvalId }
  })
const approving = Effect.flatMap(ApprovalEngine, (engine) => engine.decide(lunch, "approve", null))

layer(useCases)("Approvals on PostgreSQL", (it) => {
  it.effect("count two decisions of the same moment as what they are: both, where both are needed", () => {
    const shop = company("both", staff)
    return Effect.gen(function* () {
      yield* shop.found
      yield* shop.asShop(opening([{ roles: ["APPROVER", "APPROVER"], mode: "all" }]))
      const results = yield* Effect.all([shop.as("ada")(approving), shop.as("ben")(approving)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results.map(({ status }) => status).sort(), ["APPROVED", "OPEN"])
    })
  })

  it.effect("let one of many decide where one is enough, and one person once whatever is sent at once", () => {
    const shop = company("once", staff)
    return Effect.gen(function* () {
      yield* shop.found
      const sql = yield* SqlClient.SqlClient
      yield* shop.asShop(opening([anyApprover]))
      const all = ["ada", "ben", "cem"].map((name) => Effect.result(shop.as(name)(approving)))
      const results = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.deepStrictEqual(results.map(({ _tag }) => _tag).sort(), ["Failure", "Failure", "Success"])
      yield* shop.asShop(opening([{ roles: ["APPROVER", "APPROVER"], mode: "all" }]))
      const twice = yield* Effect.all(
        [1, 2, 3].map(() => Effect.result(shop.as("ada")(approving))),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(twice.map(({ _tag }) => _tag).sort(), ["Failure", "Failure", "Success"])
      const [counted] = yield* sql`SELECT count(*)::integer AS completed FROM events
        WHERE organization_id = ${shop.organizationId} AND type = 'approval.completed'`
      assert.deepStrictEqual(counted, { completed: 1 })
    })
  })

  it.effect("leave nothing behind where the subject's unit of work fails", () => {
    const shop = company("undone", staff)
    return Effect.gen(function* () {
      yield* shop.found
      const units = yield* UnitOfWork
      const sql = yield* SqlClient.SqlClient
      yield* shop.asShop(opening([anyApprover]))
      const failing = Effect.andThen(approving, Effect.fail("no" as const))
      assert.strictEqual(yield* Effect.flip(shop.as("ada")(units.run(failing))), "no")
      assert.deepStrictEqual(
        yield* sql`SELECT FROM approval_decisions WHERE organization_id = ${shop.organizationId}`,
        []
      )
      assert.strictEqual((yield* shop.as("ada")(approving)).status, "APPROVED")
    })
  })

  it.effect("are read as far as the caller's role reaches, and mine are those I may decide", () => {
    const shop = company("reach", staff)
    return Effect.gen(function* () {
      yield* shop.found
      const approvals = yield* Approvals
      const { id: ofDua } = yield* shop.as("dua")(opening([anyApprover], [shop.idOf("dua")], "exp_1"))
      const { id: ofAda } = yield* shop.as("ada")(opening([anyApprover], [shop.idOf("ada")], "exp_2"))
      const { id: ofShop } = yield* shop.asShop(opening([{ users: [shop.idOf("ben")], mode: "any" }], [], "exp_3"))
      const idsFor = (name: string, mine: boolean) =>
        Effect.map(shop.as(name)(approvals.list({ mine }, everything)), ({ items }) =>
          items.map(({ document }) => document.id)
        )
      const seen = (name: string) => Effect.all([idsFor(name, false), idsFor(name, true)])
      assert.deepStrictEqual(yield* seen("dua"), [[ofDua], []])
      assert.deepStrictEqual(yield* seen("ada"), [[ofAda, ofDua], [ofDua]])
      assert.deepStrictEqual(yield* seen("ben"), [
        [ofShop, ofAda, ofDua],
        [ofShop, ofAda, ofDua]
      ])
      assert.deepStrictEqual(yield* seen("cem"), [
        [ofShop, ofAda, ofDua],
        [ofAda, ofDua]
      ])
      assert.deepStrictEqual(yield* seen("eda"), [[ofShop, ofAda, ofDua], []])
      assert.strictEqual((yield* Effect.flip(shop.as("ada")(approvals.find(ofShop))))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(shop.as("ada")(approvals.history(ofShop, everything))))._tag, "NotFound")
      yield* shop.as("ben")(
        Effect.flatMap(Delegations, (all) =>
          all.create({ from: undefined, to: shop.idOf("ada"), startsAt: undefined, endsAt: 1000, reason: null })
        )
      )
      assert.deepStrictEqual(yield* seen("ada"), [
        [ofShop, ofAda, ofDua],
        [ofShop, ofDua]
      ])
      const page = yield* shop.as("ben")(approvals.list({ mine: true }, { limit: 1, after: ofShop }))
      assert.deepStrictEqual([page.items.map(({ document }) => document.id), page.hasMore], [[ofAda], true])
    })
  })

  it.effect("are decided at their own door by the version that was seen", () => {
    const shop = company("door", staff)
    return Effect.gen(function* () {
      yield* shop.found
      const approvals = yield* Approvals
      const { id } = yield* shop.asShop(opening([anyApprover, { roles: ["ADMIN"], mode: "any" }]))
      const order = { decision: "approve", reason: null, expected: undefined, subjectVersion: undefined } as const
      const tagOf = (name: string, changes: object = {}) =>
        Effect.map(Effect.flip(shop.as(name)(approvals.decide(id, { ...order, ...changes }))), ({ _tag }) => _tag)
      assert.strictEqual(yield* tagOf("ada", { expected: [7] }), "VersionConflict")
      assert.strictEqual(yield* tagOf("ada", { subjectVersion: 1 }), "VersionConflict")
      assert.strictEqual(yield* tagOf("dua"), "RoleMissing")
      const first = yield* shop.as("ada")(approvals.decide(id, { ...order, expected: [1], subjectVersion: 2 }))
      assert.deepInclude(first.document, { version: 2, status: "OPEN", current_step: 2 })
      assert.strictEqual(yield* tagOf("ben"), "Forbidden")
      const second = yield* shop.as("cem")(approvals.decide(id, { ...order, decision: "reject", reason: "Too much" }))
      assert.strictEqual(second.document.status, "REJECTED")
      assert.strictEqual(yield* tagOf("cem"), "StateRefused")
      const { items } = yield* shop.as("ada")(approvals.history(id, everything))
      assert.deepStrictEqual(
        items.map(({ action }) => action),
        ["approval.completed", "approval.decided", "approval.decided", "approval.opened"]
      )
    })
  })

  it.effect("that are overdue are escalated once, however many processes look", () => {
    const shop = company("late", staff)
    return Effect.gen(function* () {
      yield* shop.found
      const sql = yield* SqlClient.SqlClient
      for (const number of [1, 2, 3]) {
        yield* shop.asShop(
          opening([{ users: [shop.idOf("ada")], mode: "any", escalateAfterHours: 1 }], [], `exp_${number}`)
        )
      }
      yield* TestClock.adjust("1 hour")
      yield* Effect.all(
        Array.from({ length: 3 }, () => Layer.build(Layer.fresh(EscalateApprovals.layer))),
        { concurrency: "unbounded" }
      )
      const escalations = sql<{ actor: string }>`SELECT actor FROM audit_log
        WHERE organization_id = ${shop.organizationId} AND action = 'approval.escalated'`
      // The looks are under way beside this fiber, on a database whose time is not the test's.
      while ((yield* escalations).length < 3) yield* Effect.yieldNow
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* escalations, [{ actor: "system" }, { actor: "system" }, { actor: "system" }])
      const approvals = yield* Approvals
      const { items } = yield* shop.as("cem")(approvals.list({ mine: true }, everything))
      assert.strictEqual(items.length, 3)
    }).pipe(Effect.scoped)
  })
})
