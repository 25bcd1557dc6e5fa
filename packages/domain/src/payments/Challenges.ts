import { Context, type Effect, Schema } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { BuyerStep } from "./Outcome.ts"
import type { Payment } from "./Payment.ts"

/** There is no such token, or no challenge behind it. */
export class ChallengeNotFound extends Schema.TaggedError<ChallengeNotFound>()("ChallengeNotFound", {}) {}

/** A challenge as its hosted page shows it. */
export interface Challenge {
  readonly payment: Payment
  /** `open`: the buyer may go on. `begun`: the buyer has gone on to the issuer. `over`: nothing can be done with it. */
  readonly stage: "open" | "begun" | "over"
  /** A quarter of an hour after the payment asked for it. */
  readonly endsAt: Instant
}

/** How the buyer came back. */
export interface BuyerReturn {
  /** Query and form fields together. */
  readonly returned: Readonly<Record<string, string>>
  readonly buyerIp?: string
  readonly requestId: string
}

/** Driving port of 3D Secure's hosted pages (contract section 4, 3DS). */
export class Challenges extends Context.Service<
  Challenges,
  {
    find(token: string): Effect.Effect<Challenge, ChallengeNotFound | Unavailable>
    /** Sends the buyer on to the issuer, once; undefined where that has been done, or the challenge is over. */
    proceed(token: string, requestId: string): Effect.Effect<BuyerStep | undefined, ChallengeNotFound | Unavailable>
    /**
     * Finishes the payment with what the buyer brought back, and answers how it stands. What is forged, comes twice or
     * comes too late changes nothing.
     */
    comeBack(token: string, back: BuyerReturn): Effect.Effect<Payment, ChallengeNotFound | Unavailable>
  }
>()("@sarraf/domain/payments/Challenges") {}
