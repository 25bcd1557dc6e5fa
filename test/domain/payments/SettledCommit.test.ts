import { assert, describe, it } from "@effect/vitest"
import { Memory } from "@sarraf/adapters/memory/Memory"
import * as MemoryPaymentStore from "@sarraf/adapters/memory/MemoryPaymentStore"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { commitSettled } from "@sarraf/domain/payments/SettledCommit"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { accepted, noon, request, settledBy, tell, told } from "./support/SamplePayment.ts"

const actor = { name: "client:sandbox_client", requestId: "r-1" }
const { clientId, organizationId } = request()
const record = {
  organizationId,
  caller: clientId,
  key: "k-1",
  fingerprint: "content-1",
  paymentId: request().id,
  operationId: null
}
const caller = Layer.succeed(GatewayCaller, { organizationId, clientId, livemode: false })
const layer = Layer.merge(caller, MemoryPaymentStore.layer.pipe(Layer.provideMerge(Memory.layer)))

/** A stored payment on which a note was written that its caller does not know of. */
const notedMeanwhile = Effect.gen(function* () {
  const store = yield* PaymentStore
  const begun = told()
  const [event] = begun.events
  if (event === undefined) return yield* Effect.die(new Error("A payment without its beginning"))
  yield* store.begin(begun.payment, event, record)
  const note = { type: "payment.noted", at: noon + 500, attempt: 1, notes: { token: "t-1" } } as const
  const noted = tell(begun, note)
  yield* store.commit({ before: begun.payment, after: noted.payment, events: [note], actor })
  return { store, begun: begun.payment }
})

describe("commitSettled", () => {
  it.effect("writes an outcome on top of what came in between", () =>
    Effect.gen(function* () {
      const { begun, store } = yield* notedMeanwhile
      const settled = yield* commitSettled(store, begun, [settledBy(begun, accepted())], actor)
      assert.strictEqual(settled.authorization, "AUTHORIZED")
      assert.deepStrictEqual(settled.attempts[0]?.notes, { token: "t-1" })
      assert.deepStrictEqual(yield* store.find(begun.id), settled)
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves the outcome that was first as it is", () =>
    Effect.gen(function* () {
      const { begun, store } = yield* notedMeanwhile
      const event = settledBy(begun, accepted())
      const first = yield* commitSettled(store, begun, [event], actor)
      const second = yield* commitSettled(store, begun, [event], actor)
      assert.deepStrictEqual(second, first)
      assert.lengthOf(yield* store.events(begun.id), 3)
    }).pipe(Effect.provide(layer))
  )

  /** A store that cannot be reached before this time of the test's clock, and when it was tried. */
  const awayUntil = (backAt: number) =>
    Effect.map(PaymentStore, (store) => {
      const tried: Array<number> = []
      const commit: typeof store.commit = (change) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          tried.push(now)
          return now < backAt ? Effect.fail(new Unavailable()) : store.commit(change)
        })
      return { tried, store: PaymentStore.of({ ...store, commit }) }
    })

  it.effect("tries again while the database is away, and writes the outcome when it is back", () =>
    Effect.gen(function* () {
      const { begun } = yield* notedMeanwhile
      const { store, tried } = yield* awayUntil(1_000)
      const event = settledBy(begun, accepted())
      const settling = yield* Effect.forkChild(commitSettled(store, begun, [event], actor))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(settling)).authorization, "AUTHORIZED")
      // The last is on top of the note that had come in between.
      assert.deepStrictEqual(tried, [0, 50, 150, 350, 750, 1_550, 1_550])
    }).pipe(Effect.provide(layer))
  )

  it.effect("gives up after a minute, and leaves the payment as it was", () =>
    Effect.gen(function* () {
      const { begun } = yield* notedMeanwhile
      const { store, tried } = yield* awayUntil(Number.POSITIVE_INFINITY)
      const event = settledBy(begun, accepted())
      const settling = yield* Effect.forkChild(commitSettled(store, begun, [event], actor))
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* Fiber.join(settling), begun)
      assert.deepStrictEqual(tried.slice(-3), [57_150, 59_150, 61_150])
    }).pipe(Effect.provide(layer))
  )
})
