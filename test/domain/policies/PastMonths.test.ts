import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { unassessed } from "@sarraf/domain/expenses/CreateExpense"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { type ExpenseFilter, ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Money } from "@sarraf/domain/money/Money"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { makePastMonths } from "@sarraf/domain/policies/PastMonths"
import { applyPolicies } from "@sarraf/domain/policies/Policy"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sampleOrganization } from "../organizations/support/SampleOrganization.ts"
import { lunch, policyOf } from "./support/facts.ts"

const expenseOf = (number: number): Expense => ({
  ...unassessed,
  id: `exp_${String(number).padStart(4, "0")}`,
  version: 1,
  status: "APPROVED",
  amount: new Money({ currency: "TRY", minor: BigInt(number) * 100n }),
  base: { minor: BigInt(number) * 100n, currency: "TRY", rate: "1", rateDate: "2026-03-01" },
  merchant: `Shop ${number}`,
  category: null,
  description: null,
  date: "2026-03-01",
  receiptUrl: null,
  departmentId: null,
  cardTransactionId: null,
  userId: null,
  createdBy: "key:test",
  creators: [],
  createdAt: 0,
  updatedAt: 0
})

/** So many expenses, newest first, in pages; the filters that were asked for are remembered. */
const storeOf = (count: number, asked: Array<ExpenseFilter> = []) =>
  Layer.mock(ExpenseStore, {
    list: (filter, _, { after, limit }) =>
      Effect.sync(() => {
        asked.push(filter)
        const all = Array.from({ length: count }, (__, index) => expenseOf(count - index))
        const items = all.filter(({ id }) => after === undefined || id < after)
        return { items: items.slice(0, limit), hasMore: items.length > limit }
      })
  })

const organization = sampleOrganization()

const around = Layer.mergeAll(
  Layer.mock(Organizations, { current: Effect.succeed(organization) }),
  Layer.succeed(UnitOfWork, { run: (effect) => effect, apart: (effect) => effect }),
  Layer.succeed(Caller, {
    organizationId: "org_1",
    role: "OWNER",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: null
  })
)

const above = (amount: number) => policyOf({ field: "amount", op: "gt", value: amount }, { name: "Above" })
const applied = (amount: number) => (expense: Expense) =>
  Effect.succeed(applyPolicies([above(amount)], { ...lunch, amount: expense.amount, baseMinor: expense.amount.minor }))

const linesFor = (amount: number) =>
  Effect.gen(function* () {
    const pastMonths = yield* makePastMonths
    return yield* Stream.runCollect(yield* pastMonths(3, applied(amount)))
  })

describe("Past months", () => {
  it.effect("are told about every 200 expenses, and summed up exactly", () =>
    Effect.gen(function* () {
      const lines = yield* linesFor(440)
      assert.deepStrictEqual(lines.slice(0, -1), [
        { type: "progress", evaluated: 0, of: 450 },
        { type: "progress", evaluated: 200, of: 450 },
        { type: "progress", evaluated: 400, of: 450 }
      ])
      const result = lines.at(-1)
      assert.deepInclude(result ?? {}, {
        type: "result",
        evaluated: 450,
        met: 10,
        byEnforcement: { BLOCK: 10, REQUIRE_APPROVAL: 0, WARN: 0 },
        // 441 to 450.
        amountMet: 445_500n
      })
      const examples = result?.type === "result" ? result.examples : []
      assert.deepStrictEqual(
        examples.map(({ expenseId }) => expenseId),
        Array.from({ length: 10 }, (_, index) => `exp_0${450 - index}`)
      )
      assert.strictEqual(examples[0]?.message, "Above: the amount 450 TRY is over 440 TRY.")
    }).pipe(Effect.provide([storeOf(450), around]))
  )

  it.effect("hold what was submitted since the day in the organization's timezone", () => {
    const asked: Array<ExpenseFilter> = []
    return Effect.gen(function* () {
      // In Istanbul it is the 1st of June already.
      yield* TestClock.setTime(Date.UTC(2026, 4, 31, 22))
      const lines = yield* linesFor(0)
      assert.lengthOf(lines, 2)
      assert.deepStrictEqual(asked[0], {
        statuses: ["PENDING", "APPROVED", "REJECTED", "REIMBURSED"],
        from: "2026-03-01"
      })
    }).pipe(Effect.provide([storeOf(0, asked), around]))
  })

  it.effect("fail with the store", () => {
    const away = Layer.mock(ExpenseStore, { list: () => Effect.fail(new Unavailable()) })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(linesFor(0))
      assert.strictEqual(error._tag, "Unavailable")
    }).pipe(Effect.provide([away, around]))
  })
})
