import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { ChallengeOwner } from "./ChallengeTokens.ts"
import type { BuyerStep } from "./Outcome.ts"

/**
 * Forms that carry a card's number and CVC through the buyer's browser, sealed, for a quarter of an hour at most and
 * never in a log or a backup of the database (contract section 4, card data at rest; PCI DSS 4.0, 3.3.2). A crash of the
 * database may lose them, which ends their challenges.
 */
export class ChallengeSteps extends Context.Service<
  ChallengeSteps,
  {
    keep(owner: ChallengeOwner, step: BuyerStep, until: Instant): Effect.Effect<void, Unavailable>
    /** Gives the step out and erases it: of two calls one gets it. Undefined where there is none, or its time is over. */
    take(owner: ChallengeOwner): Effect.Effect<BuyerStep | undefined, Unavailable>
    /** Erases all of which the time is over. */
    sweep: Effect.Effect<void, Unavailable>
  }
>()("@sarraf/domain/payments/ChallengeSteps") {}
