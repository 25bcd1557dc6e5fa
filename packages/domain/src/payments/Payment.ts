import type { Money } from "../money/Money.ts"
import type { RoutingExplanation } from "../routing/Route.ts"
import type { Instant } from "../time/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import type { AuthorizationState } from "./AuthorizationState.ts"
import type { CardSummary } from "./Card.ts"
import type { Operation, PaymentError } from "./Operation.ts"
import type { Sums } from "./Sums.ts"

/** What was asked for: it never changes. */
export interface PaymentRequest {
  /** `txn_…` */
  readonly id: string
  readonly organizationId: string
  readonly clientId: string
  readonly merchantReference: string
  /** HMAC of the request's content without the CVC: tells "the same again" from "another under the same reference". */
  readonly contentFingerprint: string
  readonly livemode: boolean
  readonly money: Money
  readonly installment: number
  readonly is3DS: boolean
  /** Where the buyer's browser goes after 3D Secure; null: our own page tells how it ended. */
  readonly returnUrl: string | null
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly card: CardSummary
  readonly routing: RoutingExplanation
  readonly createdAt: Instant
}

/** The buyer is with the issuer, or was. */
export interface ChallengeState {
  /** From when on the buyer is no longer waited for. */
  readonly endsAt: Instant
  /** When the hosted page sent the buyer on; null while it has not. */
  readonly begunAt: Instant | null
  /** Who ended it; null while it lasts. */
  readonly endedBy: "buyer" | "timeout" | null
}

/** How long a challenge lives, in milliseconds (contract section 4, 3DS). */
export const challengeMillis = 15 * 60_000

/** A payment as its events make it (`PaymentEvent.apply`). The tables hold the same. */
export interface Payment extends PaymentRequest {
  readonly authorization: AuthorizationState
  readonly sums: Sums
  /** The authorization ran out before all of it was captured. */
  readonly lapsed: boolean
  readonly error: PaymentError | null
  readonly attempts: ReadonlyArray<Attempt>
  readonly operations: ReadonlyArray<Operation>
  /** Null where nobody was sent to the issuer. */
  readonly challenge: ChallengeState | null
  /** Why a person has to look at it; null: nobody has to. */
  readonly needsReview: string | null
  readonly expiresAt: Instant | null
  readonly updatedAt: Instant
  /** The number of its last event; every change is a compare-and-set on it. */
  readonly version: number
}

/** The attempt that stands for the payment: the last one. */
export const lastAttempt = (payment: Payment): Attempt | undefined => payment.attempts.at(-1)

/** The operation that is under way or whose outcome is not known yet. A deferred refund is neither. */
export const openOperation = (payment: Payment): Operation | undefined =>
  payment.operations.find(({ availableFrom, status }) => status === "PENDING" && availableFrom === null)
