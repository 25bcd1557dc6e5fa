import { assert, describe, it } from "@effect/vitest"
import type { NewExpense } from "@sarraf/domain/expenses/CreateExpense"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import type { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { as, blocked, key, makeDesk, nothingFound, person } from "./support/ExpenseDesk.ts"
import { now, sampleExpense } from "./support/SampleExpense.ts"

const lunch: NewExpense = { amount: "149.90", currency: "TRY", merchant: "Migros", category: "Meals", submit: false }

/** A test with a desk of its own, at `now`. */
const at = <A, E>(
  run: (desk: ReturnType<typeof makeDesk>, expenses: Expenses["Service"]) => Effect.Effect<A, E, Caller>,
  caller: Caller["Service"] = key
) =>
  Effect.suspend(() => {
    const desk = makeDesk()
    return Effect.andThen(
      TestClock.setTime(now),
      Effect.flatMap(Expenses, (expenses) => run(desk, expenses)).pipe(as(caller), Effect.provide(desk.layer))
    )
  })

const dollars = { from: "USD", to: "TRY", numerator: 41_235n, denominator: 1_000n, date: "2026-03-13" } as const

describe("Creating an expense", () => {
  it.effect("gives a person's the person, their department and today where the organization is", () =>
    at(
      (desk, expenses) =>
        Effect.gen(function* () {
          const made = yield* expenses.create(lunch)
          assert.deepInclude(made, {
            status: "DRAFT",
            version: 1,
            userId: "usr_member",
            departmentId: "dep_sales",
            date: "2026-03-14",
            createdBy: "user:usr_member",
            creators: ["usr_member"]
          })
          assert.strictEqual(made.amount.minor, 14_990n)
          assert.deepStrictEqual(desk.state.expenses.get(made.id), made)
          assert.deepStrictEqual(
            desk.state.audited.map(({ action, after, before }) => [action, after?.amount, before]),
            [["expense.created", 149.9, undefined]]
          )
          assert.deepStrictEqual([desk.state.events, desk.state.opened, desk.seen.locked], [[], [], []])
        }),
      person("MEMBER")
    )
  )

  it.effect("counts days where the organization is, and takes tomorrow but no later day", () =>
    at((_, expenses) =>
      Effect.gen(function* () {
        // 22:30 in London is 01:30 of the next day in Istanbul.
        yield* TestClock.setTime(Date.UTC(2026, 2, 14, 22, 30))
        assert.strictEqual((yield* expenses.create(lunch)).date, "2026-03-15")
        assert.strictEqual((yield* expenses.create({ ...lunch, date: "2026-03-16" })).date, "2026-03-16")
        const refused = yield* Effect.flip(expenses.create({ ...lunch, amount: "1.005", date: "2026-03-17" }))
        assert.deepInclude(refused, { _tag: "InvalidFields" })
        assert.deepStrictEqual(refused._tag === "InvalidFields" ? refused.faults.map(({ path }) => path) : [], [
          "amount",
          "date"
        ])
      })
    )
  )

  it.effect("is for nobody where a key does not say, and for others only by administrators and keys", () =>
    at((_, expenses) =>
      Effect.gen(function* () {
        const tagOf = (userId: string, caller: Caller["Service"]) =>
          expenses.create({ ...lunch, userId }).pipe(
            Effect.map(({ userId: of }) => String(of)),
            Effect.catch((error) => Effect.succeed(error._tag)),
            as(caller)
          )
        assert.isNull((yield* expenses.create(lunch)).userId)
        assert.strictEqual(yield* tagOf("usr_member", key), "usr_member")
        assert.strictEqual(yield* tagOf("usr_member", person("ADMIN")), "usr_member")
        assert.strictEqual(yield* tagOf("usr_member", person("MEMBER")), "usr_member")
        assert.strictEqual(yield* tagOf("usr_member", person("APPROVER")), "Forbidden")
        assert.strictEqual(yield* tagOf("usr_left", key), "NotFound")
        assert.strictEqual(yield* tagOf("usr_nobody", key), "NotFound")
        assert.strictEqual(yield* tagOf("usr_auditor", person("AUDITOR")), "RoleMissing")
      })
    )
  )

  it.effect("finds departments, receipts and card transactions within the caller's reach only", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* expenses.create({ ...lunch, departmentId: "dep_sales" })).departmentId, "dep_sales")
        const receiptUrl = "https://sarraf.example/api/receipts/rcp_theirs"
        for (const fields of [{ departmentId: "dep_theirs" }, { cardTransactionId: "ctx_2" }, { receiptUrl }]) {
          const refused = yield* Effect.flip(expenses.create({ ...lunch, ...fields }))
          assert.strictEqual(refused._tag, "NotFound")
          assert.strictEqual((yield* Effect.flip(expenses.change("exp_new1", fields)))._tag, "NotFound")
        }
        assert.strictEqual(desk.state.expenses.size, 1)
        assert.strictEqual((yield* Effect.flip(expenses.create({ ...lunch, amount: "0.00" })))._tag, "InvalidFields")
      })
    )
  )

  it.effect("names a transaction of the caller's own card, or of any card for an administrator and a key", () =>
    at((_, expenses) =>
      Effect.gen(function* () {
        const named = { ...lunch, cardTransactionId: "ctx_1" }
        const notTheirs = yield* Effect.flip(as(person("MEMBER"))(expenses.create(named)))
        assert.deepInclude({ ...notTheirs }, { _tag: "NotFound", id: "ctx_1" })
        for (const caller of [person("APPROVER"), person("ADMIN"), key]) {
          assert.strictEqual((yield* as(caller)(expenses.create(named))).cardTransactionId, "ctx_1")
          const missing = yield* Effect.flip(as(caller)(expenses.create({ ...lunch, cardTransactionId: "ctx_2" })))
          assert.deepInclude({ ...missing }, { _tag: "NotFound", id: "ctx_2" })
        }
      })
    )
  )

  it.effect("converts exactly, rounded half to even, and says so where no rate is known", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.rates = [{ ...dollars, source: "operator" }]
        const made = yield* expenses.create({ ...lunch, amount: "0.10", currency: "USD" })
        // 0.10 × 41.235 = 4.1235
        assert.deepStrictEqual(made.base, { minor: 412n, currency: "TRY", rate: "41.235", rateDate: "2026-03-13" })
        const half = yield* expenses.create({ ...lunch, amount: "1.00", currency: "USD" })
        // 41.235: the even neighbour of 41.23 and 41.24.
        assert.strictEqual(half.base?.minor, 4_124n)
        assert.isNull((yield* expenses.create({ ...lunch, amount: "5", currency: "JPY" })).base)
        assert.isNull(half.frozenRates)
      })
    )
  )

  it.effect("keeps a draft with what policies say of it, and its likely duplicates", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.verdict = () => blocked
        const first = yield* expenses.create(lunch)
        assert.deepStrictEqual(first.violations, blocked.violations)
        const second = yield* expenses.create(lunch)
        assert.deepStrictEqual(
          second.duplicates.map(({ expenseId, score }) => [expenseId, score]),
          [[first.id, 100]]
        )
        assert.strictEqual(desk.seen.facts.at(-1)?.duplicateLikelihood, 100)
      })
    )
  )

  it.effect("that is to be submitted and is blocked leaves nothing behind", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.verdict = () => blocked
        const refused = yield* Effect.flip(expenses.create({ ...lunch, submit: true }))
        assert.deepInclude(refused, { _tag: "PolicyBlocked", violations: blocked.violations })
        assert.deepStrictEqual(
          [desk.state.expenses.size, desk.state.audited, desk.state.events, desk.state.opened],
          [0, [], [], []]
        )
      })
    )
  )
})

