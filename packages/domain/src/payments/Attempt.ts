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
  /** When something was last sent that may have authorized it: its absence is proven by the time from here on. */
  readonly sentAt: Instant
  /** Until when the process that began it may still be at work. */
  readonly deadline: Instant
  /** The fields that the request lacked and the provider's sheet has a stand-in for; absent where there are none. */
  readonly standIns?: ReadonlyArray<string>
  readonly completedAt: Instant | null
  readonly outcome: AttemptOutcome
  readonly providerReference: string | null
  readonly responseCode: string | null
  readonly fields: Readonly<Record<string, string>>
  readonly notes: Readonly<Record<string, string>>
  readonly detail: string | null
  /** It was Unknown, Pending or in 3D Secure at some time, so that an approval may be found later. */
  readonly isDoubtful: boolean
  /** An approval that must not stand is taken back: from BEGUN on the attempt ends VOIDED or FAILED only. */
  readonly reversal: "BEGUN" | "DONE" | null
}

/** What the end of a call adds to an attempt. */
export type AttemptResult = Pick<
  Attempt,
  | "number"
  | "completedAt"
  | "outcome"
  | "providerReference"
  | "responseCode"
  | "fields"
  | "notes"
  | "detail"
  | "isDoubtful"
>
