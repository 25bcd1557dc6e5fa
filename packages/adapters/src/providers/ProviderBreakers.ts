import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { type Health, ProviderHealth } from "@sarraf/domain/routing/ProviderHealth"
import { Clock, Effect, Exit, Layer, Metric } from "effect"
import { afterCall, type Breaker, healthAt } from "./Breaker.ts"

/** Exported with the prefix `sarraf_`. */
const healthGauge = Metric.gauge("provider_health", {
  description: "Whether a provider answers: 0 it does, 1 it failed and is being tried again, 2 it fails too often."
})

const gaugeValue: Readonly<Record<Health, number>> = { closed: 0, halfOpen: 1, open: 2 }

/**
 * Health of the providers by a circuit breaker each, in the memory of this process: every process learns by its own
 * calls.
 */
export const layer = Layer.sync(ProviderHealth, () => {
  const breakers = new Map<string, Breaker>()
  /** The last health that was seen of each provider that was not well at some time. */
  const seen = new Map<string, Health>()

  const show = (provider: string, health: Health): Effect.Effect<void> => {
    if (health === (seen.get(provider) ?? "closed")) return Effect.void
    seen.set(provider, health)
    return Metric.update(Metric.withAttributes(healthGauge, { provider }), gaugeValue[health])
  }

  return ProviderHealth.of({
    snapshot: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const healths = new Map([...seen.keys()].map((provider) => [provider, healthAt(breakers.get(provider), now)]))
      return healths.size === 0
        ? Effect.succeed(healths)
        : Effect.as(
            Effect.forEach(healths, ([provider, health]) => show(provider, health), { discard: true }),
            healths
          )
    }),
    record: (provider, outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const breaker = afterCall(breakers.get(provider), outcome === "failed", now)
        breakers.set(provider, breaker)
        return show(provider, healthAt(breaker, now))
      })
  })
})

/** A call that nobody waited for any longer, and an adapter that died, have failed like a lost answer. */
const isAnswered = (exit: Exit.Exit<Outcome>): boolean =>
  Exit.isSuccess(exit) && exit.value._tag !== "NotSent" && exit.value._tag !== "Unknown"

/**
 * The provider, with every call that may move money recorded by what came of it. Queries are not: one lost payment is
 * asked about ten times in a request, so it alone would open a breaker, and a provider that answers queries while every
 * authorization is lost would look well.
 */
export const withHealth = (provider: PaymentProvider, health: ProviderHealth): PaymentProvider => {
  const watched =
    <Call>(operation: (call: Call) => Effect.Effect<Outcome>) =>
    (call: Call): Effect.Effect<Outcome> =>
      Effect.suspend(() => operation(call)).pipe(
        Effect.onExit((exit) => health.record(provider.id, isAnswered(exit) ? "answered" : "failed"))
      )
  const { authorize, cancel, capture, refund, threeDS, voidCapture } = provider
  return {
    ...provider,
    authorize: watched(authorize),
    capture: watched(capture),
    refund: watched(refund),
    cancel: watched(cancel),
    ...(voidCapture === undefined ? {} : { voidCapture: watched(voidCapture) }),
    ...(threeDS === undefined ? {} : { threeDS: { ...threeDS, complete: watched(threeDS.complete) } })
  }
}

/** The installation's providers, each with its calls recorded. */
export const layerWatched = Layer.effect(
  PaymentProviders,
  Effect.gen(function* () {
    const providers = yield* PaymentProviders
    const health = yield* ProviderHealth
    return new Map([...providers].map(([id, provider]) => [id, withHealth(provider, health)]))
  })
)
