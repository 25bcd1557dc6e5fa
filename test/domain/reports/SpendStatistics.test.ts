import { assert, describe, it } from "@effect/vitest"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import type { Reach } from "@sarraf/domain/organizations/Permissions"
import { SpendStatistics } from "@sarraf/domain/reports/SpendStatistics"
import { type GroupedCell, type MonthCell, type SpendQuery, SpendStore } from "@sarraf/domain/reports/SpendStore"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sampleOrganization } from "../organizations/support/SampleOrganization.ts"

const organization = sampleOrganization({ id: "org_spending" })

const hour = 3_600_000

const cell = (month: string, status: MonthCell["status"], expenses: number, changes: Partial<MonthCell> = {}) => ({
  ...{ month, status, expenses, currency: "TRY", baseCurrency: "TRY", minor: 100n, baseMinor: 100n },
  ...{ withoutReceipt: 0, decided: 0, decisionMillis: 0n },
  ...changes
})

const months: ReadonlyArray<MonthCell> = [
  cell("2026-01", "APPROVED", 1, { decided: 1, decisionMillis: BigInt(24 * hour) }),
  cell("2026-01", "PENDING", 3, { withoutReceipt: 2, currency: "USD", baseCurrency: null, baseMinor: 0n }),
  cell("2026-01", "DRAFT", 9, { withoutReceipt: 9 }),
  cell("2025-12", "REIMBURSED", 2, { withoutReceipt: 1, decided: 1, decisionMillis: BigInt(36 * hour) }),
  cell("2025-02", "REJECTED", 4, { baseMinor: 50n }),
  cell("2025-01", "APPROVED", 5, { withoutReceipt: 1, decided: 5, decisionMillis: BigInt(9_000 * hour) }),
  cell("2026-02", "APPROVED", 6)
]

const group = (place: number | null, name: string | null): GroupedCell => ({
  ...{ place, keys: place === null ? [] : [name], currency: "TRY", baseCurrency: "TRY" },
  ...{ expenses: 1, minor: 100n, baseMinor: 100n }
})

const statistics = (asked: Array<readonly [SpendQuery, Reach]> = [], cells = months) =>
  SpendStatistics.layer.pipe(
    Layer.provide([
      Layer.mock(SpendStore, {
        months: (reach) => Effect.succeed(reach === "all" ? cells : cells.slice(0, 1)),
        grouped: (query, reach) =>
          Effect.sync(() => {
            asked.push([query, reach])
            return { groups: 3, cells: [group(1, "Meals"), group(2, null), group(null, null)] }
          })
      }),
      Layer.mock(Organizations, { current: Effect.succeed(organization) })
    ])
  )

const as = (role: Role) =>
  Effect.provideService(Caller, {
    ...{ organizationId: organization.id, role, name: "user:usr_a", kind: "user", userId: "usr_a", createdBy: null }
  })

/** Late on New Year's Eve in Greenwich, when it is January in Istanbul. */
const current = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2025-12-31T22:00:00Z"))
  return yield* (yield* SpendStatistics).current
})

describe("Statistics", () => {
  it.effect("tell this month and the last by the organization's timezone, without drafts and what was rejected", () =>
    Effect.gen(function* () {
      const { byMonth, lastMonth, thisMonth, today } = yield* current.pipe(as("APPROVER"))
      assert.strictEqual(today, "2026-01-01")
      assert.deepInclude(thisMonth, { month: "2026-01", expenses: 4, baseMinor: 100n })
      assert.strictEqual(thisMonth.unconverted.expenses, 3)
      assert.deepInclude(lastMonth, { month: "2025-12", expenses: 2 })
      assert.deepStrictEqual(
        [byMonth.length, byMonth[0]?.month, byMonth[0]?.expenses, byMonth.at(-1)],
        [12, "2025-02", 0, thisMonth]
      )
    }).pipe(Effect.provide(statistics()))
  )

  it.effect("count what waits, what lacks a receipt, and the days to a decision in the last twelve months", () =>
    Effect.gen(function* () {
      const told = yield* current.pipe(as("AUDITOR"))
      assert.strictEqual(told.waitingApprovals, 3)
      assert.strictEqual(told.missingReceipts, 3)
      assert.strictEqual(told.averageDaysToDecision, 1.25)
      assert.strictEqual(told.byStatus.APPROVED.expenses, 12)
      assert.deepInclude(told.byStatus.REJECTED, { expenses: 4, baseMinor: 50n })
    }).pipe(Effect.provide(statistics()))
  )

  it.effect("name the top of this month and the two before, and not the rest", () => {
    const asked: Array<readonly [SpendQuery, Reach]> = []
    return Effect.gen(function* () {
      const { topCategories, topMerchants } = yield* current.pipe(as("OWNER"))
      assert.deepStrictEqual(
        [topCategories, topMerchants].map((top) => top.map(({ name }) => name)),
        [
          ["Meals", null],
          ["Meals", null]
        ]
      )
      assert.deepStrictEqual(
        asked.map(([{ filter, groupBy }, reach]) => [groupBy, filter.from, filter.to, reach]),
        [
          [["category"], "2025-11-01", "2026-01-31", "all"],
          [["merchant"], "2025-11-01", "2026-01-31", "all"]
        ]
      )
    }).pipe(Effect.provide(statistics(asked)))
  })

  it.effect("are a member's own", () => {
    const asked: Array<readonly [SpendQuery, Reach]> = []
    return Effect.gen(function* () {
      const { byStatus } = yield* current.pipe(as("MEMBER"))
      assert.strictEqual(byStatus.APPROVED.expenses, 1)
      assert.deepStrictEqual(
        asked.map(([, reach]) => reach),
        ["own", "own"]
      )
    }).pipe(Effect.provide(statistics(asked)))
  })

  it.effect("have no average where nothing was decided", () =>
    Effect.gen(function* () {
      assert.isNull((yield* current.pipe(as("ADMIN"))).averageDaysToDecision)
    }).pipe(Effect.provide(statistics([], [])))
  )
})