describe("Submitting an expense", () => {
  it.effect("asks for the usual decision, of nobody who is concerned", () =>
    at(
      (desk, expenses) =>
        Effect.gen(function* () {
          const made = yield* expenses.create({ ...lunch, submit: true })
          assert.deepInclude(made, { status: "PENDING", version: 2, approvalId: "apr_new2", submittedAt: now })
          assert.deepStrictEqual(desk.state.opened, [
            {
              id: "apr_new2",
              subject: { type: "expense", id: made.id, version: 2 },
              concerned: ["usr_member"],
              submitterId: "usr_member",
              steps: [{ roles: ["APPROVER"], mode: "any" }],
              summary: "Migros, 149.90 TRY"
            }
          ])
          assert.deepStrictEqual(
            desk.state.events.map(({ object, previous, type }) => [
              type,
              [object.status, previous?.status],
              [object.approval_id, previous?.approval_id]
            ]),
            [["expense.submitted", ["PENDING", "DRAFT"], ["apr_new2", null]]]
          )
          assert.deepStrictEqual(desk.seen.locked, ["usr_member 2026-03-14"])
        }),
      person("MEMBER")
    )
  )

  it.effect(
    "names the maker of its key, its person and its submitter as concerned, and takes the policies' steps",
    () =>
      at((desk, expenses) =>
        Effect.gen(function* () {
          const steps = [{ roles: ["ADMIN"], mode: "any" }] as const
          desk.settings.verdict = () => ({ ...nothingFound, strongest: "REQUIRE_APPROVAL", steps })
          desk.state.expenses.set("exp_1", sampleExpense({ userId: "usr_member", creators: ["usr_maker"] }))
          yield* as(person("ADMIN"))(expenses.submit("exp_1"))
          const [opened] = desk.state.opened
          assert.deepStrictEqual(opened?.concerned, ["usr_member", "usr_maker", "usr_admin"])
          assert.deepStrictEqual(opened?.steps, steps)
        })
      )
  )

  it.effect("freezes the rates of the date, also those that policies compare with", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.settings.rates = [{ ...dollars, source: "operator" }]
        desk.settings.currencies = ["USD", "EUR", "TRY"]
        desk.settings.spent = 1_000n
        desk.state.expenses.set("exp_1", sampleExpense())
        const submitted = yield* expenses.submit("exp_1")
        assert.deepStrictEqual(submitted.frozenRates, { USD: ["41235", "1000", "2026-03-13"] })
        const [facts] = desk.seen.facts
        assert.deepInclude(facts, { baseMinor: 14_990n, baseCurrency: "TRY", submitterRole: null, hasReceipt: false })
        assert.strictEqual(facts?.spent.month, 15_990n)
        // The operator corrects the rate; what was frozen stays.
        desk.settings.rates = [{ ...dollars, numerator: 50_000n, source: "operator" }]
        const approved = yield* expenses.decide("exp_1", "approve", null)
        assert.strictEqual(desk.seen.facts.at(-1)?.rates.get("USD")?.numerator, 41_235n)
        assert.deepStrictEqual(approved.base, submitted.base)
      })
    )
  )

  it.effect("is refused by BLOCK, in another state, and for another version", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.state.expenses.set("exp_1", sampleExpense())
        const conflict = yield* Effect.flip(expenses.submit("exp_1", [2, 3]))
        assert.deepInclude(conflict, { _tag: "VersionConflict", present: 1 })
        desk.settings.verdict = () => blocked
        assert.strictEqual((yield* Effect.flip(expenses.submit("exp_1", [1])))._tag, "PolicyBlocked")
        assert.strictEqual(desk.state.expenses.get("exp_1")?.status, "DRAFT")
        desk.settings.verdict = () => nothingFound
        yield* expenses.submit("exp_1")
        const again = yield* Effect.flip(expenses.submit("exp_1"))
        assert.deepInclude(again, { _tag: "StateRefused", status: "PENDING" })
        assert.strictEqual((yield* Effect.flip(expenses.submit("exp_2")))._tag, "NotFound")
      })
    )
  )
})

