import { Clock, Effect } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { NotFound, VersionConflict } from "../errors/Refusals.ts"
import { EventLog, type EventType } from "../events/EventLog.ts"
import { type Action, permitted } from "../organizations/Permissions.ts"
import type { Expense } from "./Expense.ts"
import { changedFields, expenseDocument } from "./ExpenseDocument.ts"
import { ExpenseStore } from "./ExpenseStore.ts"

/** The versions that a command is meant for; undefined: whichever is present. */
export type ExpectedVersions = ReadonlyArray<number> | undefined

/** What happened, for the audit trail and, where it is one of the eleven events, for receivers of webhooks. */
export interface Happened {
  readonly action: string
  readonly event?: EventType
  readonly detail?: Readonly<Record<string, unknown>>
}

/** `VersionConflict` where the expense is not one of these versions. */
export const requireVersion = (
  { version }: Expense,
  expected: ExpectedVersions
): Effect.Effect<void, VersionConflict> =>
  expected === undefined || expected.includes(version)
    ? Effect.void
    : Effect.fail(new VersionConflict({ present: version }))

/** How expenses are taken hold of, and how a change is kept: the row, its audit entry and its event. For units of work. */
export const makeExpenseRecords = Effect.gen(function* () {
  const store = yield* ExpenseStore
  const audit = yield* AuditTrail
  const events = yield* EventLog

  /** The version after `before`, told to the audit trail and to receivers, but not stored yet. */
  const tell = Effect.fnUntraced(function* (before: Expense, after: Expense, { action, detail, event }: Happened) {
    const told = { ...after, version: before.version + 1, updatedAt: yield* Clock.currentTimeMillis }
    const changed = changedFields(before, told)
    yield* audit.append({
      action,
      subject: { type: "expense", id: told.id },
      ...changed,
      ...(detail === undefined ? {} : { detail })
    })
    if (event !== undefined) {
      const object = expenseDocument(told)
      yield* events.append({ type: event, objectId: told.id, object, previous: changed.before })
    }
    return told
  })

  return {
    tell,
    /** The same, and stored. */
    keep: (before: Expense, after: Expense, happened: Happened) =>
      Effect.tap(tell(before, after, happened), store.save),
    /** An expense within the caller's reach with this action, which nobody else changes until the unit of work ends. */
    lock: Effect.fnUntraced(function* (id: string, action: Action, expected: ExpectedVersions) {
      const { caller, reach } = yield* permitted(action)
      const expense = yield* store.lock(id, reach)
      if (expense === undefined) return yield* new NotFound({ resource: "expense", id })
      yield* requireVersion(expense, expected)
      return { caller, expense }
    })
  }
})
export type ExpenseRecords = Effect.Success<typeof makeExpenseRecords>
