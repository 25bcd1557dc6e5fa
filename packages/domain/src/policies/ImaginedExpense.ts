import { Clock, Effect } from "effect"
import { NotFound } from "../errors/Refusals.ts"
import { unassessed } from "../expenses/CreateExpense.ts"
import type { Expense } from "../expenses/Expense.ts"
import { type ExpenseFields, makeFieldChecks } from "../expenses/ExpenseFields.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import { Caller } from "../organizations/Caller.ts"
import { Members } from "../organizations/Members.ts"

/** An expense that nobody has made, to try policies on. */
export interface ImaginedExpense extends ExpenseFields {
  readonly amount: string
  readonly currency: string
  readonly merchant: string
}

/** Completes it as a draft would be: of the caller, of today, of the person's department. */
export const makeImagination = Effect.gen(function* () {
  const members = yield* Members
  const identifiers = yield* Identifiers
  const checks = yield* makeFieldChecks
  return Effect.fnUntraced(function* (imagined: ImaginedExpense) {
    const caller = yield* Caller
    const amount = yield* checks.values(imagined.amount, imagined.currency, imagined.date)
    yield* checks.references(imagined)
    const userId = imagined.userId ?? caller.userId
    const member = userId === null ? undefined : yield* members.find(userId)
    if (userId !== null && member === undefined)
      return yield* new NotFound({ resource: "member (user_id)", id: userId })
    const at = yield* Clock.currentTimeMillis
    const expense: Expense = {
      ...unassessed,
      id: yield* identifiers.next("exp"),
      version: 1,
      status: "DRAFT",
      amount,
      merchant: imagined.merchant,
      category: imagined.category ?? null,
      description: imagined.description ?? null,
      date: imagined.date ?? (yield* checks.today),
      receiptUrl: imagined.receiptUrl ?? null,
      departmentId: imagined.departmentId ?? member?.departmentId ?? null,
      cardTransactionId: null,
      userId,
      createdBy: caller.name,
      creators: [],
      createdAt: at,
      updatedAt: at
    }
    return expense
  })
})
