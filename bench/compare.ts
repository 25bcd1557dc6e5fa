import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import * as BenchDatabase from "./BenchDatabase.ts"
import * as Gateway from "./Gateway.ts"
import * as LoadGenerator from "./load/LoadGenerator.ts"
import { describeMachine } from "./machine.ts"
import { alternating, measureWindow } from "./measure.ts"
import type { Options } from "./options.ts"
import { measurePgbench, missing } from "./pgbench.ts"
import { type Report, report } from "./report.ts"
import * as ServerProcess from "./ServerProcess.ts"
import type { ComparedName } from "./scenarios/catalogue.ts"

const baselineMain = fileURLToPath(new URL("./baseline/server.ts", import.meta.url))

/** pgbench needs no warm-up for itself, its table does. */
const pgbenchWarmUpSeconds = 1

/** The gateway beside the baseline, and for new payments beside pgbench, once for each number of connections. */
export const compare = Effect.fn("bench.compare")(function* (
  scenario: ComparedName,
  options: Options,
  progress: (line: string) => void
) {
  progress(`${scenario}: starting PostgreSQL and both servers`)
  const database = yield* BenchDatabase.start
  const databaseUrl = yield* database.create("sarraf")
  yield* database.create("baseline")
  const subject = yield* Gateway.start({ folder: database.folder, databaseUrl, profile: options.profile })
  const baseline = yield* ServerProcess.start("baseline", [baselineMain, database.host, "baseline"], {})
  const generator = yield* LoadGenerator.start
  const machine = describeMachine(database.version)
  const bench = { generator, settle: database.settle, progress }
  const skipped = scenario === "authorize" ? missing() : "it makes new payments only"
  const reports: Array<Report> = []
  for (const connections of options.connections) {
    /** With a connection of its own each: no more than the database has left. */
    const clients = Math.min(connections, yield* database.connectionsLeft)
    const measureServer = (side: "subject" | "baseline", seconds = options.seconds) => {
      const server = side === "subject" ? subject : baseline
      const window = { scenario, side, connections, seconds, currency: options.currency }
      return Effect.map(measureWindow(bench, side, [server], window), ({ sample }) => sample)
    }
    const measurePg = (seconds = options.seconds) =>
      Effect.andThen(database.settle, measurePgbench(database, clients, seconds)).pipe(
        Effect.tap(({ rps }) => Effect.sync(() => progress(`  pgbench: ${rps.toFixed(0)} requests/s`)))
      )
    progress(`${scenario}, ${connections} connections: warming up`)
    yield* measureServer("subject", options.warmUpSeconds)
    yield* measureServer("baseline", options.warmUpSeconds)
    if (skipped === undefined) yield* measurePg(pgbenchWarmUpSeconds)
    const sides = ["subject", "baseline", ...(skipped === undefined ? (["pgbench"] as const) : [])] as const
    const [subjects = [], baselines = [], pgbench = []] = yield* alternating(sides, options.rounds, progress, (side) =>
      side === "pgbench" ? measurePg() : measureServer(side)
    )
    reports.push(
      report(
        { scenario, connections, seconds: options.seconds, machine },
        { subject: subjects, baseline: baselines },
        scenario === "authorize" ? { samples: pgbench, clients, skipped } : undefined
      )
    )
  }
  return reports
})
