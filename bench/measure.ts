import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { LoadGenerator } from "./load/LoadGenerator.ts"
import type { Load, Window } from "./load/window.ts"
import type { Sample } from "./report.ts"
import type { ServerProcess } from "./ServerProcess.ts"

/** What every measurement needs. */
export interface Bench {
  readonly generator: LoadGenerator
  /** Brings the database to rest. */
  readonly settle: Effect.Effect<unknown, BenchFailed>
  readonly progress: (line: string) => void
}

/** A server that refuses is fast: its figures say nothing. */
const requireAccepted = (name: string, { example, requests, unexpected }: Load, output: string) => {
  const statuses = Object.entries(unexpected)
  if (statuses.length === 0) return Effect.void
  const counts = statuses.map(([status, count]) => `${count} times ${status === "0" ? "nothing" : status}`).join(", ")
  return new BenchFailed({
    message: `The run is invalid: of ${requests} requests the ${name} answered ${counts}. The first: ${example}\n${output}`
  })
}

const cpuSeconds = (servers: ReadonlyArray<ServerProcess>) =>
  servers.reduce<number | undefined>((sum, server) => {
    const own = server.cpuSeconds()
    return sum === undefined || own === undefined ? undefined : sum + own
  }, 0)

/** The most that one of them held. */
const peakMegabytes = (servers: ReadonlyArray<ServerProcess>) => {
  const peaks = servers.map((server) => server.peakMegabytes()).filter((peak) => peak !== undefined)
  return peaks.length === 0 ? undefined : Math.max(...peaks)
}

/** One window of load on one server, or on several of a kind, after what it needs has been made. */
export const measureWindow = Effect.fn("bench.measureWindow")(function* (
  bench: Bench,
  name: string,
  servers: ReadonlyArray<ServerProcess>,
  asked: Omit<Window, "ports">
) {
  const window = { ...asked, ports: servers.map(({ port }) => port) }
  const ended = Effect.raceAllFirst(servers.map((server) => server.ended))
  yield* Effect.raceFirst(ended, bench.generator.prepare(window))
  yield* bench.settle
  const before = cpuSeconds(servers)
  const load = yield* Effect.raceFirst(ended, bench.generator.run(window))
  const after = cpuSeconds(servers)
  yield* requireAccepted(name, load, servers.map((server) => server.output()).join("\n"))
  const sample: Sample = {
    rps: load.requests / load.seconds,
    p50Millis: load.p50Millis,
    p99Millis: load.p99Millis,
    cpuMicros: before === undefined || after === undefined ? undefined : ((after - before) / load.requests) * 1e6,
    peakMegabytes: peakMegabytes(servers)
  }
  const cores = load.generatorCores.toFixed(2)
  bench.progress(
    `  ${name}: ${sample.rps.toFixed(0)} requests/s, p99 ${sample.p99Millis.toFixed(1)} ms, the load took ${cores} of a core`
  )
  return { sample, load }
})

/**
 * Measures all in turn, as many times as there are rounds; gives a list for each, in the order given. Every second round
 * goes backwards, so that a machine that grows slower does not favour any.
 */
export const alternating = Effect.fn("bench.alternating")(function* <Subject, A, E, R>(
  subjects: ReadonlyArray<Subject>,
  rounds: number,
  progress: (line: string) => void,
  run: (subject: Subject) => Effect.Effect<A, E, R>
) {
  const measured = subjects.map((): Array<A> => [])
  const forwards = subjects.map((subject, index) => ({ subject, index }))
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`)
    for (const { index, subject } of round % 2 === 1 ? forwards : forwards.toReversed()) {
      measured[index]?.push(yield* run(subject))
    }
  }
  return measured
})
