import { Clock, Effect } from "effect"
import { ChallengeSteps } from "./ChallengeSteps.ts"
import type { ChallengeOwner } from "./ChallengeTokens.ts"
import { ActionRequired, type BuyerStep, type Outcome, Unknown } from "./Outcome.ts"
import { challengeMillis, lastAttempt, type Payment } from "./Payment.ts"

/** The note under which the issuer's address is kept with the attempt. */
const urlNote = "3ds.url"

export const ownerOf = ({ clientId, id, livemode, organizationId }: Payment): ChallengeOwner => ({
  caller: { organizationId, clientId, livemode },
  paymentId: id
})

/**
 * Keeps the step that the buyer has to take before the challenge is on record: an address with the attempt's notes, a
 * form, which may carry the card's number and CVC, sealed and apart.
 */
export const makeKeepStep = Effect.gen(function* () {
  const steps = yield* ChallengeSteps
  return Effect.fnUntraced(function* (payment: Payment, outcome: Outcome): Effect.fn.Return<Outcome> {
    if (outcome._tag !== "ActionRequired") return outcome
    const { step } = outcome
    // A form in the place of an address leaves that behind.
    const url = step.type === "redirect" ? step.url : ""
    const noted = ActionRequired({ ...outcome, notes: { ...outcome.notes, [urlNote]: url } })
    if (step.type === "redirect") return noted
    const until = payment.challenge?.endsAt ?? (yield* Clock.currentTimeMillis) + challengeMillis
    return yield* steps.keep(ownerOf(payment), step, until).pipe(
      Effect.as(noted),
      // Without its form the challenge cannot be taken; the provider is asked what it knows, which is nothing.
      Effect.catch((error) => Effect.as(Effect.logError("The form of a challenge could not be kept", error), unkept))
    )
  })
})

const unkept = Unknown({ reason: "the form for the buyer could not be kept" })

/**
 * The step of a challenge, once. `again`: it was begun before, so that only a form is given out that is still there, for
 * whoever began it did not get it.
 */
export const makeTakeStep = Effect.gen(function* () {
  const steps = yield* ChallengeSteps
  return (payment: Payment, again: boolean) => {
    const url = lastAttempt(payment)?.notes[urlNote]
    if (!url) return steps.take(ownerOf(payment))
    const step: BuyerStep = { type: "redirect", url }
    return Effect.succeed(again ? undefined : step)
  }
})
