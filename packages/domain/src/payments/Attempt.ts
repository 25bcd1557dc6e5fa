import type { Instant } from "../time/Instant.ts"
import type { Outcome } from "./Outcome.ts"

/** `RUNNING` until the outcome is committed; then the outcome's name. */
export type AttemptOutcome = "RUNNING" | Outcome["_tag"]

/** One try to authorize at one provider. Committed before a byte goes out. */
export interface Attempt {
  readonly number: number
  readonly provider: string
  readonly reference: string
  readonly startedAt: Instant
  /** Until when the process that began it may still be at work. */
  readonly deadline: Instant
  readonly completedAt: Instant | null
  readonly outcome: AttemptOutcome
  readonly providerReference: string | null
  readonly responseCode: string | null
  readonly fields: Readonly<Record<string, string>>
  readonly notes: Readonly<Record<string, string>>
  readonly detail: string | null
}

/** What the end of a call adds to an attempt. */
export type AttemptResult = Pick<
  Attempt,
  "number" | "completedAt" | "outcome" | "providerReference" | "responseCode" | "fields" | "notes" | "detail"
>
