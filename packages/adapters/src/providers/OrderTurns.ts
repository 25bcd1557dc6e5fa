import { Effect, Semaphore } from "effect"

/** With so many, two different orders that are under way at once seldom meet. */
const locksCount = 4_096

/** Spreads references that differ in few digits: the sum of their characters would put most on a few locks (FNV-1a). */
const placeOf = (order: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < order.length; index++) hash = Math.imul(hash ^ order.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % locksCount
}

/** Lets the requests for one order take turns: each waits until the one before it is through. Of one process. */
export const takeTurns = () => {
  // Made when an order first meets them: most of a sandbox's providers are never asked for anything.
  const locks = new Map<number, Semaphore.Semaphore>()
  const lockFor = (order: string): Semaphore.Semaphore => {
    const place = placeOf(order)
    const known = locks.get(place)
    if (known !== undefined) return known
    const made = Semaphore.makeUnsafe(1)
    locks.set(place, made)
    return made
  }
  return <A, E>(order: string, step: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Semaphore.withPermit(lockFor(order), step)
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
