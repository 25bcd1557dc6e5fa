import { assert, describe, it } from "@effect/vitest"
import * as ProviderBreakers from "@sarraf/adapters/providers/ProviderBreakers"
import { NotSent, type Outcome, Pending, Unknown } from "@sarraf/domain/payments/Outcome"
import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { type Health, ProviderHealth } from "@sarraf/domain/routing/ProviderHealth"
import { DateTime, Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { accepted } from "../../domain/payments/support/SamplePayment.ts"
import { absent, declined, scriptedProvider, unanswered } from "../../domain/payments/support/ScriptedProvider.ts"

/** Breakers of a process of its own, in a registry of metrics of its own. */
const withBreakers = <A, E>(test: (health: ProviderHealth) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    return yield* test(yield* ProviderHealth)
  }).pipe(Effect.provide(Layer.fresh(ProviderBreakers.layer)), Effect.provideService(Metric.MetricRegistry, new Map()))

const times = (count: number, effect: Effect.Effect<void>) =>
  Effect.forEach(Array.from({ length: count }), () => effect, { discard: true })

const healthOf = (health: ProviderHealth, provider = "isbank") =>
  Effect.map(health.snapshot, (snapshot): Health => snapshot.get(provider) ?? "closed")

describe("A provider's breaker", () => {
  const answers = (health: ProviderHealth, count: number) => times(count, health.record("isbank", "answered"))
  const fails = (health: ProviderHealth, count: number) => times(count, health.record("isbank", "failed"))

  it.effect("stays closed until ten calls are known, and opens when half of them failed", () =>
    withBreakers((health) =>
      Effect.gen(function* () {
        yield* fails(health, 9)
        assert.strictEqual(yield* healthOf(health), "closed")
        yield* fails(health, 1)
        assert.strictEqual(yield* healthOf(health), "open")
        assert.strictEqual(yield* healthOf(health, "stripe"), "closed")
      })
    )
  )

  it.effect("looks at the last twenty calls", () =>
    withBreakers((health) =>
      Effect.gen(function* () {
        yield* answers(health, 100)
        yield* fails(health, 9)
        assert.strictEqual(yield* healthOf(health), "closed")
        yield* fails(health, 1)
        assert.strictEqual(yield* healthOf(health), "open")
      })
    )
  )

  it.effect("is half open after 15 seconds, and closed by one answer", () =>
    withBreakers((health) =>
      Effect.gen(function* () {
        yield* fails(health, 10)
        yield* TestClock.adjust("14999 millis")
        assert.strictEqual(yield* healthOf(health), "open")
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* healthOf(health), "halfOpen")
        yield* answers(health, 1)
        assert.strictEqual(yield* healthOf(health), "closed")
      })
    )
  )

  it.effect("takes no answer while it is open", () =>
    withBreakers((health) =>
      Effect.gen(function* () {
        yield* fails(health, 10)
        yield* answers(health, 100)
        assert.strictEqual(yield* healthOf(health), "open")
      })
    )
  )

  it.effect("opens for twice as long each time it fails again, two minutes at most", () =>
    withBreakers((health) =>
      Effect.gen(function* () {
        yield* fails(health, 10)
        for (const seconds of [15, 30, 60, 120, 120]) {
          yield* TestClock.adjust(`${seconds * 1_000 - 1} millis`)
          assert.strictEqual(yield* healthOf(health), "open", `${seconds}`)
          yield* TestClock.adjust("1 millis")
          assert.strictEqual(yield* healthOf(health), "halfOpen", `${seconds}`)
          yield* fails(health, 1)
        }
      })
    )
  )

  it.effect("is shown as a gauge, by provider", () =>
    withBreakers((health) =>
      Effect.gen(function* () {
        const shown = Effect.map(Metric.snapshot, (metrics) =>
          metrics.flatMap((metric) =>
            metric.id === "provider_health" && metric.type === "Gauge"
              ? [`${metric.attributes?.provider} ${metric.state.value}`]
              : []
          )
        )
        yield* fails(health, 10)
        assert.deepStrictEqual(yield* shown, ["isbank 2"])
        yield* TestClock.adjust("15 seconds")
        yield* health.snapshot
        assert.deepStrictEqual(yield* shown, ["isbank 1"])
        yield* answers(health, 1)
        assert.deepStrictEqual(yield* shown, ["isbank 0"])
      })
    )
  )
})

