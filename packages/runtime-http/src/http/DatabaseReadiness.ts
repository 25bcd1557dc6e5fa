import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Readiness } from "./Health.ts"

/** Ready is who reaches the database. */
export const layer = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const answers = Effect.as(sql`SELECT 1`, { ready: true, reasons: [] })
    return {
      check: answers.pipe(
        Effect.timeout("2 seconds"),
        Effect.catch(() => Effect.succeed({ ready: false, reasons: ["the database does not answer"] }))
      )
    }
  })
)
