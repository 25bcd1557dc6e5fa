import { Clock, Context, Duration, Effect, Exit, type Fiber, Option, Scheduler } from "effect"

interface Sleeper {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number
  /** Of two that wake at the same time, the one that lay down first. */
  readonly order: number
  readonly wake: () => void
  isGone: boolean
}

const isBefore = (a: Sleeper, b: Sleeper): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** A binary heap: the one that wakes first is at its top. */
const makeSleepers = () => {
  const heap: Array<Sleeper> = []
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]]
    if (one === undefined || other === undefined) return
    heap[a] = other
    heap[b] = one
  }
  const precedes = (a: number, b: number): boolean => {
    const [one, other] = [heap[a], heap[b]]
    return one !== undefined && other !== undefined && isBefore(one, other)
  }
  return {
    push: (sleeper: Sleeper): void => {
      heap.push(sleeper)
      for (let child = heap.length - 1; child > 0; ) {
        const parent = (child - 1) >> 1
        if (!precedes(child, parent)) return
        swap(child, parent)
        child = parent
      }
    },
    pop: (): Sleeper | undefined => {
      const [first] = heap
      const last = heap.pop()
      if (last === undefined || heap.length === 0) return first
      heap[0] = last
      for (let parent = 0; ; ) {
        const left = parent * 2 + 1
        const least = precedes(left + 1, left) ? left + 1 : left
        if (!precedes(least, parent)) return first
        swap(least, parent)
        parent = least
      }
    }
  }
}

const nanosPerMilli = 1_000_000n

/** A time that passes only when all that runs sleeps, and then at once. */
export interface VirtualTime {
  /** Milliseconds since the beginning: what sleeps is measured by, and what no jump changes. */
  readonly elapsed: () => number
  /** Sets the clock on the wall forward, or back, by so many milliseconds. */
  readonly jump: (millis: number) => void
  /**
   * Runs a program that waits for nothing but this time. Without a network, a file or a timer it runs through without ever
   * giving control to the event loop, so that nothing outside can come in between: the same program, the same order of
   * all its steps.
   */
  readonly run: <A, E>(program: Effect.Effect<A, E>) => Exit.Exit<A, E>
}

/** A clock and a scheduler of their own, from `start` on, in epoch milliseconds. */
export const make = (start: number): VirtualTime => {
  const sleepers = makeSleepers()
  let tasks: Array<() => void> = []
  let monotonic = 0
  let wall = start
  let count = 0

  const currentTimeMillisUnsafe = () => wall + monotonic
  const currentTimeNanosUnsafe = () => BigInt(currentTimeMillisUnsafe()) * nanosPerMilli
  const monotonicTimeNanosUnsafe = () => BigInt(monotonic) * nanosPerMilli
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe,
    monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe),
    sleep: (duration) => {
      const millis = Duration.toMillis(duration)
      if (millis <= 0) return Effect.yieldNow
      return Effect.callback<void>((resume) => {
        const at = monotonic + Math.ceil(millis)
        const sleeper: Sleeper = { at, order: ++count, wake: () => resume(Effect.void), isGone: false }
        if (Number.isFinite(at)) sleepers.push(sleeper)
        return Effect.sync(() => {
          sleeper.isGone = true
        })
      })
    }
  }
  const scheduler = new Scheduler.MixedScheduler("async", (task) => {
    tasks.push(task)
    return () => {
      tasks = tasks.filter((one) => one !== task)
    }
  })
  const services = Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, scheduler))

  const runTasks = () => {
    while (tasks.length > 0) {
      const due = tasks
      tasks = []
      for (const task of due) task()
    }
  }
  const passTime = (): boolean => {
    let next = sleepers.pop()
    while (next?.isGone) next = sleepers.pop()
    if (next === undefined) return false
    monotonic = Math.max(monotonic, next.at)
    next.wake()
    return true
  }
  const exitOf = <A, E>(fiber: Fiber.Fiber<A, E>) => Option.fromUndefinedOr(fiber.pollUnsafe())

  return {
    elapsed: () => monotonic,
    jump: (millis) => {
      wall += millis
    },
    run: (program) => {
      const fiber = Effect.runForkWith(services)(program)
      for (;;) {
        runTasks()
        const exit = exitOf(fiber)
        if (Option.isSome(exit)) return exit.value
        if (!passTime()) return Exit.die(new Error("everything waits for something that never comes"))
      }
    }
  }
}
