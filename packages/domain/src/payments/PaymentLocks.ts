import { Context, Effect, Layer, RcMap, Semaphore } from "effect"
import { GatewayLimits } from "./GatewayLimits.ts"
import { OperationRunning } from "./PaymentErrors.ts"

/**
 * Lets the operations of one payment queue up within this process; between processes the table's unique index decides.
 * A second one waits as long as `queueMillis`, then it is `OperationRunning`.
 */
export class PaymentLocks extends Context.Service<
  PaymentLocks,
  { withLock<A, E, R>(id: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | OperationRunning, R> }
>()("@sarraf/domain/payments/PaymentLocks") {
  static readonly layer: Layer.Layer<PaymentLocks> = Layer.effect(
    PaymentLocks,
    Effect.gen(function* () {
      const { queueMillis } = yield* GatewayLimits
      const locks = yield* RcMap.make({ lookup: (_id: string) => Semaphore.make(1) })
      return PaymentLocks.of({
        withLock: (id, effect) =>
          Effect.scoped(
            Effect.gen(function* () {
              const lock = yield* RcMap.get(locks, id)
              yield* Semaphore.takeScoped(lock, 1).pipe(
                Effect.timeoutOrElse({
                  duration: queueMillis,
                  orElse: () => new OperationRunning({ transactionId: id })
                })
              )
              return yield* effect
            })
          )
      })
    })
  )
}
