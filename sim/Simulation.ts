import { Cause, Deferred, Effect, Exit, Fiber, References } from "effect"
import { drawsOf } from "../crash/Draw.ts"
import { isOver, wrongInTheEnd } from "./Invariants.ts"
import type { Settings } from "./Settings.ts"
import { play } from "./Shop.ts"
import * as VirtualTime from "./VirtualTime.ts"
import * as World from "./World.ts"

/** How a run went. */
export interface Run {
  readonly settings: Settings
  readonly trace: ReadonlyArray<string>
  /** The invariant that was broken first; undefined: none was. */
  readonly broken: string | undefined
  /** What went wrong, by its names, and which orders were placed. */
  readonly disturbances: ReadonlyArray<string>
  readonly orders: ReadonlyArray<number>
  readonly payments: number
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** All runs begin at the same time: 2026-11-21T09:00:00Z. */
const start = Date.UTC(2026, 10, 21, 9)

/**
 * Jumps of the clock are shorter than the distance between the latest arrival of an operation (35 s) and the earliest
 * proof that it never arrived (60 s): a clock that is more than that ahead proves what is not so.
 */
const jumpForwardMillisMax = 20 * second
const jumpBackMillisMax = 90 * second

/** The quiet time: nobody is at work for so long; then the processes start again, and look for so long. */
const quietTimes = [
  { restMillis: 16 * minute, lookMillis: minute },
  { restMillis: 70 * minute, lookMillis: minute }
]
/**
 * The same for what is still open then, until a person has to look at it: a day and a quarter, with so many questions by
 * one process that its schedule comes to an end (contract section 4, unknown outcomes).
 */
const patientTimes = [
  { restMillis: 7 * hour, lookMillis: minute },
  { restMillis: 25 * hour, lookMillis: 8 * minute },
  { restMillis: 25 * hour, lookMillis: 8 * minute }
]
/** Until all processes have started again. */
const restartMillis = 20 * second
/** After the last order's time: what is under way then ends. */
const endingMillis = 10 * minute

const jumpNowAndThen = Effect.fnUntraced(function* ({ disturbances, settings, time, trace }: World.World) {
  const { whole } = drawsOf(settings.seed, "jumps")
  for (;;) {
    yield* Effect.sleep(whole(minute, 10 * minute))
    const jump = disturbances.at("clock", 500, (draw) =>
      draw.chance(50) ? draw.whole(1, jumpForwardMillisMax) : -draw.whole(1, jumpBackMillisMax)
    )
    if (jump === undefined) continue
    trace.add(`clock      jumps by ${jump.kind} ms [${jump.name}]`)
    time.jump(jump.kind)
  }
})

const settle = Effect.fnUntraced(function* (world: World.World) {
  const { payments, standStill, trace } = world
  const rest = Effect.fnUntraced(function* ({ lookMillis, restMillis }: (typeof quietTimes)[number]) {
    trace.add(`quiet      nobody is at work for ${restMillis / minute} minutes`)
    yield* standStill(restMillis)
    yield* Effect.sleep(restartMillis + lookMillis)
  })
  for (const times of quietTimes) yield* rest(times)
  for (const times of patientTimes) if (!payments().every(isOver)) yield* rest(times)
})

/** Sells and breaks, then is quiet, then compares the books. */
const live = Effect.fnUntraced(function* (world: World.World) {
  const { breaks, counterparties, disturbances, payments, settings, tales, trace } = world
  yield* Effect.forkDetach(jumpNowAndThen(world))
  const playing = yield* Effect.forkDetach(
    Effect.forEach(tales, (tale) => play(world, tale), { concurrency: "unbounded", discard: true })
  )
  yield* Effect.sleep(settings.minutes * minute)
  disturbances.end()
  trace.add("quiet      nothing goes wrong any more")
  const played = yield* Effect.timeoutOption(Fiber.await(playing), endingMillis)
  if (played._tag === "Some" && Exit.isFailure(played.value))
    return breaks(`a shop failed: ${Cause.pretty(played.value.cause)}`)
  yield* settle(world)
  for (const payment of payments()) {
    for (const wrong of yield* wrongInTheEnd(counterparties, payment)) breaks(`${payment.merchantReference}: ${wrong}`)
  }
  trace.add(`end        ${payments().length} payments`)
})

/** Runs the gateway from a seed: the same settings, the same trace. It takes no time but the processor's. */
export const simulate = (settings: Settings): Run => {
  const time = VirtualTime.make(start)
  let opened: World.World | undefined
  const program = Effect.gen(function* () {
    const world = yield* World.open(settings, time)
    opened = world
    yield* Effect.raceFirst(live(world), Deferred.await(world.broken))
    return yield* Deferred.poll(world.broken)
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))
  const exit = time.run(program)
  const failure = Exit.isFailure(exit) ? `the run failed: ${Cause.pretty(exit.cause)}` : undefined
  const lines = opened?.trace.lines ?? []
  const brokenAt = lines.findIndex((line) => line.includes("BROKEN     "))
  const broken = failure ?? lines[brokenAt]?.split("BROKEN     ")[1]
  return {
    settings,
    trace: failure === undefined ? lines : [...lines, failure],
    broken,
    disturbances: opened?.disturbances.happened ?? [],
    orders: (opened?.tales ?? []).map(({ number }) => number),
    payments: opened?.payments().length ?? 0
  }
}
