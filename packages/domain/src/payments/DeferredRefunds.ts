import { Clock, Effect, Layer, Schedule } from "effect"
import { GatewayCaller } from "../organizations/GatewayCaller.ts"
import { GatewayLimits } from "./GatewayLimits.ts"
import { makePerform } from "./OperateOnPayment.ts"
import { lastAttempt, openOperation } from "./Payment.ts"
import { apply } from "./PaymentEvent.ts"
import { PaymentLocks } from "./PaymentLocks.ts"
import { PaymentProviders } from "./PaymentProvider.ts"
import { type DueRefund, PaymentStore } from "./PaymentStore.ts"
import { PaymentWork } from "./PaymentWork.ts"
import { deferOperation } from "./Settlement.ts"

/** Refunds taken up at one look; the rest waits for the next. */
const refundsMax = 100

/** Sends what could not be refunded before the provider's batch had closed. Any number of processes may do it at once. */
const makeSend = Effect.gen(function* () {
  const store = yield* PaymentStore
  const providers = yield* PaymentProviders
  const locks = yield* PaymentLocks
  const perform = yield* makePerform
  const { requestMillis } = yield* GatewayLimits
  const actor = { name: "deferred refunds", requestId: "" }

  return Effect.fn("DeferredRefunds.send")(function* ({ operationId, paymentId }: DueRefund) {
    const sendOne = Effect.gen(function* () {
      const before = yield* store.find(paymentId)
      const now = yield* Clock.currentTimeMillis
      const attempt = lastAttempt(before)
      const provider = providers.get(attempt?.provider ?? "")
      const operation = before.operations.find(({ id }) => id === operationId)
      const isDue =
        operation?.status === "PENDING" && operation.availableFrom !== null && operation.availableFrom <= now
      if (!isDue || attempt === undefined || provider === undefined || openOperation(before) !== undefined) return
      const event = deferOperation(operation, null, now, "reconciler", now + requestMillis)
      const after = apply(before, event)
      // Of several processes one commits this; it then holds the payment's only open operation.
      yield* store.commit({ before, after, events: [event], actor })
      yield* perform(
        provider,
        after,
        attempt,
        { ...operation, availableFrom: null, deadline: now + requestMillis, sentAt: now },
        actor,
        "reconciler"
      )
    })
    yield* locks.withLock(paymentId, sendOne)
  })
})

/** Looks every half minute for refunds whose time has come. */
export const layer: Layer.Layer<never, never, PaymentLocks | PaymentProviders | PaymentStore | PaymentWork> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const work = yield* PaymentWork
      const send = yield* makeSend
      const look = Effect.gen(function* () {
        const due = yield* store.dueRefunds(yield* Clock.currentTimeMillis, refundsMax)
        yield* Effect.forEach(due, (one) =>
          work.run(Effect.provideService(send(one), GatewayCaller, one.caller)).pipe(
            // Somebody else was faster, or it is tried again at the next look.
            Effect.catch((error) => Effect.logInfo("A deferred refund was not sent now", error)),
            // One that cannot be read or written must not keep the others waiting.
            Effect.catchDefect((defect) => Effect.logError("A deferred refund cannot be sent", defect)),
            Effect.annotateLogs({ transactionId: one.paymentId })
          )
        )
      })
      yield* look.pipe(
        Effect.catch((error) => Effect.logWarning("Deferred refunds could not be looked up", error)),
        Effect.catchDefect((defect) => Effect.logError("The look for deferred refunds failed", defect)),
        Effect.repeat(Schedule.spaced("30 seconds")),
        Effect.forkScoped
      )
    })
  )
