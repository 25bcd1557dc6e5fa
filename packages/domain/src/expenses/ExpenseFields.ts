import { DateTime, Effect, Result } from "effect"
import { CardTransactionLookup } from "../cards/CardTransactionLookup.ts"
import { Forbidden, InvalidFields, NotFound } from "../errors/Refusals.ts"
import { exponentOf } from "../money/Currency.ts"
import { type DecimalFault, fromDecimal, type Money } from "../money/Money.ts"
import { Caller } from "../organizations/Caller.ts"
import { Members } from "../organizations/Members.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { countsAs, reachOf } from "../organizations/Permissions.ts"
import { Receipts } from "../receipts/Receipts.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"

/** What people say of an expense when they enter or change it. Undefined: not said; null: that there is none. */
export interface ExpenseFields {
  /** A decimal in major units, `149.90`. */
  readonly amount?: string | undefined
  /** ISO 4217. */
  readonly currency?: string | undefined
  readonly merchant?: string | undefined
  readonly category?: string | null | undefined
  readonly description?: string | null | undefined
  readonly date?: CalendarDate | undefined
  readonly receiptUrl?: string | null | undefined
  readonly departmentId?: string | null | undefined
  readonly cardTransactionId?: string | null | undefined
  readonly userId?: string | undefined
}

type References = Pick<ExpenseFields, "cardTransactionId" | "departmentId">

interface Fault {
  readonly path: string
  readonly message: string
}

const amountMessage = (fault: DecimalFault, currency: string): string => {
  if (fault !== "more decimals than the currency has") return `must be an amount of money: this is ${fault}`
  const exponent = exponentOf(currency)
  return `must have at most ${exponent} decimal${exponent === 1 ? "" : "s"} in ${currency}`
}

/** Whether the caller enters expenses for others: an administrator, or a key, which acts for the organization. */
const actsForOthers = ({ kind, role }: Caller["Service"]): boolean => kind !== "user" || countsAs(role, ["ADMIN"])

/** How fields are checked against what there is: dates against the calendar of the organization, ids against its people. */
export const makeFieldChecks = Effect.gen(function* () {
  const members = yield* Members
  const organizations = yield* Organizations

  /** `2026-01-31` where the organization is, so many days from today. */
  const dayFromToday = Effect.fnUntraced(function* (days: number) {
    const { timezone } = yield* organizations.current
    const now = yield* DateTime.now
    return DateTime.formatIsoDate(DateTime.setZoneNamedUnsafe(DateTime.add(now, { days }), timezone))
  })

  const dateFault = Effect.fnUntraced(function* (date: CalendarDate | undefined) {
    const latest = date === undefined ? undefined : yield* dayFromToday(1)
    return date !== undefined && latest !== undefined && date > latest
      ? [{ path: "date", message: `must not be later than ${latest}, one day after today` }]
      : []
  })

  return {
    today: dayFromToday(0),
    /** The amount and the date, with every fault of both (`InvalidFields`). */
    values: Effect.fnUntraced(function* (amount: string, currency: string, date: CalendarDate | undefined) {
      const money = fromDecimal(currency, amount)
      const amountFault = Result.match(money, {
        onFailure: (fault) => amountMessage(fault, currency),
        onSuccess: ({ minor }) => (minor > 0n ? undefined : "must be above 0")
      })
      const faults: ReadonlyArray<Fault> = [
        ...(amountFault === undefined ? [] : [{ path: "amount", message: amountFault }]),
        ...(yield* dateFault(date))
      ]
      if (faults.length > 0) return yield* new InvalidFields({ faults })
      return Result.getOrThrow(money) satisfies Money
    }),
    /** The person it is entered for: another one only by an administrator or a key, and only an active member. */
    person: Effect.fnUntraced(function* (userId: string) {
      const caller = yield* Caller
      if (userId !== caller.userId && !actsForOthers(caller)) {
        return yield* new Forbidden({
          reason: "Only an ADMIN, an OWNER or an API key enters expenses for somebody else: leave user_id out."
        })
      }
      const member = yield* members.find(userId)
      if (member?.status !== "ACTIVE") return yield* new NotFound({ resource: "active member (user_id)", id: userId })
      return member
    }),
    /** Ids that must be the organization's own. */
    references: Effect.fnUntraced(function* ({ departmentId }: Pick<References, "departmentId">) {
      if (departmentId != null && !(yield* members.holdDepartment(departmentId))) {
        return yield* new NotFound({ resource: "department (department_id)", id: departmentId })
      }
    })
  }
})

/** The same for what is kept: a card transaction, and a receipt of ours, must be within the caller's reach as well. */
export const makeEntryChecks = Effect.gen(function* () {
  const checks = yield* makeFieldChecks
  const receipts = yield* Receipts
  const cardTransactions = yield* CardTransactionLookup

  const isMissing = Effect.fnUntraced(function* (cardTransactionId: string) {
    const reach = reachOf((yield* Caller).role, "card.read")
    return reach === undefined || !(yield* cardTransactions.exists(cardTransactionId, reach))
  })

  return {
    ...checks,
    references: Effect.fnUntraced(function* (fields: References & Pick<ExpenseFields, "receiptUrl">) {
      yield* checks.references(fields)
      const { cardTransactionId } = fields
      if (cardTransactionId != null && (yield* isMissing(cardTransactionId))) {
        return yield* new NotFound({ resource: "card transaction (card_transaction_id)", id: cardTransactionId })
      }
      if (fields.receiptUrl != null && (yield* receipts.isMissing(fields.receiptUrl))) {
        return yield* new NotFound({ resource: "receipt (receipt_url)", id: fields.receiptUrl })
      }
    })
  }
})
export type EntryChecks = Effect.Success<typeof makeEntryChecks>
