import { assert, describe, it } from "@effect/vitest"
import { Forbidden } from "@sarraf/domain/errors/Refusals"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import type { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { as, blocked, key, makeDesk, nothingFound, person } from "./support/ExpenseDesk.ts"
import { now, sampleExpense } from "./support/SampleExpense.ts"

const pending = (changes: Partial<Expense> = {}) =>
  sampleExpense({
    status: "PENDING",
    version: 2,
    submittedAt: now,
    approvalId: "apr_1",
    userId: "usr_member",
    submitters: ["usr_member"],
    frozenRates: {},
    ...changes
  })

/** A test with a desk that holds these expenses. */
const on = <A, E>(
  held: ReadonlyArray<Expense>,
  run: (desk: ReturnType<typeof makeDesk>, expenses: Expenses["Service"]) => Effect.Effect<A, E, Caller>,
  caller: Caller["Service"] = person("APPROVER")
) =>
  Effect.suspend(() => {
    const desk = makeDesk()
    for (const expense of held) desk.state.expenses.set(expense.id, expense)
    return Effect.andThen(
      TestClock.setTime(now),
      Effect.flatMap(Expenses, (expenses) => run(desk, expenses)).pipe(as(caller), Effect.provide(desk.layer))
    )
  })

const happened = ({ state }: ReturnType<typeof makeDesk>) => state.events.map(({ type }) => type)

describe("A decision", () => {
  it.effect("that completes the approval approves, after policies have run again", () =>
    on([pending()], (desk, expenses) =>
      Effect.gen(function* () {
        const approved = yield* expenses.decide("exp_1", "approve", "Fine", [2])
        assert.deepInclude(approved, {
          status: "APPROVED",
          version: 3,
          decidedAt: now,
          decidedBy: "user:usr_approver",
          rejectionReason: null
        })
        assert.deepStrictEqual(happened(desk), ["expense.approved"])
        assert.strictEqual(desk.seen.facts.length, 1)
        assert.include(desk.seen.locked, "usr_member 2026-03-14")
        assert.deepStrictEqual(
          desk.state.audited.map(({ action, detail }) => [action, detail]),
          [["expense.approved", { reason: "Fine" }]]
        )
      })
    )
  )

  it.effect("inside a chain leaves it as it is", () =>
    on([pending()], (desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.outcome = "OPEN"
        assert.deepStrictEqual(yield* expenses.decide("exp_1", "approve", null), pending())
        assert.deepStrictEqual([happened(desk), desk.state.audited], [[], []])
        assert.deepStrictEqual(desk.state.decided, ["approve exp_1"])
      })
    )
  )

  it.effect("is refused by BLOCK at the last approval, and was then not made", () =>
    on([pending()], (desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.verdict = () => blocked
        const refused = yield* Effect.flip(expenses.decide("exp_1", "approve", null))
        assert.deepInclude(refused, { _tag: "PolicyBlocked", violations: blocked.violations })
        assert.deepStrictEqual(desk.state.expenses.get("exp_1"), pending())
        assert.deepStrictEqual([desk.state.decided, happened(desk)], [[], []])
      })
    )
  )

  it.effect("on a draft submits it first, in its maker's name, and policies run once", () =>
    on(
      [sampleExpense({ userId: "usr_member", createdBy: "user:usr_member", creators: ["usr_member"] })],
      (desk, expenses) =>
        Effect.gen(function* () {
          const approved = yield* expenses.decide("exp_1", "approve", null)
          assert.deepInclude(approved, { status: "APPROVED", version: 3, submittedBy: "user:usr_member" })
          assert.deepStrictEqual(happened(desk), ["expense.submitted", "expense.approved"])
          assert.deepStrictEqual(
            desk.state.opened.map(({ concerned }) => concerned),
            [["usr_member"]]
          )
          assert.strictEqual(desk.seen.facts.length, 1)
        })
    )
  )

  it.effect("on a draft that is blocked changes nothing, whichever it is", () =>
    on([sampleExpense()], (desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.verdict = () => blocked
        for (const decision of ["approve", "reject"] as const) {
          const refused = yield* Effect.flip(expenses.decide("exp_1", decision, null))
          assert.strictEqual(refused._tag, "PolicyBlocked")
        }
        assert.deepStrictEqual(desk.state.expenses.get("exp_1"), sampleExpense())
      })
    )
  )

  it.effect("to reject keeps the reason, and does not ask the policies", () =>
    on([pending()], (desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.verdict = () => blocked
        const rejected = yield* expenses.decide("exp_1", "reject", "No receipt")
        assert.deepInclude(rejected, { status: "REJECTED", rejectionReason: "No receipt", decidedAt: now })
        assert.deepStrictEqual(happened(desk), ["expense.rejected"])
      })
    )
  )

  it.effect("is bound to the version, to the role, to the state and to who may", () =>
    on([pending()], (desk, expenses) =>
      Effect.gen(function* () {
        const refusalOf = (caller: Caller["Service"], expected?: ReadonlyArray<number>) =>
          Effect.map(Effect.flip(as(caller)(expenses.decide("exp_1", "approve", null, expected))), ({ _tag }) => _tag)
        assert.strictEqual(yield* refusalOf(key, [1]), "VersionConflict")
        assert.strictEqual(yield* refusalOf(person("MEMBER")), "RoleMissing")
        assert.strictEqual(yield* refusalOf(person("AUDITOR")), "RoleMissing")
        desk.settings.forbids = () => new Forbidden({ reason: "It is yours." })
        assert.strictEqual(yield* refusalOf(person("ADMIN")), "Forbidden")
        desk.settings.forbids = () => undefined
        yield* expenses.decide("exp_1", "approve", null)
        assert.strictEqual(yield* refusalOf(key), "StateRefused")
      })
    )
  )
})

