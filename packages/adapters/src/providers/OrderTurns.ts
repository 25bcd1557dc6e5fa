import { Effect, Semaphore } from "effect"

/** With so many, two different orders seldom meet. */
const locksCount = 64

/** Lets the requests for one order take turns: each waits until the one before it is through. Of one process. */
export const takeTurns = () => {
  const locks = Array.from({ length: locksCount }, () => Semaphore.makeUnsafe(1))
  return <A, E>(order: string, step: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    let sum = 0
    for (let index = 0; index < order.length; index++) sum += order.charCodeAt(index)
    return locks[sum % locks.length]?.withPermits(1)(step) ?? step
  }
}

/** Lets one request at a time at an order; `busy` is what another one hears meanwhile. Of one process. */
export const turnAway = () => {
  const running = new Set<string>()
  return <A, E>(order: string, busy: A, step: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (running.has(order)) return Effect.succeed(busy)
      running.add(order)
      return Effect.ensuring(
        step,
        Effect.sync(() => running.delete(order))
      )
    })
}
