import { type Array, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { OrderBook } from "../providers/OrderBook.ts"
import { relaxedCommit } from "./AsynchronousCommit.ts"
import { firstOfEach } from "./firstOfEach.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { groupClient } from "./GroupWriter.ts"
import { rowParameters, rowsFrom } from "./RowParameters.ts"

interface Place {
  readonly provider: string
  readonly key: string
}

interface Entry extends Place {
  readonly value: object
}

const entryColumns = { provider: "text", key: "text", value: "jsonb" } as const
const newEntryColumns = { ord: "integer", ...entryColumns } as const
const placeColumns = { ord: "integer", provider: "text", key: "text" } as const

/**
 * Committed without waiting for the disk: what the gateway commits after the simulator's answer does wait, and the log
 * is written in order. Where PostgreSQL dies between the two the order may be lost, while the gateway writes its outcome
 * after the restart: a sandbox's book can then lack what happened in the last moments before the crash.
 */
const saveSql = `WITH ${relaxedCommit}
  INSERT INTO simulator_orders (provider, key, value)
  SELECT provider, key, value FROM ${rowsFrom(entryColumns, 1, "t")}, relaxed
  WHERE relaxed.off = 'off' ORDER BY provider, key
  ON CONFLICT (provider, key) DO UPDATE SET value = excluded.value`

/** As `saveSql`, for orders that must be new. */
const addSql = `WITH ${relaxedCommit},
  input AS MATERIALIZED (SELECT * FROM ${rowsFrom(newEntryColumns, 1, "t")}),
  added AS (
    INSERT INTO simulator_orders (provider, key, value)
    SELECT provider, key, value FROM input, relaxed WHERE relaxed.off = 'off' ORDER BY provider, key, ord
    ON CONFLICT DO NOTHING RETURNING provider, key)
  SELECT added.key IS NOT NULL AS added FROM input LEFT JOIN added USING (provider, key) ORDER BY input.ord`

const findSql = `SELECT o.value FROM ${rowsFrom(placeColumns, 1, "t")}
  LEFT JOIN simulator_orders o USING (provider, key) ORDER BY t.ord`

const placeOf = ({ key, provider }: Place): string => `${provider} ${key}`

/** A statement may touch a row once: of several writes to one key in a batch the last counts. */
const lastOfEach = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => [
  ...new Map(entries.map((entry) => [placeOf(entry), entry])).values()
]

const rows = (entries: ReadonlyArray<Entry>) => entries.map(({ key, provider, value }) => ({ provider, key, value }))
const newRows = (entries: ReadonlyArray<Entry>) => rows(entries).map((row, ord) => ({ ord, ...row }))
const places = (found: ReadonlyArray<Place>) => found.map(({ key, provider }, ord) => ({ ord, provider, key }))

/** The simulators' book in PostgreSQL, shared by all processes of a sandbox. A lost database is a defect of the sandbox. */
export const make: Effect.Effect<OrderBook, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const groups = yield* groupClient
  const save = yield* GroupCommit.make({
    statement: (entries: Array.NonEmptyReadonlyArray<Entry>) =>
      Effect.as(groups.unsafe(saveSql, rowParameters(entryColumns, rows(lastOfEach(entries)))), entries)
  })
  const add = yield* GroupCommit.make({
    statement: (entries: Array.NonEmptyReadonlyArray<Entry>) =>
      Effect.map(
        groups.unsafe<{ added: boolean }>(addSql, rowParameters(newEntryColumns, newRows(entries))),
        (answers) => {
          const isFirst = firstOfEach(entries, placeOf)
          return answers.map(({ added }, index) => added && isFirst[index] === true)
        }
      )
  })
  const find = yield* GroupCommit.make({
    statement: (asked: Array.NonEmptyReadonlyArray<Place>) =>
      Effect.map(groups.unsafe<{ value: unknown }>(findSql, rowParameters(placeColumns, places(asked))), (found) =>
        found.map(({ value }) => value ?? undefined)
      )
  })
  return {
    find: (provider, key) => Effect.orDie(find({ provider, key })),
    add: (provider, key, value) => Effect.orDie(add({ provider, key, value })),
    save: (provider, key, value) => Effect.orDie(Effect.asVoid(save({ provider, key, value })))
  }
})
