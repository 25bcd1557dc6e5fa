import { ChallengeSteps } from "@sarraf/domain/payments/ChallengeSteps"
import { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import { Clock, Effect, Layer } from "effect"

const base = "https://gateway.test/pf/v1/3ds/"

/** Tokens that can be read, which no real one can. */
export const tokens = Layer.succeed(
  ChallengeTokens,
  ChallengeTokens.of({
    urlOf: ({ caller: { clientId, livemode, organizationId }, paymentId }) =>
      `${base}${[organizationId, clientId, livemode, paymentId].join("~")}`,
    read: (token) => {
      const [organizationId, clientId, livemode, paymentId] = token.split("~")
      return organizationId === undefined || clientId === undefined || paymentId === undefined
        ? undefined
        : { caller: { organizationId, clientId, livemode: livemode === "true" }, paymentId }
    }
  })
)

/** The token in a page's address. */
export const tokenIn = (url: string): string => url.replace(base, "").replace(/\/return$/u, "")

export const steps = Layer.sync(ChallengeSteps, () => {
  const kept = new Map<string, { readonly step: BuyerStep; readonly until: number }>()
  return ChallengeSteps.of({
    keep: ({ paymentId }, step, until) => Effect.sync(() => void kept.set(paymentId, { step, until })),
    take: ({ paymentId }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = kept.get(paymentId)
        kept.delete(paymentId)
        return found !== undefined && found.until > now ? found.step : undefined
      }),
    sweep: Effect.void
  })
})
