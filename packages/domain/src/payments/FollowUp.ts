import type { Instant } from "../time/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import { isUnderWay, type Operation } from "./Operation.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
import { statusOf } from "./PaymentStatus.ts"
import { capturable } from "./Sums.ts"

/**
 * When to look at a payment next. `open`: its outcome, or an operation's, is not known. `late`: it has ended, and an
 * approval that nobody knew of may still be found.
 */
export interface FollowUp {
  readonly at: Instant
  readonly kind: "open" | "late"
  /** Questions that settled nothing, or count as such: all of the schedule's for what a person has to look at. */
  readonly tries: number
}

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Contract section 4, unknown outcomes. The last is repeated for what stays open, and needs a person then. */
const pauses = {
  open: [5 * seconds, 15 * seconds, 1 * minutes, 5 * minutes, 1 * hours, 6 * hours, 24 * hours],
  late: [5 * minutes, 1 * hours, 24 * hours]
} as const

/** How often is asked what a person has to look at. */
export const reviewMillis = 24 * hours

/** How long to wait after a question that settled nothing, as `tries` did before it; null: there is nothing more to ask. */
export const pauseAfter = (kind: FollowUp["kind"], tries: number): number | null =>
  pauses[kind][tries + 1] ?? (kind === "open" ? reviewMillis : null)

/** From the payment's last change to the last question of the schedule. */
const scheduleMillis = pauses.open.reduce((sum, pause) => sum + pause, 0)
/** So often is asked at least before a person has to look, where no process ran while the schedule's time went by. */
const questionsMin = 4

/**
 * Whether the time of the schedule has gone by, so that a person has to look. It is the time that counts: questions are
 * brought forward, and the schedule begins anew, whenever a process starts or the provider answers again.
 */
export const isExhausted = (payment: Payment, { kind, tries }: Omit<FollowUp, "at">, now: Instant): boolean => {
  const { expiresAt, updatedAt } = payment
  const since = expiresAt !== null && expiresAt <= now ? Math.max(updatedAt, expiresAt) : updatedAt
  return kind === "open" && tries + 1 >= questionsMin && now - since >= scheduleMillis
}

/**
 * Attempts of which an approval must not stand: the payment has ended without money, or another attempt was accepted.
 * One that is being taken back stays among them until it is, however it came to be known.
 */
export const unwantedAttempts = (payment: Payment): ReadonlyArray<Attempt> => {
  const status = statusOf(payment)
  if (status === "PENDING" || status === "REQUIRES_ACTION") return []
  const standing = payment.sums.authorized > 0n ? lastAttempt(payment)?.number : undefined
  return payment.attempts.filter(
    ({ isDoubtful, number, reversal }) =>
      number !== standing && (reversal === "BEGUN" || (isDoubtful && reversal === null))
  )
}

const isOpen = ({ authorization }: Payment): boolean =>
  authorization === "PENDING" || authorization === "REQUIRES_ACTION"

/** An operation that nobody is at work on and whose outcome is not known. */
const abandonedOperation = (payment: Payment, now: Instant): Operation | undefined => {
  const open = openOperation(payment)
  return open === undefined || isUnderWay(open, now) ? undefined : open
}

/** What is to be found out about a payment now. */
export type Question =
  | { readonly _tag: "Nothing" }
  /** Somebody is at work on it, or the buyer is with the issuer. */
  | { readonly _tag: "Wait"; readonly until: Instant }
  | { readonly _tag: "EndChallenge"; readonly attempt: Attempt }
  | { readonly _tag: "Authorization"; readonly attempt: Attempt }
  | { readonly _tag: "Operation"; readonly attempt: Attempt; readonly operation: Operation }
  | { readonly _tag: "Expiry"; readonly attempt: Attempt }
  | { readonly _tag: "Unwanted"; readonly attempts: ReadonlyArray<Attempt> }

const nothing: Question = { _tag: "Nothing" }

/** The question that the reconciler has about a payment; one at a time, the payment's own outcome first. */
export const questionOf = (payment: Payment, now: Instant): Question => {
  const attempt = lastAttempt(payment)
  if (attempt === undefined) return nothing
  const open = openOperation(payment)
  if (payment.authorization === "REQUIRES_ACTION" && open === undefined) {
    const endsAt = payment.challenge?.endsAt ?? now
    return endsAt > now ? { _tag: "Wait", until: endsAt } : { _tag: "EndChallenge", attempt }
  }
  if (open !== undefined && isUnderWay(open, now)) return { _tag: "Wait", until: open.deadline ?? now }
  if (isOpen(payment)) {
    return attempt.outcome === "RUNNING" && attempt.deadline > now
      ? { _tag: "Wait", until: attempt.deadline }
      : { _tag: "Authorization", attempt }
  }
  const operation = abandonedOperation(payment, now)
  if (operation !== undefined) return { _tag: "Operation", attempt, operation }
  const isOver = payment.expiresAt !== null && payment.expiresAt <= now
  if (payment.authorization === "AUTHORIZED" && isOver && capturable(payment.sums) > 0n)
    return { _tag: "Expiry", attempt }
  const attempts = unwantedAttempts(payment)
  return attempts.length > 0 ? { _tag: "Unwanted", attempts } : nothing
}

const soon = (now: Instant): FollowUp => ({ at: now + pauses.open[0], kind: "open", tries: 0 })

/** A person has to look at it; until then the provider is asked once a day. */
const daily = (now: Instant): FollowUp => ({ at: now + reviewMillis, kind: "open", tries: pauses.open.length })

/** When to look at a payment; null: never, as far as is known now, or found by its deadline. */
const dueAt = (payment: Payment, now: Instant): FollowUp | null => {
  const question = questionOf(payment, now)
  switch (question._tag) {
    case "Nothing":
      return payment.needsReview === null ? null : daily(now)
    case "Wait": {
      // Others are found by their deadline, and cost no row.
      const hasTime = payment.needsReview !== null || (payment.challenge !== null && isOpen(payment))
      return hasTime ? { at: question.until, kind: "open", tries: 0 } : null
    }
    case "Unwanted": {
      const isBegun = question.attempts.some(({ reversal }) => reversal === "BEGUN")
      return isBegun ? soon(now) : { at: now + pauses.late[0], kind: "late", tries: 0 }
    }
    default:
      return soon(now)
  }
}

/**
 * When to look at a payment that has just been committed; null: it has no such time, and had none before. What a crash
 * leaves behind, and what expires, is found by its deadline, unless a time of before hid it: so a payment that had one
 * gets a new one, at which it is seen that there is nothing to ask any more.
 */
export const followUpOf = (before: Payment, after: Payment): FollowUp | null => {
  const now = after.updatedAt
  const question = questionOf(after, now)
  const waited: FollowUp | null = question._tag === "Wait" ? { at: question.until, kind: "open", tries: 0 } : null
  if (after.needsReview !== null && after.needsReview !== before.needsReview) return waited ?? daily(now)
  const due = dueAt(after, now)
  return due !== null || dueAt(before, now) === null ? due : (waited ?? { at: now, kind: "open", tries: 0 })
}
