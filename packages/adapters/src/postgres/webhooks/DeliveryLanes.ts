import { Effect, FiberSet } from "effect"
import type { Handled } from "./AttemptDelivery.ts"
import { pollMillis } from "./QueueTable.ts"

/** How long somebody waits at a queue that stays empty: long enough for one more look of the library. */
const patienceMillis = pollMillis + 20

/**
 * Takers of one process beyond the first of each lane. Each lane has its first whatever the others do; of the rest, lanes
 * that fail get a half at most, so that many dead endpoints cannot slow down those that answer.
 */
const placesMax = 512

/** Lanes of one process at once. What is due beyond them waits for one that ends, so that sockets do not run out. */
const lanesMax = 2_000

/** A queue that somebody in this process takes from. */
interface Lane {
  readonly queue: string
  /** The endpoint's; one until the first element told it. */
  concurrency: number
  takers: number
  waiting: number
  /** Something was said to be there since a taker began to wait. */
  woken: boolean
  /** The endpoint takes nothing now: no taker goes on. */
  closed: boolean
  failing: boolean
}

/**
 * Takes one element and handles it; `began` is called when there is one, and `learn` once its endpoint's concurrency is known.
 * Interrupted before `began`, nothing was taken.
 */
export type TakeOne = (
  queue: string,
  began: () => void,
  learn: (concurrency: number) => void
) => Effect.Effect<Handled, unknown>

/** Says that a queue may have something in it. */
export type Wake = (queue: string) => void

const makePlaces = () => {
  let taken = 0
  return {
    /** Whether one more taker may begin. */
    take: (lane: Lane): boolean => {
      if (lane.takers === 0) return true
      if (taken >= (lane.failing ? placesMax / 2 : placesMax)) return false
      taken++
      return true
    },
    /** Of a lane that has one taker less now. */
    leave: (lane: Lane) => {
      if (lane.takers > 0) taken--
    }
  }
}

/**
 * Takers where there is something to take, and none where there is not: a lane begins when its queue is woken, grows to its
 * endpoint's concurrency while there is more to take, and each of its takers ends when it has waited in vain. Lanes share
 * nothing but places, so that none waits for another, and hold at most as many elements as they have takers.
 *
 * A taker that is interrupted finishes what it has begun.
 */
export const makeLanes = Effect.fnUntraced(function* (takeOne: TakeOne) {
  const lanes = new Map<string, Lane>()
  const run = yield* FiberSet.makeRuntime<never>()
  const places = makePlaces()

  /** Ends when nothing came in time; never once an element was taken. */
  const patience = (lane: Lane, hasBegun: () => boolean): Effect.Effect<"idle"> =>
    Effect.suspend(() => {
      lane.woken = false
      return Effect.flatMap(Effect.sleep(patienceMillis), () => {
        if (hasBegun()) return Effect.never
        return lane.woken ? patience(lane, hasBegun) : Effect.succeed("idle" as const)
      })
    })

  const grow = (lane: Lane) => {
    const more = Math.min(lane.takers, lane.concurrency - lane.takers)
    for (let count = 0; lane.waiting === 0 && count < more; count++) begin(lane)
  }

  /** Whether the taker may take another one. */
  const step = Effect.fnUntraced(function* (lane: Lane, isFurther: boolean) {
    let hasBegun = false
    lane.waiting++
    const began = () => {
      hasBegun = true
      lane.waiting--
      // There was more than one: then there may be many.
      if (isFurther || lane.takers > 1) grow(lane)
    }
    const learn = (concurrency: number) => {
      lane.concurrency = concurrency
    }
    const handled = yield* Effect.raceFirst(
      takeOne(lane.queue, began, learn),
      patience(lane, () => hasBegun)
    ).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          if (!hasBegun) lane.waiting--
        })
      )
    )
    // It may have been woken after the last look in vain.
    if (handled === "idle") return lane.woken
    lane.closed = handled === "waits"
    if (handled === "waits") return false
    lane.concurrency = handled.concurrency
    lane.failing = !handled.succeeded
    return true
  })

  const taker = (lane: Lane) =>
    Effect.gen(function* () {
      let isFurther = false
      while (!lane.closed && lane.takers <= lane.concurrency) {
        if (!(yield* step(lane, isFurther))) return
        isFurther = true
      }
    }).pipe(
      Effect.catchCause((cause) => Effect.logWarning("A delivery could not be handled and is tried again", cause)),
      Effect.ensuring(
        Effect.sync(() => {
          lane.takers--
          places.leave(lane)
          if (lane.takers === 0) lanes.delete(lane.queue)
        })
      )
    )

  const begin = (lane: Lane) => {
    if (!places.take(lane)) return
    lane.takers++
    run(taker(lane))
  }

  const wake: Wake = (queue) => {
    let lane = lanes.get(queue)
    if (lane === undefined) {
      if (lanes.size >= lanesMax) return
      lane = { queue, concurrency: 1, takers: 0, waiting: 0, woken: false, closed: false, failing: false }
      lanes.set(queue, lane)
    }
    lane.closed = false
    lane.woken = true
    if (lane.waiting === 0 && lane.takers < lane.concurrency) begin(lane)
  }
  return wake
})
