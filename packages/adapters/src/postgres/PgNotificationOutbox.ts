import { randomUUID } from "node:crypto"
import { type Array, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { NotificationOutbox } from "../providers/NotificationOutbox.ts"
import { relaxedCommit } from "./AsynchronousCommit.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { groupClient } from "./GroupWriter.ts"
import { rowParameters, rowsFrom } from "./RowParameters.ts"

const columns = { id: "text", provider: "text", headers: "jsonb", body: "text", due: "bigint" } as const

interface Row {
  readonly id: string
  readonly provider: string
  readonly headers: object
  /** base64 */
  readonly body: string
  /** Milliseconds from now. */
  readonly due: bigint
}

/** Without waiting for the disk, as the simulators' book: what the gateway commits afterwards does wait. */
const addSql = `WITH ${relaxedCommit}
  INSERT INTO simulator_notifications (id, provider, headers, body, due_at)
  SELECT id, provider, headers, decode(body, 'base64'), now() + due * interval '1 millisecond'
  FROM ${rowsFrom(columns, 1, "t")}, relaxed WHERE relaxed.off = 'off'`

const removeSql = `WITH ${relaxedCommit}
  DELETE FROM simulator_notifications USING ${rowsFrom({ id: "text" }, 1, "t")}, relaxed
  WHERE relaxed.off = 'off' AND simulator_notifications.id = t.id`

const Claimed = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    provider: Schema.String,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.Uint8ArrayFromBase64,
    tries: Schema.Int
  })
)
const decodeClaimed = Schema.decodeUnknownEffect(Claimed)

/** The outbox in the table `simulator_notifications`. A lost database is a defect of the sandbox. */
export const make: Effect.Effect<NotificationOutbox, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const groups = yield* groupClient
  const insert = yield* GroupCommit.make({
    statement: (rows: Array.NonEmptyReadonlyArray<Row>) =>
      Effect.as(
        groups.unsafe(
          addSql,
          rowParameters(
            columns,
            rows.map((row) => ({ ...row }))
          )
        ),
        rows
      )
  })
  const erase = yield* GroupCommit.make({
    statement: (ids: Array.NonEmptyReadonlyArray<string>) =>
      Effect.as(
        groups.unsafe(
          removeSql,
          rowParameters(
            { id: "text" },
            ids.map((id) => ({ id }))
          )
        ),
        ids
      )
  })
  const inMillis = (millis: number) => sql`now() + ${millis}::double precision * interval '1 millisecond'`
  return {
    add: ({ body, headers, provider }, dueMillis) => {
      const row = { id: randomUUID(), provider, headers, body: Buffer.from(body).toString("base64") }
      return Effect.orDie(Effect.as(insert({ ...row, due: BigInt(Math.round(dueMillis)) }), row.id))
    },
    claim: (limit, holdMillis) =>
      sql`UPDATE simulator_notifications SET due_at = ${inMillis(holdMillis)}
        WHERE id = ANY (ARRAY (SELECT id FROM simulator_notifications WHERE due_at <= now()
          ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
        RETURNING id, provider, headers, encode(body, 'base64') AS body, tries`.pipe(
        Effect.flatMap(decodeClaimed),
        Effect.orDie
      ),
    postpone: (id, dueMillis) =>
      Effect.orDie(
        Effect.asVoid(sql`UPDATE simulator_notifications SET tries = tries + 1, due_at = ${inMillis(dueMillis)}
          WHERE id = ${id}`)
      ),
    remove: (id) => Effect.orDie(Effect.asVoid(erase(id))),
    nextDueMillis: Effect.orDie(
      Effect.map(
        sql<{
          millis: number | null
        }>`SELECT (extract(epoch FROM min(due_at) - now()) * 1000)::double precision AS millis
          FROM simulator_notifications`,
        ([row]) => row?.millis ?? undefined
      )
    )
  }
})