const unwatched: ProviderHealth = { snapshot: Effect.succeed(new Map()), record: () => Effect.void }

describe("withHealth", () => {
  const recording = (provider: PaymentProvider) => {
    const recorded: Array<string> = []
    const watched = ProviderBreakers.withHealth(provider, {
      snapshot: Effect.succeed(new Map()),
      record: (id, outcome) => Effect.sync(() => recorded.push(`${id} ${outcome}`))
    })
    return { recorded, watched }
  }

  const outcomes: ReadonlyArray<readonly [Outcome, string]> = [
    [NotSent({ reason: "refused" }), "failed"],
    [Unknown({ reason: "broke" }), "failed"],
    [accepted(), "answered"],
    [declined, "answered"],
    [
      Pending({
        answer: { responseCode: null, fields: {} },
        echo: {},
        learnBy: "query",
        until: DateTime.makeUnsafe(0)
      }),
      "answered"
    ]
  ]
  for (const [outcome, recordedAs] of outcomes) {
    it.effect(`records ${outcome._tag} of every call that may move money as ${recordedAs}, and passes it on`, () =>
      Effect.gen(function* () {
        const answer = () => Effect.succeed(outcome)
        const scripted = scriptedProvider("akbank", [], {
          authorize: answer,
          capture: answer,
          refund: answer,
          cancel: answer
        })
        const { recorded, watched } = recording({
          ...scripted,
          voidCapture: answer,
          threeDS: { isGenuine: () => true, complete: answer }
        })
        // What a call carries is the provider's; this one looks at nothing of it.
        const call = Object.create(null)
        const { authorize, cancel, capture, refund, threeDS, voidCapture } = watched
        for (const operation of [authorize, capture, refund, cancel, voidCapture, threeDS?.complete]) {
          assert.deepStrictEqual(yield* operation?.(call) ?? Effect.die("absent"), outcome)
        }
        assert.deepStrictEqual(
          recorded,
          Array.from({ length: 6 }, () => `akbank ${recordedAs}`)
        )
      })
    )
  }

  it.effect("records a call that nobody waits for any longer, and an adapter that dies, as failed", () =>
    Effect.gen(function* () {
      const call = Object.create(null)
      const slow = recording(scriptedProvider("akbank", [], { authorize: () => Effect.never }))
      const fiber = yield* Effect.forkChild(slow.watched.authorize(call), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(slow.recorded, ["akbank failed"])
      const broken = recording(scriptedProvider("akbank", [], { authorize: () => Effect.die(new Error("unreadable")) }))
      yield* Effect.exit(broken.watched.authorize(call))
      assert.deepStrictEqual(broken.recorded, ["akbank failed"])
    })
  )

  it.effect("records no query, and adds no ability that the provider has not", () =>
    Effect.gen(function* () {
      const call = Object.create(null)
      const { threeDS: _, voidCapture: __, ...plain } = scriptedProvider("akbank", [])
      for (const finding of [absent, unanswered]) {
        const { recorded, watched } = recording(
          scriptedProvider("akbank", [], { query: () => Effect.succeed(finding) })
        )
        assert.deepStrictEqual(yield* watched.query(call), finding)
        assert.deepStrictEqual(recorded, [])
        assert.deepStrictEqual(
          Object.keys(ProviderBreakers.withHealth(plain, unwatched)).sort(),
          Object.keys(plain).sort()
        )
      }
    })
  )
})

describe("layerWatched", () => {
  it.effect("tells the breakers what every provider of the installation answers", () =>
    withBreakers((health) =>
      Effect.gen(function* () {
        const lost = scriptedProvider("isbank", [], { authorize: () => Effect.succeed(Unknown({ reason: "broke" })) })
        const installed = Layer.succeed(PaymentProviders, new Map([["isbank", lost]]))
        const providers = yield* PaymentProviders.pipe(
          Effect.provide(Layer.provide(ProviderBreakers.layerWatched, installed)),
          Effect.provideService(ProviderHealth, health)
        )
        const call = Object.create(null)
        yield* times(10, Effect.asVoid(providers.get("isbank")?.authorize(call) ?? Effect.die("absent")))
        assert.strictEqual(yield* healthOf(health), "open")
      })
    )
  )
})
