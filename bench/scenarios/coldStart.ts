import { join } from "node:path"
import { Effect } from "effect"
import * as BenchDatabase from "../BenchDatabase.ts"
import * as Gateway from "../Gateway.ts"
import { describeMachine } from "../machine.ts"
import { alternating } from "../measure.ts"
import { figure, medianKnown } from "../studyReport.ts"
import type { Study } from "./Study.ts"

/**
 * From the start of the process to its line that it is ready: with a database that is there (`DATABASE_URL`), for the
 * first time and again, and with the embedded one, which is made at the first start and started at each later one.
 */
export const coldStart: Study = Effect.fn("bench.coldStart")(function* ({ options, progress }) {
  progress("cold-start: starting PostgreSQL")
  const database = yield* BenchDatabase.start
  const databaseUrl = yield* database.create("sarraf")
  let count = 0
  const firstDatabase = Effect.suspend(() => database.create(`first${++count}`))
  const started = (at: { readonly folder: string; readonly databaseUrl: string | undefined }) =>
    Effect.scoped(Effect.map(Gateway.start(at), ({ readyMillis }) => readyMillis))
  const embedded = join(database.folder, "embedded")
  const cases = [
    {
      name: "its database, first",
      run: Effect.flatMap(firstDatabase, (url) => started({ folder: database.folder, databaseUrl: url }))
    },
    { name: "its database, again", run: started({ folder: database.folder, databaseUrl }) },
    {
      name: "embedded, first",
      run: Effect.suspend(() => started({ folder: `${embedded}-${++count}`, databaseUrl: undefined }))
    },
    { name: "embedded, again", run: started({ folder: embedded, databaseUrl: undefined }) }
  ]
  // Compiled sources are kept beside node_modules: the first start of all is left out, and so are the first of "again".
  progress("cold-start: warming up")
  yield* started({ folder: database.folder, databaseUrl })
  yield* started({ folder: embedded, databaseUrl: undefined })
  const times = yield* alternating(cases, options.rounds, progress, ({ name, run }) =>
    Effect.tap(run, (millis) => Effect.sync(() => progress(`  ${name}: ${millis.toFixed(0)} ms`)))
  )
  return {
    figures: cases.map(({ name }, index) => {
      const own = times[index] ?? []
      return {
        case: name,
        ready_ms: figure(medianKnown(own), 0),
        fastest_ms: figure(Math.min(...own), 0),
        slowest_ms: figure(Math.max(...own), 0)
      }
    }),
    aims: [],
    notes: ["No window of load: each round starts and stops the gateway once in each case."],
    machine: describeMachine(database.version)
  }
})
