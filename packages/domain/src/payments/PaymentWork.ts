import { Context, Effect, Fiber, FiberSet, Layer } from "effect"

/** How long a shutdown waits for work under way (contract section 8). */
const drain = "35 seconds"

/**
 * Runs work that belongs to the process and not to the connection: a caller who hangs up interrupts only the waiting
 * for it. When the service closes, what is under way is finished first.
 */
export class PaymentWork extends Context.Service<
  PaymentWork,
  { run<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> }
>()("@sarraf/domain/payments/PaymentWork") {
  static readonly layer: Layer.Layer<PaymentWork> = Layer.effect(
    PaymentWork,
    Effect.gen(function* () {
      const fibers = yield* FiberSet.make()
      // Runs before the set's own finalizer, which would interrupt what is still under way.
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drain)))
      return PaymentWork.of({ run: (work) => Effect.flatMap(FiberSet.run(fibers, work), (fiber) => Fiber.join(fiber)) })
    })
  )
}
