import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { ExpenseStatus } from "../expenses/ExpenseStatus.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Reach } from "../organizations/Permissions.ts"
import type { SpendCell, SpendDimension, SpendFilter } from "./Spend.ts"

export interface SpendQuery {
  readonly groupBy: ReadonlyArray<SpendDimension>
  readonly filter: SpendFilter
  /** Groups are ordered by what they come to in it. */
  readonly baseCurrency: string
  readonly groupsMax: number
}

/** A part of a group: its expenses in one currency. */
export interface GroupedCell extends SpendCell {
  /** From 1, the largest first; null beyond `groupsMax`. */
  readonly place: number | null
  /** The group's values in the order of `groupBy`, `2026-01` of a month; null where expenses have none. */
  readonly keys: ReadonlyArray<string | null>
}

export interface GroupedSpend {
  readonly cells: ReadonlyArray<GroupedCell>
  /** How many groups there are, those beyond `groupsMax` included. */
  readonly groups: number
}

/** Expenses of one month, status and currency. */
export interface MonthCell extends SpendCell {
  /** `2026-01`, of the expense's own date. */
  readonly month: string
  readonly status: ExpenseStatus
  /** How many have no receipt. */
  readonly withoutReceipt: number
  /** How many were decided, and the milliseconds from submit to decision of all of them together. */
  readonly decided: number
  readonly decisionMillis: bigint
}

/**
 * Driven port: sums over the expenses of the caller's organization that its reach covers, exact at every moment.
 */
export class SpendStore extends Context.Service<
  SpendStore,
  {
    /** The parts of each group, by place; empty where no expense meets the filter. */
    grouped(query: SpendQuery, reach: Reach): Effect.Effect<GroupedSpend, Unavailable, Caller>
    /** All expenses. */
    months(reach: Reach): Effect.Effect<ReadonlyArray<MonthCell>, Unavailable, Caller>
  }
>()("@sarraf/domain/reports/SpendStore") {}
