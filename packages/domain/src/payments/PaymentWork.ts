import { Clock, Context, Effect, Fiber, Latch, Layer } from "effect"

/** A shutdown gives work this long from its beginning (contract section 8: 35 s); a request takes 30 s at most. */
const workMillis = 34_000

/**
 * The fibers under way. Places in a list and no set: the old tables of a set that lives on refer to the newer ones and to
 * what was in them, so that every payment would stay in memory until the next full collection.
 */
const makeFibers = () => {
  const places: Array<Fiber.Fiber<unknown, unknown> | undefined> = []
  const free: Array<number> = []
  const empty = Latch.makeUnsafe(true)
  return {
    empty: empty.await,
    add: (fiber: Fiber.Fiber<unknown, unknown>) => {
      const place = free.pop() ?? places.length
      places[place] = fiber
      empty.closeUnsafe()
      fiber.addObserver(() => {
        places[place] = undefined
        free.push(place)
        if (free.length === places.length) empty.openUnsafe()
      })
    },
    interrupt: Effect.suspend(() => Fiber.interruptAll(places.filter((fiber) => fiber !== undefined)))
  }
}

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
      const fibers = makeFibers()
      let lastBegun = 0
      let isClosed = false
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          const left = lastBegun + workMillis - (yield* Clock.currentTimeMillis)
          if (left > 0) yield* Effect.ignore(Effect.timeout(fibers.empty, left))
          isClosed = true
          yield* fibers.interrupt
        })
      )
      return PaymentWork.of({
        run: <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.contextWith((context: Context.Context<R>) => {
            if (isClosed) return Effect.interrupt
            lastBegun = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
            // Begun and noted in one step, so that no interruption of the caller comes in between.
            const fiber = Effect.runForkWith(context)(work)
            fibers.add(fiber)
            return Fiber.join(fiber)
          })
      })
    })
  )
}
