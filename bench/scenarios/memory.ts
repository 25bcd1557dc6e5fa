import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import * as Gateway from "../Gateway.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import { describeMachine } from "../machine.ts"
import { measureWindow } from "../measure.ts"
import { figure, medianKnown } from "../studyReport.ts"
import type { Study } from "./Study.ts"

/** So long nothing is asked before memory at rest is read. */
const restDuration = "5 seconds"

/**
 * Resident memory of the gateway's process, which begins anew each round: ready and idle, then authorizing at each number
 * of connections, then idle again.
 */
export const memory: Study = Effect.fn("bench.memory")(function* ({ options, progress }) {
  progress("memory: starting PostgreSQL")
  const database = yield* BenchDatabase.start
  const databaseUrl = yield* database.create("sarraf")
  const generator = yield* LoadGenerator.start
  const bench = { generator, settle: database.settle, progress }
  const { connections, currency, rounds, seconds } = options
  const round = Effect.gen(function* () {
    const gateway = yield* Gateway.start({ folder: database.folder, databaseUrl })
    const held: Array<number | undefined> = []
    yield* Effect.sleep(restDuration)
    held.push(gateway.residentMegabytes())
    for (const count of connections) {
      const window = { scenario: "authorize", side: "subject", connections: count, seconds, currency } as const
      yield* measureWindow(bench, "gateway", [gateway], window)
      // The most ever, and so the most under this load or one before.
      held.push(gateway.peakMegabytes())
    }
    yield* Effect.sleep(restDuration)
    held.push(gateway.residentMegabytes())
    return held
  })
  const measured: Array<ReadonlyArray<number | undefined>> = []
  for (let index = 1; index <= rounds; index++) {
    progress(`round ${index} of ${rounds}`)
    measured.push(yield* Effect.scoped(round))
  }
  const cases = [
    "at rest, after the start",
    ...connections.map((count) => `peak, ${count} connections`),
    "at rest, after load"
  ]
  return {
    figures: cases.map((name, index) => ({
      case: name,
      rss_mb: figure(medianKnown(measured.map((held) => held[index])), 1)
    })),
    aims: [],
    notes: ["Resident memory of the gateway's process alone, without PostgreSQL's."],
    machine: describeMachine(database.version)
  }
})
