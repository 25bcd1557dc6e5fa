import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { type Health, ProviderHealth } from "@sarraf/domain/routing/ProviderHealth"
import { Duration, Effect, Exit, Layer, Metric, Schedule } from "effect"
import { CircuitBreaker } from "effect/persistence"

/** Opens when half of the last twenty calls failed, ten at least, for 15 s; failing again doubles that up to 2 min. */
const tripPolicy = CircuitBreaker.rate({ threshold: 0.5, size: 20, minimumCalls: 10 })
const openDuration = Schedule.min([Schedule.exponential("15 seconds"), Schedule.spaced("2 minutes")])

/** Exported with the prefix `sarraf_`. */
const healthGauge = Metric.gauge("provider_health", {
  description: "Whether a provider answers: 0 it does, 1 it failed and is being tried again, 2 it fails too often."
})

const gaugeValue: Readonly<Record<Health, number>> = { closed: 0, halfOpen: 1, open: 2 }

const healthOf = (state: CircuitBreaker.State): Health => {
  if (state._tag === "Closed") return "closed"
  // The breaker itself leaves `Open` at its next call; routing has to know before, since it decides who gets that call.
  return state._tag === "Open" && Duration.toMillis(state.retryAfter) > 0 ? "open" : "halfOpen"
}

/**
 * Health of the providers by a circuit breaker each, in the memory of this process: every process learns by its own
 * calls. What is recorded while a breaker is open changes nothing; the first answer after that closes it.
 */
export const layer = Layer.effect(
  ProviderHealth,
  Effect.gen(function* () {
    const breaker = yield* CircuitBreaker.make({ tripPolicy, openDuration })
    /** The last health that was seen of each provider that was not well at some time. */
    const seen = new Map<string, Health>()

    const look = Effect.fnUntraced(function* (provider: string) {
      const health = healthOf(yield* Effect.orDie(breaker.state(provider)))
      if (health !== (seen.get(provider) ?? "closed")) {
        seen.set(provider, health)
        yield* Metric.update(Metric.withAttributes(healthGauge, { provider }), gaugeValue[health])
      }
      return [provider, health] as const
    })

    const recordTo = (provider: string, result: Effect.Effect<void, "failed">) =>
      Effect.andThen(Effect.ignore(breaker.execute(result, { key: provider })), look(provider))

    return ProviderHealth.of({
      snapshot: Effect.map(
        Effect.suspend(() => Effect.forEach(seen.keys(), look)),
        (healths) => new Map(healths)
      ),
      record: (provider, outcome) =>
        Effect.asVoid(recordTo(provider, outcome === "answered" ? Effect.void : Effect.fail("failed" as const)))
    })
  })
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

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
