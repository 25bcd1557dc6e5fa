import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import { BenchFailed } from "../BenchFailed.ts"
import * as Gateway from "../Gateway.ts"
import type { PhaseResult } from "../load/arrivals.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import { describeMachine } from "../machine.ts"
import { measureWindow } from "../measure.ts"
import { aimAtMost, figure, medianKnown } from "../studyReport.ts"
import type { Study } from "./Study.ts"

/** At these the capacity is measured, as `authorize` measures it. */
const closedConnections = 32
/** Clients of an open load: more than can wait for an answer at once while the aims are reached. */
const openConnections = 2_048
const overloadFactor = 4
const calmFactor = 0.5
const calmSeconds = 5
const overloadSeconds = 10
const recoverySeconds = 8

const acceptedMillisMax = 3_000
const recoveryMillisMax = 5_000

const phaseNames = ["half of the capacity", "four times the capacity", "half of it again"]

/**
 * What becomes of four times the load that can be carried. Requests come at a constant pace whatever became of those
 * before, and their time counts from when they were due.
 */
export const overload: Study = Effect.fn("bench.overload")(function* ({ options, progress }) {
  progress("overload: starting PostgreSQL and the gateway")
  const database = yield* BenchDatabase.start
  const databaseUrl = yield* database.create("sarraf")
  const gateway = yield* Gateway.start({ folder: database.folder, databaseUrl })
  const generator = yield* LoadGenerator.start
  const bench = { generator, settle: database.settle, progress }
  const { currency, rounds, seconds, warmUpSeconds } = options
  const scenario = "authorize"
  const closed = (name: string, length: number) =>
    measureWindow(bench, name, [gateway], {
      scenario,
      side: "subject",
      connections: closedConnections,
      seconds: length,
      currency
    })
  progress("overload: warming up")
  yield* closed("warm-up", warmUpSeconds)
  const measured: Array<{ readonly capacity: number; readonly phases: ReadonlyArray<PhaseResult> }> = []
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`)
    const { sample } = yield* closed("capacity", seconds)
    yield* database.settle
    const phases = yield* Effect.raceFirst(
      gateway.ended,
      generator.arrive({
        scenario,
        ports: [gateway.port],
        currency,
        connections: openConnections,
        phases: [
          { perSecond: sample.rps * calmFactor, seconds: calmSeconds },
          { perSecond: sample.rps * overloadFactor, seconds: overloadSeconds },
          { perSecond: sample.rps * calmFactor, seconds: recoverySeconds }
        ]
      })
    )
    const unexpected = phases.flatMap((phase) => Object.entries(phase.unexpected))
    if (unexpected.length > 0) {
      const counts = unexpected
        .map(([status, count]) => `${count} times ${status === "0" ? "nothing" : status}`)
        .join(", ")
      return yield* new BenchFailed({ message: `The run is invalid: the gateway answered ${counts}.` })
    }
    measured.push({ capacity: sample.rps, phases })
    const [, loaded, after] = phases
    progress(
      `  four times: ${loaded?.acceptedPerSecond.toFixed(0)}/s accepted, p99 ${loaded?.acceptedP99Millis.toFixed(0)} ms; recovered after ${after?.wellAfterMillis ?? "more than 7000"} ms`
    )
  }
  const over = (phase: number, read: (result: PhaseResult) => number, digits = 0) =>
    figure(medianKnown(measured.map(({ phases }) => phases[phase]).map((result) => result && read(result))), digits)
  return {
    figures: phaseNames.map((name, phase) => ({
      load: name,
      offered: over(phase, ({ offered }) => offered),
      accepted_rps: over(phase, ({ acceptedPerSecond }) => acceptedPerSecond),
      shed_rps: over(phase, ({ shedPerSecond }) => shedPerSecond),
      accepted_p50_ms: over(phase, ({ acceptedP50Millis }) => acceptedP50Millis, 1),
      accepted_p99_ms: over(phase, ({ acceptedP99Millis }) => acceptedP99Millis, 1),
      shed_p50_ms: over(phase, ({ shedP50Millis }) => shedP50Millis, 1),
      shed_p99_ms: over(phase, ({ shedP99Millis }) => shedP99Millis, 1)
    })),
    aims: [
      aimAtMost(
        "p99 of what is accepted at four times the capacity, in ms",
        over(1, (r) => r.acceptedP99Millis),
        acceptedMillisMax
      ),
      aimAtMost(
        "ms after the overload until 99 % of the requests of a second are accepted and as quick as before it",
        over(2, (r) => r.wellAfterMillis ?? Number.POSITIVE_INFINITY),
        recoveryMillisMax
      )
    ],
    notes: [
      `The capacity is that at ${closedConnections} connections: ${figure(medianKnown(measured.map(({ capacity }) => capacity)), 0)} payments a second.`,
      "As quick as before: at most twice the p99 of the first phase, and 50 ms.",
      `Requests come when they are due, on ${openConnections} connections, and their time counts from then.`
    ],
    machine: describeMachine(database.version)
  }
})
