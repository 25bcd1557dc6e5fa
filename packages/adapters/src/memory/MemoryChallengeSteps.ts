import { ChallengeSteps } from "@sarraf/domain/payments/ChallengeSteps"
import type { ChallengeOwner } from "@sarraf/domain/payments/ChallengeTokens"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Clock, Effect, Layer } from "effect"

interface KeptStep {
  readonly step: BuyerStep
  readonly until: Instant
}

const placeOf = ({ caller: { organizationId }, paymentId }: ChallengeOwner) => `${organizationId} ${paymentId}`

/** Forms of 3D Secure in this process. They are `Redacted` here too, and nothing but `take` reads them. */
export const layer: Layer.Layer<ChallengeSteps> = Layer.sync(ChallengeSteps, () => {
  const kept = new Map<string, KeptStep>()
  return ChallengeSteps.of({
    keep: (owner, step, until) => Effect.sync(() => void kept.set(placeOf(owner), { step, until })),
    take: (owner) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = kept.get(placeOf(owner))
        kept.delete(placeOf(owner))
        return found !== undefined && found.until > now ? found.step : undefined
      }),
    sweep: Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [place, { until }] of kept) if (until <= now) kept.delete(place)
    })
  })
})
