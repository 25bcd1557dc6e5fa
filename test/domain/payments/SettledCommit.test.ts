import { assert, describe, it } from "@effect/vitest"
import { Memory } from "@sarraf/adapters/memory/Memory"
import * as MemoryPaymentStore from "@sarraf/adapters/memory/MemoryPaymentStore"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { commitSettled } from "@sarraf/domain/payments/SettledCommit"
import { Effect, Layer } from "effect"
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
})
