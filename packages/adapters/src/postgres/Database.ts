import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import * as EmbeddedPostgres from "./embedded/EmbeddedPostgres.ts"
import * as GroupWriter from "./GroupWriter.ts"
import * as DeliveryConnections from "./webhooks/DeliveryConnections.ts"

/** PostgreSQL 15, the oldest that is supported (contract, section 8), as `server_version_num` counts. */
const versionMin = 150_000

/** `message` says why the database that DATABASE_URL names cannot be used, and what to do; it holds no part of it. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** Where the database is: either `url`, `postgres://user:password@host:5432/name`, or its parts. */
export interface DatabaseOptions {
  readonly url?: Redacted.Redacted<string>
  /** A host name, or the folder of a unix socket. */
  readonly host?: string
  readonly username?: string
  readonly database?: string
  readonly maxConnections: number
  /** Shown by the server in `pg_stat_activity`. */
  readonly applicationName?: string
}

const requireVersion = Effect.fnUntraced(function* (client: PgClient.PgClient) {
  const [row] = yield* client<{ number: number; version: string }>`
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`
  if (row !== undefined && row.number >= versionMin) return
  return yield* new DatabaseUnusable({
    message: `DATABASE_URL names a PostgreSQL ${row?.version}: upgrade it to 15 or newer, or unset DATABASE_URL to use the embedded one.`
  })
})

const reasonOf = ({ message, reason }: SqlError.SqlError) =>
  reason.cause instanceof Error ? `${message}: ${reason.cause.message}` : message

const unusable = (cause: SqlError.SqlError) =>
  new DatabaseUnusable({
    message: `The database that DATABASE_URL names cannot be used (${reasonOf(cause)}): check that it runs and that host, user, password and database are right.`,
    cause
  })

/**
 * A pool of connections as `PgClient` and `SqlClient`. With `url` one connection is opened at once, and the layer fails
 * when the server cannot be reached, refuses the credentials or is older than PostgreSQL 15.
 */
export const layer = (options: DatabaseOptions) => {
  const usual = Effect.gen(function* () {
    const client = yield* PgClient.make({
      applicationName: "sarraf",
      ...options,
      // A plan that was cached while a table was empty scans it whole until statistics come: 180 statements a second
      // instead of 17,000. Planning each time costs a tenth.
      // The queues' times have no zone and follow the session's: they must not jump where the server's clocks do.
      startupParameters: { plan_cache_mode: "force_custom_plan", TimeZone: "UTC" }
    })
    if (options.url !== undefined) yield* requireVersion(client)
    return client
  })
  const groups = GroupWriter.make({
    applicationName: "sarraf",
    ...options,
    maxConnections: Math.ceil(options.maxConnections / 2)
  })
  const deliveries = DeliveryConnections.make({ applicationName: "sarraf", ...options })
  return Layer.provideMerge(
    Layer.merge(
      Layer.effect(GroupWriter.GroupWriter, Effect.mapError(groups, unusable)),
      Layer.effect(DeliveryConnections.DeliveryConnections, Effect.mapError(deliveries, unusable))
    ).pipe(Layer.provide(Reactivity.layer)),
    PgClient.layerFrom(Effect.catchTag(usual, "SqlError", (error) => Effect.fail(unusable(error))))
  )
}

/** The same on the embedded PostgreSQL, with its data in `folder`: see `EmbeddedPostgres.start`. */
export const layerEmbedded = (folder: string, maxConnections: number) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres.start(folder), ({ host, username }) =>
      layer({ host, username, database: "postgres", maxConnections })
    )
  )
