import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import * as Gateway from "../Gateway.ts"
import * as LoadGenerator from "../load/LoadGenerator.ts"
import { describeMachine } from "../machine.ts"
import { alternating, measureWindow } from "../measure.ts"
import { figure, medianKnown, windowFigures } from "../studyReport.ts"
import type { Study } from "./Study.ts"

/**
 * Two gateways beside one, on one database and at the same number of connections, half of them for each of the two. Both
 * run all the time; while one is measured, the other is idle.
 */
export const processes: Study = Effect.fn("bench.processes")(function* ({ options, progress }) {
  progress("processes: starting PostgreSQL and two gateways")
  const database = yield* BenchDatabase.start
  const databaseUrl = yield* database.create("sarraf")
  const first = yield* Gateway.start({ folder: database.folder, databaseUrl })
  // The same data folder, and so the same key.
  const second = yield* Gateway.start({ folder: database.folder, databaseUrl })
  const generator = yield* LoadGenerator.start
  const bench = { generator, settle: database.settle, progress }
  const { currency, rounds, seconds, warmUpSeconds } = options
  const cases = [
    { name: "one", servers: [first] },
    { name: "two", servers: [first, second] }
  ]
  const figures: Array<ReturnType<typeof windowFigures> & { case: string; connections: number; ratio: number | null }> =
    []
  for (const connections of options.connections) {
    const run = ({ name, servers }: (typeof cases)[number], length = seconds) =>
      measureWindow(bench, name, servers, {
        scenario: "authorize",
        side: "subject",
        connections,
        seconds: length,
        currency
      })
    progress(`processes, ${connections} connections: warming up`)
    for (const server of [first, second]) yield* run({ name: "warm-up", servers: [server] }, warmUpSeconds)
    const measured = yield* alternating(cases, rounds, progress, (each) =>
      Effect.map(run(each), ({ sample }) => sample)
    )
    const rates = measured.map((samples) => medianKnown(samples.map(({ rps }) => rps)) ?? Number.NaN)
    figures.push(
      ...measured.map((samples, index) => ({
        case: `${cases[index]?.name} process${index === 0 ? "" : "es"}`,
        connections,
        ...windowFigures(samples),
        ratio: figure((rates[index] ?? Number.NaN) / (rates[0] ?? Number.NaN), 3)
      }))
    )
  }
  return {
    figures,
    aims: [],
    notes: ["authorize; the ratio is to one process. CPU is that of all gateways for a request."],
    machine: describeMachine(database.version)
  }
})
