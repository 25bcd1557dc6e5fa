import { assert, layer } from "@effect/vitest"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgSpendStore from "@sarraf/adapters/postgres/reports/PgSpendStore"
import { foldSpend } from "@sarraf/adapters/postgres/reports/SpendFolder"
import { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import {
  type SpendDimension,
  type SpendFilter,
  spendDimensions,
  spentStatuses,
  tallyOf
} from "@sarraf/domain/reports/Spend"
import { type GroupedCell, type MonthCell, SpendStore } from "@sarraf/domain/reports/SpendStore"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import {
  as,
  type Counted,
  callerOf,
  countedGroups,
  insertSpent,
  Spent,
  spendingOrganization,
  updateSpent,
  write
} from "./support/SpentRows.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgSpendStore.layer).pipe(Layer.provideMerge(Database.layer))

const everything: SpendFilter = { statuses: expenseStatuses }

const Day = Schema.Literals(["2026-01-01", "2026-01-14", "2026-01-31", "2026-02-01", "2026-03-15", "2026-03-31"])
const Condition = Schema.Union([
  Schema.Struct({ statuses: Schema.Array(Schema.Literals(expenseStatuses)) }),
  // Kept together, in whatever order they are asked for.
  Schema.Struct({
    statuses: Schema.Tuple([Schema.Literal("REIMBURSED"), Schema.Literal("PENDING"), Schema.Literal("APPROVED")])
  }),
  Schema.Struct({ from: Day }),
  Schema.Struct({ to: Day }),
  Schema.Struct({ categories: Schema.Array(Schema.Literals(["Meals", "Travel", "none"])) }),
  Schema.Struct({ merchant: Schema.Literals(["MIGROS", "_", "%", "l"]) }),
  Schema.Struct({ userId: Schema.Literals(["usr_a", "usr_b"]) }),
  Schema.Struct({ departmentId: Schema.Literals(["dep_a", "dep_b"]) }),
  Schema.Struct({ currency: Schema.Literals(["TRY", "USD"]) })
])
const Report = Schema.Struct({
  groupBy: Schema.Tuple([Schema.Literals(spendDimensions), Schema.Literals(spendDimensions)]),
  conditions: Schema.Array(Condition).check(Schema.isMaxLength(3))
})

const Number9 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
const Step = Schema.Union([
  Schema.Struct({ step: Schema.Literals(["insert", "update", "undone"]), number: Number9, spent: Spent }),
  Schema.Struct({ step: Schema.Literal("delete"), number: Number9 }),
  Schema.Struct({ step: Schema.Literal("recategorize"), from: Schema.Literals(["Meals", "meals"]) }),
  Schema.Struct({ step: Schema.Literal("fold"), changes: Schema.Literals([1, 3, 1_000]) }),
  Schema.Struct({ step: Schema.Literal("report"), report: Report })
])

/** Groups by their keys as JSON, in what a model can count too. */
const shownGroups = (cells: ReadonlyArray<GroupedCell>) => {
  const byKeys = Object.groupBy(cells, ({ keys }) => JSON.stringify(keys))
  return Object.fromEntries(
    Object.entries(byKeys).map(([keys, parts = []]): [string, Counted] => {
      const { amounts, baseMinor, expenses, unconverted } = tallyOf(parts, "TRY")
      const perCurrency = Object.fromEntries(amounts.map(({ currency, minor }) => [currency, minor]))
      return [keys, { expenses, baseMinor, amounts: perCurrency, unconverted: unconverted.expenses }]
    })
  )
}

const grouped = (groupBy: ReadonlyArray<SpendDimension>, filter: SpendFilter, groupsMax = 1_000) =>
  Effect.flatMap(SpendStore, (store) => store.grouped({ groupBy, filter, baseCurrency: "TRY", groupsMax }, "all"))

const assertReport = Effect.fnUntraced(function* (rows: Iterable<Spent>, { conditions, groupBy }: typeof Report.Type) {
  const filter: SpendFilter = Object.assign({ ...everything }, ...conditions)
  const dimensions = groupBy[0] === groupBy[1] ? [groupBy[0]] : groupBy
  const { cells } = yield* grouped(dimensions, filter)
  assert.deepStrictEqual(shownGroups(cells), countedGroups(rows, dimensions, filter))
  const values = Object.values(Object.groupBy(cells, ({ place }) => String(place))).map(
    (parts = []) => tallyOf(parts, "TRY").baseMinor
  )
  assert.deepStrictEqual(
    values,
    values.toSorted((one, other) => (one < other ? 1 : -1))
  )
})

const plain: Spent = {
  status: "APPROVED",
  currency: "TRY",
  amount: 99n,
  merchant: "Migros",
  category: "Meals",
  date: "2026-01-14",
  userId: "usr_a",
  departmentId: "dep_a",
  baseCurrency: "TRY",
  hasReceipt: false,
  decisionHours: 50
}

let runs = 0

layer(stores)("Sums of spending", (it) => {
  it.effect.prop(
    "are those of the rows at every moment, under any filter, whatever was added to the sums by then",
    [Schema.Array(Step).check(Schema.isMinLength(6), Schema.isMaxLength(40))],
    ([steps]) =>
      Effect.gen(function* () {
        const id = yield* spendingOrganization(`steps_${++runs}`)
        const rows = new Map<number, Spent>()
        yield* Effect.gen(function* () {
          for (const step of steps) {
            if (step.step === "fold") yield* foldSpend(step.changes)
            else if (step.step === "report") yield* assertReport(rows.values(), step.report)
            else if (step.step === "recategorize") {
              yield* write((sql) => sql`UPDATE expenses SET category = 'Travel' WHERE category = ${step.from}`)
              for (const [number, spent] of rows) {
                if (spent.category === step.from) rows.set(number, { ...spent, category: "Travel" })
              }
            } else if (step.step === "delete") {
              rows.delete(step.number)
              yield* write((sql) => sql`DELETE FROM expenses WHERE id = ${`exp_${step.number}`}`)
            } else if (step.step === "undone") {
              const units = yield* UnitOfWork
              yield* Effect.flip(
                units.run(Effect.andThen(updateSpent(`exp_${step.number}`, step.spent), Effect.fail("no")))
              )
            } else if (rows.has(step.number)) {
              rows.set(step.number, step.spent)
              yield* updateSpent(`exp_${step.number}`, step.spent)
            } else if (step.step === "insert") {
              rows.set(step.number, step.spent)
              yield* insertSpent(`exp_${step.number}`, step.spent)
            }
          }
          for (const dimension of spendDimensions) {
            const period = [{ from: "2026-01-14" }, { to: "2026-03-15" }] as const
            for (const conditions of [[], [{ statuses: spentStatuses }], period]) {
              yield* assertReport(rows.values(), { groupBy: [dimension, "month"], conditions })
            }
          }
        }).pipe(as(callerOf(id)))
      }),
    { arbitrary: { runs: 100 }, timeout: 120_000 }
  )

  it.effect("tell receipts and decisions of each month and status, before and after they were added up", () =>
    Effect.gen(function* () {
      const id = yield* spendingOrganization("months")
      yield* Effect.gen(function* () {
        yield* insertSpent("exp_1", plain)
        yield* insertSpent("exp_2", { ...plain, hasReceipt: true, decisionHours: 1 })
        yield* insertSpent("exp_3", { ...plain, status: "PENDING", date: "2026-02-01" })
        const months = Effect.flatMap(SpendStore, (store) => store.months("all"))
        const cell = { currency: "TRY", baseCurrency: "TRY" }
        const expected: ReadonlyArray<MonthCell> = [
          {
            ...{ ...cell, month: "2026-01", status: "APPROVED", expenses: 2, minor: 198n, baseMinor: 594n },
            ...{ withoutReceipt: 1, decided: 2, decisionMillis: BigInt(51 * 3_600_000) }
          },
          {
            ...{ ...cell, month: "2026-02", status: "PENDING", expenses: 1, minor: 99n, baseMinor: 297n },
            ...{ withoutReceipt: 1, decided: 0, decisionMillis: 0n }
          }
        ]
        const byMonth = (cells: Effect.Success<typeof months>) =>
          cells.toSorted((one, other) => (one.month < other.month ? -1 : 1))
        assert.deepStrictEqual(byMonth(yield* months), expected)
        yield* foldSpend(1_000)
        assert.deepStrictEqual(byMonth(yield* months), expected)
        yield* updateSpent("exp_1", { ...plain, hasReceipt: true })
        assert.strictEqual(byMonth(yield* months)[0]?.withoutReceipt, 0)
      }).pipe(as(callerOf(id)))
    })
  )

  it.effect("are not touched by a change of what is not summed", () =>
    Effect.gen(function* () {
      const id = yield* spendingOrganization("untouched")
      yield* Effect.gen(function* () {
        yield* insertSpent("exp_1", plain)
        yield* foldSpend(1_000)
        yield* write((sql) => sql`UPDATE expenses SET description = 'Lunch', version = version + 1`)
        yield* updateSpent("exp_1", plain)
        assert.deepStrictEqual(yield* write((sql) => sql`SELECT * FROM spend_changes`), [])
      }).pipe(as(callerOf(id)))
    })
  )

  it.effect("show the largest groups and sum the rest", () =>
    Effect.gen(function* () {
      const id = yield* spendingOrganization("rest")
      yield* Effect.gen(function* () {
        for (const [index, merchant] of (["Migros", "migros jet", "A_b%", "Shell"] as const).entries()) {
          for (let count = 0; count <= index; count++) {
            yield* insertSpent(`exp_${index}_${count}`, { ...plain, merchant })
          }
        }
        const { cells, groups } = yield* grouped(["merchant"], everything, 2)
        assert.strictEqual(groups, 4)
        assert.deepStrictEqual(
          cells.map(({ expenses, keys, place }) => [place, keys, expenses]),
          [
            [1, ["Shell"], 4],
            [2, ["A_b%"], 3],
            [null, [], 3]
          ]
        )
      }).pipe(as(callerOf(id)))
    })
  )

  it.effect("never count an organization's expenses for another", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [yield* spendingOrganization("one"), yield* spendingOrganization("other")]
      yield* insertSpent("exp_1", plain).pipe(as(callerOf(one)))
      yield* insertSpent("exp_1", { ...plain, amount: 1n }).pipe(as(callerOf(other)))
      yield* foldSpend(1)
      yield* insertSpent("exp_2", plain).pipe(as(callerOf(one)))
      const units = yield* UnitOfWork
      for (const [id, minor] of [
        [one, 198n],
        [other, 1n]
      ] as const) {
        const { cells } = yield* grouped(["currency"], everything).pipe(as(callerOf(id)))
        assert.deepStrictEqual(
          cells.map((cell) => cell.minor),
          [minor]
        )
        // The database by itself: a statement that forgets to name the organization.
        const forgetful = sql`SELECT organization_id FROM spend_sums UNION SELECT organization_id FROM spend_changes`
        assert.deepStrictEqual(yield* units.run(Effect.orDie(forgetful)).pipe(as(callerOf(id))), [
          { organization_id: id }
        ])
      }
      for (const forged of [
        sql`UPDATE spend_sums SET amount = 0`,
        sql`DELETE FROM spend_changes`,
        sql`INSERT INTO spend_changes SELECT ${other}, month, status, category, merchant, user_id, department_id, currency,
          base_currency, expenses, amount, base_amount, without_receipt, decided, decision_millis FROM spend_changes`
      ]) {
        const exit = yield* Effect.exit(units.run(Effect.orDie(forged)).pipe(as(callerOf(one))))
        assert.strictEqual(exit._tag, "Failure")
      }
    })
  )

  it.effect("reach of a person what is theirs, and of a key what it made", () =>
    Effect.gen(function* () {
      const id = yield* spendingOrganization("reach")
      const key = callerOf(id)
      yield* insertSpent("exp_1", plain, "user:usr_a").pipe(as(key))
      yield* insertSpent("exp_2", { ...plain, userId: "usr_b" }, "user:usr_a").pipe(as(key))
      yield* insertSpent("exp_3", { ...plain, userId: null }).pipe(as(key))
      const store = yield* SpendStore
      const query = { groupBy: ["category"], filter: everything, baseCurrency: "TRY", groupsMax: 5 } as const
      const person = (userId: string) => ({ ...key, kind: "user" as const, userId, name: `user:${userId}` })
      for (const [caller, expected] of [
        [person("usr_a"), 2],
        [person("usr_b"), 1],
        [key, 1]
      ] as const) {
        const { cells } = yield* store.grouped(query, "own").pipe(as(caller))
        const months = yield* store.months("own").pipe(as(caller))
        assert.deepStrictEqual([tallyOf(cells, "TRY").expenses, tallyOf(months, "TRY").expenses], [expected, expected])
      }
    })
  )

  it.effect("are whole while expenses come in and changes are added up by several at once", () =>
    Effect.gen(function* () {
      const id = yield* spendingOrganization("together")
      yield* Effect.gen(function* () {
        const units = yield* UnitOfWork
        const pair = (number: number) =>
          units.run(Effect.andThen(insertSpent(`exp_${number}_a`, plain), insertSpent(`exp_${number}_b`, plain)))
        const look = Effect.gen(function* () {
          const { cells } = yield* grouped(["category"], everything)
          const { baseMinor, expenses } = tallyOf(cells, "TRY")
          assert.strictEqual(expenses % 2, 0)
          assert.strictEqual(baseMinor, BigInt(expenses) * 297n)
        })
        yield* Effect.all(
          [
            Effect.forEach(
              Array.from({ length: 30 }, (_, number) => number),
              pair,
              { concurrency: 3, discard: true }
            ),
            Effect.repeat(foldSpend(7), { times: 40 }),
            Effect.repeat(foldSpend(3), { times: 40 }),
            Effect.repeat(look, { times: 40 })
          ],
          { concurrency: "unbounded", discard: true }
        )
        const { cells } = yield* grouped(["category"], everything)
        assert.strictEqual(tallyOf(cells, "TRY").expenses, 60)
      }).pipe(as(callerOf(id)))
    })
  )
})
