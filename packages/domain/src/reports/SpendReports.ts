import { Array as Arrays, Context, Effect, Layer } from "effect"
import { InvalidFields } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { Members } from "../organizations/Members.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { type SpendDimension, type SpendFilter, type SpendTally, spendGroupsMax, tallyOf } from "./Spend.ts"
import { type GroupedCell, SpendStore } from "./SpendStore.ts"

/** One line of a report. */
export interface SpendGroup extends SpendTally {
  /** By dimension, `{ category: "Meals" }`; null for expenses without one. */
  readonly key: Readonly<Partial<Record<SpendDimension, string | null>>>
  /** For people: names instead of ids, `Ada Lovelace / Meals`. */
  readonly label: string
}

export interface SpendReport {
  readonly baseCurrency: string
  readonly groupBy: ReadonlyArray<SpendDimension>
  readonly filter: SpendFilter
  /** The largest first, as many as are shown at most. */
  readonly groups: ReadonlyArray<SpendGroup>
  /** What the groups beyond come to; null where there are none. */
  readonly other: (SpendTally & { readonly groups: number }) | null
  readonly total: SpendTally
}

/** What stands for expenses without a value. */
const missing = {
  category: "No category",
  merchant: "No merchant",
  user: "No person",
  department: "No department",
  month: "No month",
  currency: "No currency"
} as const satisfies Record<SpendDimension, string>

type Names = Readonly<Partial<Record<SpendDimension, ReadonlyMap<string, string>>>>

const labelOf = (groupBy: ReadonlyArray<SpendDimension>, keys: ReadonlyArray<string | null>, names: Names): string =>
  groupBy
    .map((dimension, index) => {
      const key = keys[index] ?? null
      return key === null ? missing[dimension] : (names[dimension]?.get(key) ?? key)
    })
    .join(" / ")

/** Cells of a group stand together. */
const groupsOf = (cells: ReadonlyArray<GroupedCell>): ReadonlyArray<Arrays.NonEmptyReadonlyArray<GroupedCell>> =>
  Arrays.isReadonlyArrayNonEmpty(cells) ? Arrays.groupWith(cells, (one, other) => one.place === other.place) : []

/** Driving port: what an organization spent, grouped. */
export class SpendReports extends Context.Service<
  SpendReports,
  {
    /** By one dimension or two. `InvalidFields` where the period ends before it begins. */
    spend(
      groupBy: ReadonlyArray<SpendDimension>,
      filter: SpendFilter,
      /** How many groups are shown, `spendGroupsMax` where it is not said. */
      groupsMax?: number
    ): Effect.Effect<SpendReport, RoleMissing | InvalidFields | Unavailable, Caller>
  }
>()("@sarraf/domain/reports/SpendReports") {
  static readonly layer: Layer.Layer<SpendReports, never, SpendStore | Organizations | Members> = Layer.effect(
    SpendReports,
    Effect.gen(function* () {
      const store = yield* SpendStore
      const organizations = yield* Organizations
      const members = yield* Members

      const namesFor = Effect.fnUntraced(function* (groupBy: ReadonlyArray<SpendDimension>) {
        const people = groupBy.includes("user") ? yield* members.all : []
        const departments = groupBy.includes("department") ? yield* members.departments : []
        return {
          user: new Map(people.map(({ name, userId }) => [userId, name])),
          department: new Map(departments.map(({ id, name }) => [id, name]))
        }
      })

      return SpendReports.of({
        spend: Effect.fn("SpendReports.spend")(function* (groupBy, filter, groupsMax = spendGroupsMax) {
          const { reach } = yield* permitted("report.read")
          if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to) {
            return yield* new InvalidFields({ faults: [{ path: "to", message: "must not be before from" }] })
          }
          const { baseCurrency } = yield* organizations.current
          const query = { groupBy, filter, baseCurrency, groupsMax }
          const { cells, groups } = yield* store.grouped(query, reach)
          const names = yield* namesFor(groupBy)
          const beyond = cells.filter(({ place }) => place === null)
          const shown = cells.filter(({ place }) => place !== null)
          return {
            baseCurrency,
            groupBy,
            filter,
            groups: groupsOf(shown).map((parts) => ({
              key: Object.fromEntries(groupBy.map((dimension, index) => [dimension, parts[0].keys[index] ?? null])),
              label: labelOf(groupBy, parts[0].keys, names),
              ...tallyOf(parts, baseCurrency)
            })),
            other: beyond.length === 0 ? null : { groups: groups - groupsMax, ...tallyOf(beyond, baseCurrency) },
            total: tallyOf(cells, baseCurrency)
          }
        })
      })
    })
  )
}