describe("Changing an expense", () => {
  it.effect("takes what is said, keeps the rest, and tells the audit trail what changed alone", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.state.expenses.set("exp_1", sampleExpense({ description: "Lunch" }))
        const changed = yield* expenses.change("exp_1", { category: "Travel", description: null, amount: "20" })
        assert.deepInclude(changed, { version: 2, category: "Travel", description: null, merchant: "Migros" })
        assert.deepStrictEqual(desk.state.audited, [
          {
            action: "expense.changed",
            subject: { type: "expense", id: "exp_1" },
            before: { version: 1, category: "Meals", description: "Lunch", amount: 149.9, base_amount: 149.9 },
            after: { version: 2, category: "Travel", description: null, amount: 20, base_amount: 20 }
          }
        ])
      })
    )
  )

  it.effect("that changes nothing keeps the version", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        const before = sampleExpense()
        desk.state.expenses.set("exp_1", before)
        for (const fields of [{}, { category: "Meals", amount: "149.900", userId: undefined }]) {
          assert.deepStrictEqual(yield* expenses.change("exp_1", fields), before)
        }
        assert.deepStrictEqual(desk.state.audited, [])
      })
    )
  )

  it.effect("to a currency with fewer decimals is refused, not rounded", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.state.expenses.set("exp_1", sampleExpense())
        const refused = yield* Effect.flip(expenses.change("exp_1", { currency: "JPY" }))
        assert.deepStrictEqual(refused._tag === "InvalidFields" ? refused.faults : [], [
          { path: "amount", message: "must have at most 0 decimals in JPY" }
        ])
      })
    )
  )

  it.effect("while it waits starts its approval again on the new version, in the name of who changed it too", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        const pending = sampleExpense({
          status: "PENDING",
          version: 2,
          submittedAt: now,
          userId: "usr_member",
          submitters: ["usr_member"],
          approvalId: "apr_0"
        })
        desk.state.expenses.set("exp_1", pending)
        const changed = yield* as(person("ADMIN"))(expenses.change("exp_1", { amount: "99" }))
        assert.deepInclude(changed, { status: "PENDING", version: 3, approvalId: "apr_new1" })
        assert.deepStrictEqual(desk.state.cancelled, ["exp_1"])
        assert.deepStrictEqual(
          desk.state.opened.map(({ concerned, subject }) => [subject.version, concerned]),
          [[3, ["usr_member", "usr_admin"]]]
        )
        desk.settings.verdict = () => blocked
        assert.strictEqual((yield* Effect.flip(expenses.change("exp_1", { amount: "98" })))._tag, "PolicyBlocked")
        assert.deepStrictEqual(desk.state.expenses.get("exp_1"), changed)
        assert.deepStrictEqual(desk.state.cancelled, ["exp_1"])
        // The department has gone since; that is no reason to refuse another change.
        desk.settings.verdict = () => nothingFound
        desk.state.expenses.set("exp_1", { ...changed, departmentId: "dep_gone", userId: "usr_left" })
        yield* expenses.change("exp_1", { amount: "97", departmentId: "dep_gone", userId: "usr_left" })
      })
    )
  )

  it.effect("is refused once it is decided", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        desk.state.expenses.set("exp_1", sampleExpense({ status: "REJECTED", submittedAt: now, decidedAt: now }))
        const refused = yield* Effect.flip(expenses.change("exp_1", { merchant: "Opet" }))
        assert.deepInclude(refused, { _tag: "StateRefused", status: "REJECTED" })
      })
    )
  )
})

describe("Finding expenses", () => {
  it.effect("takes amounts in the organization's currency", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        const page = { limit: 25, after: undefined }
        yield* expenses.list({ minAmount: "10.5", maxAmount: "20", text: "x" }, page)
        assert.deepStrictEqual(desk.seen.filters, [{ text: "x", minBaseMinor: 1_050n, maxBaseMinor: 2_000n }])
        const refused = yield* Effect.flip(expenses.list({ minAmount: "10.505" }, page))
        assert.deepStrictEqual(refused._tag === "InvalidFields" ? refused.faults.map(({ path }) => path) : [], [
          "min_amount"
        ])
      })
    )
  )

  it.effect("by their ids keeps the order asked, each once", () =>
    at((desk, expenses) =>
      Effect.gen(function* () {
        for (const id of ["exp_1", "exp_2"]) desk.state.expenses.set(id, sampleExpense({ id }))
        const found = yield* expenses.findAll(["exp_2", "exp_3", "exp_1", "exp_2"])
        assert.deepStrictEqual(
          found.map(({ id }) => id),
          ["exp_2", "exp_1"]
        )
      })
    )
  )
})
