import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { Load, Window } from "./load/window.ts"
import type { Round, Sample } from "./report.ts"
import type { ServerProcess } from "./ServerProcess.ts"
import type { Side } from "./scenarios/Scenario.ts"

/** V8 compiles what is called often: the gateway needs some ten thousand requests until it no longer gets faster. */
const warmUpSeconds = 12

export interface Bench {
  readonly servers: Readonly<Record<Side, ServerProcess>>
  readonly generator: { readonly run: (window: Window) => Effect.Effect<Load, BenchFailed> }
  /** Brings the database to rest. */
  readonly settle: Effect.Effect<unknown, BenchFailed>
  readonly progress: (line: string) => void
}

/** A server that refuses is fast: its figures say nothing. */
const requireAccepted = (side: Side, { example, requests, unexpected }: Load, output: string) => {
  const statuses = Object.entries(unexpected)
  if (statuses.length === 0) return Effect.void
  const counts = statuses.map(([status, count]) => `${count} times ${status === "0" ? "nothing" : status}`).join(", ")
  return new BenchFailed({
    message: `The run is invalid: of ${requests} requests the ${side} answered ${counts}. The first: ${example}\n${output}`
  })
}

const measureOne = Effect.fn("bench.measureOne")(function* (bench: Bench, window: Omit<Window, "port">) {
  const server = bench.servers[window.side]
  yield* bench.settle
  const before = server.cpuSeconds()
  const load = yield* Effect.raceFirst(server.ended, bench.generator.run({ ...window, port: server.port }))
  const after = server.cpuSeconds()
  yield* requireAccepted(window.side, load, server.output())
  const sample: Sample = {
    rps: load.requests / load.seconds,
    p50Millis: load.p50Millis,
    p99Millis: load.p99Millis,
    cpuMicros: before === undefined || after === undefined ? undefined : ((after - before) / load.requests) * 1e6,
    peakMegabytes: server.peakMegabytes()
  }
  const cores = load.generatorCores.toFixed(2)
  bench.progress(
    `  ${window.side}: ${sample.rps.toFixed(0)} requests/s, p99 ${sample.p99Millis.toFixed(1)} ms, the load took ${cores} of a core`
  )
  return sample
})

/**
 * Both servers in turn, as many times as there are rounds. Every second round begins with the other one, so that a
 * machine that grows slower does not favour either.
 */
export const measure = Effect.fn("bench.measure")(function* (
  bench: Bench,
  window: Omit<Window, "port" | "side">,
  rounds: number
) {
  const run = (side: Side, seconds = window.seconds) => measureOne(bench, { ...window, seconds, side })
  bench.progress(`${window.scenario}, ${window.connections} connections: warming up`)
  yield* run("subject", warmUpSeconds)
  yield* run("baseline", warmUpSeconds)
  const measured: Array<Round> = []
  for (let index = 1; index <= rounds; index++) {
    bench.progress(`round ${index} of ${rounds}`)
    if (index % 2 === 1) {
      const subject = yield* run("subject")
      measured.push({ subject, baseline: yield* run("baseline") })
    } else {
      const baseline = yield* run("baseline")
      measured.push({ subject: yield* run("subject"), baseline })
    }
  }
  return measured
})
