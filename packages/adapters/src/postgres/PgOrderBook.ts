import { type Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OrderBook } from "../providers/OrderBook.ts"
import * as GroupCommit from "./GroupCommit.ts"

interface Entry {
  readonly provider: string
  readonly key: string
  readonly value: object
}

/**
 * Committed without waiting for the disk: what the gateway commits after the simulator's answer does wait, and the log
 * is written in order, so no payment of ours ever names an order that the book has lost.
 */
const saveSql = `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS off)
  INSERT INTO simulator_orders (provider, key, value)
  SELECT provider, key, value FROM jsonb_to_recordset($1::jsonb) AS t (provider text, key text, value jsonb), relaxed
  WHERE relaxed.off = 'off' ORDER BY provider, key
  ON CONFLICT (provider, key) DO UPDATE SET value = excluded.value`

/** A statement may touch a row once: of several writes to one key in a batch the last counts. */
const lastOfEach = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => [
  ...new Map(entries.map((entry) => [`${entry.provider} ${entry.key}`, entry])).values()
]

/** The simulators' book in PostgreSQL, shared by all processes of a sandbox. A lost database is a defect of the sandbox. */
export const make: Effect.Effect<OrderBook, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const save = yield* GroupCommit.make({
    statement: (entries: Array.NonEmptyReadonlyArray<Entry>) =>
      Effect.as(sql.unsafe(saveSql, [JSON.stringify(lastOfEach(entries))]), entries)
  })
  return {
    find: (provider, key) =>
      sql<{ value: unknown }>`SELECT value FROM simulator_orders WHERE provider = ${provider} AND key = ${key}`.pipe(
        Effect.map(([row]) => row?.value),
        Effect.orDie
      ),
    save: (provider, key, value) => Effect.orDie(Effect.asVoid(save({ provider, key, value })))
  }
})
