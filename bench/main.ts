import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import * as BenchDatabase from "./BenchDatabase.ts"
import { BenchFailed } from "./BenchFailed.ts"
import * as LoadGenerator from "./load/LoadGenerator.ts"
import { describeMachine } from "./machine.ts"
import { measure } from "./measure.ts"
import { type Options, readOptions } from "./options.ts"
import { formatJson, formatTable, type Report, report } from "./report.ts"
import * as ServerProcess from "./ServerProcess.ts"

const gatewayMain = fileURLToPath(new URL("../packages/runtime-http/src/main.ts", import.meta.url))
const baselineMain = fileURLToPath(new URL("./baseline/server.ts", import.meta.url))

/** As a merchant meets it, but for the rate limit, which is there to be hit by one client that sends this much. */
const gatewayEnvironment = (databaseUrl: string, folder: string) => ({
  PORT: "0",
  SARRAF_MODE: "test",
  DATABASE_URL: databaseUrl,
  SARRAF_DATA_DIR: join(folder, "gateway"),
  SARRAF_RATE_LIMIT_PER_SECOND: "1000000",
  LOG_LEVEL: "info"
})

const bench = Effect.fn("bench")(function* ({ profile, rounds, ...options }: Options) {
  // Progress goes to standard error: standard output is for the figures.
  const progress = (line: string) => console.error(line)
  progress("starting PostgreSQL and both servers")
  const database = yield* BenchDatabase.start
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]
  const gateway = [...profiling, gatewayMain]
  const subject = yield* ServerProcess.start(
    "gateway",
    gateway,
    gatewayEnvironment(database.gatewayUrl, database.folder)
  )
  const baseline = yield* ServerProcess.start("baseline", [baselineMain, database.host, "baseline"], {})
  const generator = yield* LoadGenerator.start
  const machine = describeMachine(database.version)
  const reports: Array<Report> = []
  for (const connections of options.connections) {
    const window = { ...options, connections }
    const measured = yield* measure(
      { servers: { subject, baseline }, generator, settle: database.settle, progress },
      window,
      rounds
    )
    reports.push(report({ ...window, machine }, measured))
  }
  return reports
})

const publish = (reports: ReadonlyArray<Report>, json: boolean | string) => {
  if (typeof json === "string") writeFileSync(json, `${formatJson(reports)}\n`)
  console.log(json === true ? formatJson(reports) : formatTable(reports))
}

const program = Effect.gen(function* () {
  const options = yield* Effect.try({
    try: () => readOptions(process.argv.slice(2)),
    catch: (cause) => new BenchFailed({ message: cause instanceof Error ? cause.message : String(cause) })
  })
  // The figures are printed once everything has stopped, so that they are the last that is read.
  publish(yield* Effect.scoped(bench(options)), options.json)
}).pipe(
  Effect.tapError(({ message }) => Effect.sync(() => console.error(message))),
  Effect.tapDefect((defect) => Effect.sync(() => console.error(defect)))
)

// Every failure has been told above, in a sentence instead of a trace.
NodeRuntime.runMain(program, { disableErrorReporting: true })
