import { Context, Effect, Layer, Semaphore } from "effect"
import { GatewayLimits } from "./GatewayLimits.ts"
import { OperationRunning } from "./PaymentErrors.ts"

/** The turn on one payment, kept while somebody has it or waits for it. */
interface Turn {
  readonly semaphore: Semaphore.Semaphore
  /** Who has it and who waits for it, together. */
  users: number
}

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
      const turns = new Map<string, Turn>()

      const join = (id: string): Turn => {
        const turn = turns.get(id) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        turn.users++
        turns.set(id, turn)
        return turn
      }

      const leave = (id: string, turn: Turn): void => {
        if (--turn.users === 0) turns.delete(id)
      }

      const waitFor = (id: string, { semaphore }: Turn) =>
        Semaphore.takeScoped(semaphore, 1).pipe(
          Effect.timeoutOrElse({
            duration: queueMillis,
            orElse: () => new OperationRunning({ transactionId: id })
          })
        )

      return PaymentLocks.of({
        withLock: (id, effect) =>
          Effect.acquireUseRelease(
            Effect.sync(() => join(id)),
            (turn) =>
              // Alone there is nobody to wait for, and so no time to watch.
              turn.users === 1
                ? Semaphore.withPermit(turn.semaphore, effect)
                : Effect.scoped(Effect.andThen(waitFor(id, turn), effect)),
            (turn) => Effect.sync(() => leave(id, turn))
          )
      })
    })
  )
}
