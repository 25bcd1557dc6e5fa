import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import * as Gateway from "../Gateway.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import { describeMachine } from "../machine.ts"
import { alternating, measureWindow } from "../measure.ts"
import * as ServerProcess from "../ServerProcess.ts"
import { aimAtMost, figure, medianKnown, windowFigures } from "../studyReport.ts"
import type { Study } from "./Study.ts"

const simulatorsMain = fileURLToPath(new URL("../../scripts/simulators.ts", import.meta.url))

const delayMillis = 300
const inFlight = 2_000
const megabytesMax = 400
/** How much slower the last third of a window may be than the middle one before its queue counts as growing. */
const growthMax = 1.2
/** An answer takes a second or more here, and the first third is over when every connection has had one. */
const secondsMin = 20

/**
 * Two thousand payments in flight in one process whose provider takes 300 ms for each answer: the simulators run in a
 * process of their own, over HTTP. Beside it, the load that is under way at once without anybody waiting long.
 */
export const latency: Study = Effect.fn("bench.latency")(function* ({ options, progress }) {
  progress("latency: starting PostgreSQL, the simulators and the gateway")
  const database = yield* BenchDatabase.start
  const databaseUrl = yield* database.create("sarraf")
  const simulators = yield* ServerProcess.start("simulators", [simulatorsMain], {
    PORT: "0",
    SARRAF_SIMULATOR_DELAY_MS: String(delayMillis),
    // Banks post nothing, and what others post is to reach nobody.
    SARRAF_NOTIFY_URL: "http://127.0.0.1:9"
  })
  const gateway = yield* Gateway.start({
    folder: database.folder,
    databaseUrl,
    more: { SARRAF_SIMULATORS_URL: `http://127.0.0.1:${simulators.port}` }
  })
  const generator = yield* LoadGenerator.start
  const bench = { generator, settle: database.settle, progress }
  const { currency, rounds, warmUpSeconds } = options
  const seconds = Math.max(secondsMin, options.seconds)
  const run = (connections: number, length = seconds) =>
    measureWindow(bench, `${connections} in flight`, [gateway], {
      scenario: "authorize",
      side: "subject",
      connections,
      seconds: length,
      currency
    })
  const cases = [32, 256, inFlight]
  progress("latency: warming up")
  yield* run(256, warmUpSeconds)
  const measured = yield* alternating(cases, rounds, progress, (connections) => run(connections))
  const figures = measured.map((windows, index) => {
    const middle = medianKnown(windows.map(({ load }) => load.p50MillisMiddle)) ?? Number.NaN
    const last = medianKnown(windows.map(({ load }) => load.p50MillisLast)) ?? Number.NaN
    return {
      in_flight: cases[index] ?? null,
      ...windowFigures(windows.map(({ sample }) => sample)),
      p50_middle_third_ms: figure(middle, 1),
      p50_last_third_ms: figure(last, 1),
      growth: figure(last / middle, 3)
    }
  })
  const peak = figure(gateway.peakMegabytes(), 1)
  const growth = figures.at(-1)?.growth ?? null
  return {
    figures,
    aims: [
      aimAtMost(`peak resident memory in MB with ${inFlight} in flight`, peak, megabytesMax),
      aimAtMost(`p50 of the last third by that of the middle one with ${inFlight} in flight`, growth, growthMax)
    ],
    notes: [`Every answer of a provider comes ${delayMillis} ms late. Windows last at least ${secondsMin} s.`],
    machine: describeMachine(database.version)
  }
})
