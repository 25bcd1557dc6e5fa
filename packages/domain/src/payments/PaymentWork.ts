import { Clock, Context, Effect, Fiber, FiberSet, Layer } from "effect"

/** A shutdown gives work this long from its beginning (contract section 8: 35 s); a request takes 30 s at most. */
const workMillis = 34_000

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
      let lastBegun = 0
      const drain = Effect.gen(function* () {
        const left = lastBegun + workMillis - (yield* Clock.currentTimeMillis)
        if (left > 0) yield* Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), left))
      })
      // Runs before the set's own finalizer, which would interrupt what is still under way.
      yield* Effect.addFinalizer(() => drain)
      return PaymentWork.of({
        run: (work) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            lastBegun = now
            return Effect.flatMap(FiberSet.run(fibers, work), Fiber.join)
          })
      })
    })
  )
}
