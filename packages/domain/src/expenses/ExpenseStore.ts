import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Reach } from "../organizations/Permissions.ts"
import type { SpendPeriod } from "../policies/PolicyFacts.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Expense } from "./Expense.ts"
import type { ExpenseStatus } from "./ExpenseStatus.ts"

/** Every condition that is given must hold. */
export interface ExpenseFilter {
  readonly statuses?: ReadonlyArray<ExpenseStatus>
  readonly categories?: ReadonlyArray<string>
  /** First and last day, both included. */
  readonly from?: CalendarDate
  readonly to?: CalendarDate
  /** A part of the name, any case. */
  readonly merchant?: string
  readonly currency?: string
  /** Minor units of the base currency, both included. */
  readonly minBaseMinor?: bigint
  readonly maxBaseMinor?: bigint
  readonly userId?: string
  readonly departmentId?: string
  /** A text that merchant, category or description contains, any case. */
  readonly text?: string
}

/** Driven port: the expenses of the caller's organization. `reach` is what the caller's role sees of them. */
export class ExpenseStore extends Context.Service<
  ExpenseStore,
  {
    /** Undefined for what is not there or not within reach. */
    find(id: string, reach: Reach): Effect.Effect<Expense | undefined, Unavailable, Caller>
    /** In a unit of work: the same, and nobody else changes it until the unit ends. */
    lock(id: string, reach: Reach): Effect.Effect<Expense | undefined, Unavailable, Caller>
    /** In a unit of work, in the order of their ids, so that two bulk operations never wait for each other in a circle. */
    lockAll(ids: ReadonlyArray<string>, reach: Reach): Effect.Effect<ReadonlyArray<Expense>, Unavailable, Caller>
    /** Those of them that are within reach, in no order. */
    findAll(ids: ReadonlyArray<string>, reach: Reach): Effect.Effect<ReadonlyArray<Expense>, Unavailable, Caller>
    insert(expense: Expense): Effect.Effect<void, Unavailable, Caller>
    /** Of a locked expense, as the version after the one that is stored. */
    save(expense: Expense): Effect.Effect<void, Unavailable, Caller>
    remove(id: string): Effect.Effect<void, Unavailable, Caller>
    list(filter: ExpenseFilter, reach: Reach, page: PageRequest): Effect.Effect<Page<Expense>, Unavailable, Caller>
    /** Expenses of the same person near this one in date and amount, some tens at most: what might be the same purchase. */
    similar(expense: Expense): Effect.Effect<ReadonlyArray<Expense>, Unavailable, Caller>
    /**
     * In a unit of work: until it ends nobody else's unit passes here for one of these persons and years, so that
     * `spent` stays as it is read (contract section 6). Where a unit needs several, it asks for all of them at once.
     */
    lockSpending(expenses: ReadonlyArray<Pick<Expense, "userId" | "date">>): Effect.Effect<void, Unavailable, Caller>
    /**
     * What the person has spent (PENDING, APPROVED, REIMBURSED; base currency) in the periods of the date, without the
     * expense `except`; for null what was spent for the organization as a whole.
     */
    spent(
      userId: string | null,
      date: CalendarDate,
      except: string
    ): Effect.Effect<Readonly<Record<SpendPeriod, bigint>>, Unavailable, Caller>
  }
>()("@sarraf/domain/expenses/ExpenseStore") {}