describe("Several decisions", () => {
  const three = [pending({ id: "exp_3" }), pending({ id: "exp_2" }), pending({ id: "exp_1" })]

  it.effect("are each made by themselves, in the order asked, a repeated id once", () =>
    on(three, (desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.forbids = (id) => (id === "exp_2" ? new Forbidden({ reason: "It is yours." }) : undefined)
        const decisions = yield* expenses.decideSeveral(["exp_3", "exp_9", "exp_2", "exp_3", "exp_1"], "approve", null)
        assert.deepStrictEqual(
          decisions.map(({ id, result }) => [
            id,
            Result.isSuccess(result) ? result.success.status : result.failure._tag
          ]),
          [
            ["exp_3", "APPROVED"],
            ["exp_9", "NotFound"],
            ["exp_2", "Forbidden"],
            ["exp_1", "APPROVED"]
          ]
        )
        assert.strictEqual(desk.state.expenses.get("exp_2")?.status, "PENDING")
      })
    )
  )

  it.effect("leave nothing of one that is blocked", () =>
    on([pending({ id: "exp_1" }), pending({ id: "exp_2", merchant: "Casino" })], (desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.verdict = ({ merchant }) => (merchant === "Casino" ? blocked : nothingFound)
        const decisions = yield* expenses.decideSeveral(["exp_2", "exp_1"], "approve", null)
        assert.deepStrictEqual(
          decisions.map(({ result }) => Result.isSuccess(result)),
          [false, true]
        )
        assert.deepStrictEqual(desk.state.decided, ["approve exp_1"])
      })
    )
  )

  it.effect("fail together where the database goes away, and for who may decide nothing", () =>
    on(three, (desk, expenses) =>
      Effect.gen(function* () {
        const many = expenses.decideSeveral(["exp_1"], "approve", null)
        assert.strictEqual((yield* Effect.flip(as(person("MEMBER"))(many)))._tag, "RoleMissing")
        desk.settings.isAway = true
        assert.strictEqual((yield* Effect.flip(many))._tag, "Unavailable")
        assert.strictEqual(desk.state.expenses.get("exp_1")?.status, "PENDING")
      })
    )
  )
})

describe("Other commands", () => {
  it.effect("withdraw ends the approval and makes it a draft as before", () =>
    on([pending()], (desk, expenses) =>
      Effect.gen(function* () {
        const draft = yield* expenses.withdraw("exp_1")
        assert.deepInclude(draft, {
          status: "DRAFT",
          version: 3,
          approvalId: null,
          submittedAt: null,
          submittedBy: null,
          frozenRates: null
        })
        assert.deepStrictEqual([desk.state.cancelled, draft.submitters, happened(desk)], [["exp_1"], [], []])
      })
    )
  )

  it.effect("reopen takes the decision away", () =>
    on(
      [pending({ status: "REJECTED", decidedAt: now, decidedBy: "key:shop", rejectionReason: "No" })],
      (desk, expenses) =>
        Effect.gen(function* () {
          const draft = yield* expenses.reopen("exp_1")
          assert.deepInclude(draft, { status: "DRAFT", decidedAt: null, decidedBy: null, rejectionReason: null })
          assert.deepStrictEqual(
            desk.state.audited.map(({ action, before }) => [action, before?.rejection_reason]),
            [["expense.reopened", "No"]]
          )
        })
    )
  )

  it.effect("reimburse is for administrators and keys", () =>
    on([pending({ status: "APPROVED", decidedAt: now })], (_, expenses) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(expenses.reimburse("exp_1")))._tag, "RoleMissing")
        const paid = yield* as(person("ADMIN"))(expenses.reimburse("exp_1"))
        assert.deepInclude(paid, { status: "REIMBURSED", reimbursedAt: now, decidedAt: now })
      })
    )
  )

  it.effect("delete ends a draft and keeps what it was in the audit trail", () =>
    on([sampleExpense(), pending({ id: "exp_2" })], (desk, expenses) =>
      Effect.gen(function* () {
        yield* expenses.remove("exp_1", [1])
        assert.strictEqual((yield* Effect.flip(expenses.get("exp_1")))._tag, "NotFound")
        assert.deepStrictEqual(
          desk.state.audited.map(({ action, before }) => [action, before?.merchant]),
          [["expense.deleted", "Migros"]]
        )
        assert.strictEqual((yield* Effect.flip(expenses.remove("exp_2")))._tag, "StateRefused")
      })
    )
  )
})
