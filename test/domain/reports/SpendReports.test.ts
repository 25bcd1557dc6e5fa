import { assert, describe, it } from "@effect/vitest"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { Members } from "@sarraf/domain/organizations/Members"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { type SpendFilter, spentStatuses } from "@sarraf/domain/reports/Spend"
import { SpendReports } from "@sarraf/domain/reports/SpendReports"
import { type GroupedCell, SpendStore } from "@sarraf/domain/reports/SpendStore"
import { Effect, Layer } from "effect"
import { sampleOrganization } from "../organizations/support/SampleOrganization.ts"

const organization = sampleOrganization({ id: "org_spending" })

const cell = (place: number | null, keys: ReadonlyArray<string | null>, changes: Partial<GroupedCell> = {}) => ({
  ...{ place, keys, currency: "TRY", baseCurrency: "TRY", expenses: 1, minor: 100n, baseMinor: 100n },
  ...changes
})

const filter: SpendFilter = { statuses: spentStatuses }

const reports = (cells: ReadonlyArray<GroupedCell>, groups = 2) =>
  SpendReports.layer.pipe(
    Layer.provide([
      Layer.mock(SpendStore, { grouped: () => Effect.succeed({ cells, groups }) }),
      Layer.mock(Organizations, { current: Effect.succeed(organization) }),
      Layer.mock(Members, {
        all: Effect.succeed([
          {
            ...{ userId: "usr_a", email: "ada@example.com", name: "Ada", role: "MEMBER" as const },
            ...{
              status: "ACTIVE" as const,
              departmentId: null,
              managerId: null,
              version: 1,
              createdAt: 0,
              updatedAt: 0
            }
          }
        ]),
        departments: Effect.succeed([{ id: "dep_a", name: "Sales" }])
      })
    ])
  )

const as = (role: Role) =>
  Effect.provideService(Caller, {
    ...{ organizationId: organization.id, role, name: "user:usr_a", kind: "user", userId: "usr_a", createdBy: null }
  })

const spend = (...asked: Parameters<SpendReports["Service"]["spend"]>) =>
  Effect.flatMap(SpendReports, (service) => service.spend(...asked))

describe("A spend report", () => {
  it.effect("puts the parts of a group together, and names people and departments", () =>
    Effect.gen(function* () {
      const { groups, other, total } = yield* spend(["user", "department"], filter).pipe(as("APPROVER"))
      assert.deepStrictEqual(
        groups.map(({ baseMinor, expenses, key, label }) => [label, key, expenses, baseMinor]),
        [
          ["Ada / Sales", { user: "usr_a", department: "dep_a" }, 2, 250n],
          ["usr_gone / No department", { user: "usr_gone", department: null }, 1, 0n]
        ]
      )
      assert.deepStrictEqual(
        groups[0]?.amounts.map(({ currency }) => currency),
        ["TRY", "USD"]
      )
      assert.isNull(other)
      assert.deepInclude(total, { expenses: 3, baseMinor: 250n })
      assert.strictEqual(total.unconverted.expenses, 1)
    }).pipe(
      Effect.provide(
        reports([
          cell(1, ["usr_a", "dep_a"]),
          cell(1, ["usr_a", "dep_a"], { currency: "USD", baseMinor: 150n }),
          cell(2, ["usr_gone", null], { baseCurrency: null, baseMinor: 0n })
        ])
      )
    )
  )

  it.effect("sums the groups that it does not show, which the total holds", () =>
    Effect.gen(function* () {
      const { groups, other, total } = yield* spend(["category"], filter).pipe(as("AUDITOR"))
      assert.strictEqual(groups.length, 1)
      assert.deepInclude(other, { groups: 5, expenses: 7, baseMinor: 100n })
      assert.strictEqual(total.expenses, 8)
    }).pipe(Effect.provide(reports([cell(1, ["Meals"]), cell(null, [], { expenses: 7 })], 1_005)))
  )

  it.effect("is empty where nothing was spent", () =>
    Effect.gen(function* () {
      const { groups, total } = yield* spend(["month"], filter).pipe(as("OWNER"))
      assert.deepStrictEqual([groups.length, total.expenses, total.amounts.length], [0, 0, 0])
    }).pipe(Effect.provide(reports([], 0)))
  )

  it.effect("is not for members, and not of a period that ends before it begins", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(spend(["month"], filter).pipe(as("MEMBER"))))._tag, "RoleMissing")
      const backwards = { ...filter, from: "2026-02-02", to: "2026-02-01" }
      assert.strictEqual((yield* Effect.flip(spend(["month"], backwards).pipe(as("ADMIN"))))._tag, "InvalidFields")
    }).pipe(Effect.provide(reports([])))
  )
})
