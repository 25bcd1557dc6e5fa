import { PgClient } from "@effect/sql-pg"
import { Context, Effect } from "effect"

/** One listens for wakes; the rest take, record and repeat. */
const connectionsMax = 5

/**
 * Connections of their own for the delivery of webhooks, so that a backlog never stands in the way of requests. They commit
 * without waiting for the disk: what a crash of the database forgets is only that something was taken or done, and it is
 * done again. Their statements name each claim, so that a prepared one would never be used again; and they go by index,
 * whatever the statistics of a table that is empty now and holds a million rows an hour later.
 */
export const DeliveryConnections = Context.Reference<PgClient.PgClient | undefined>(
  "@sarraf/adapters/postgres/webhooks/DeliveryConnections",
  { defaultValue: () => undefined }
)

const settings = {
  TimeZone: "UTC",
  synchronous_commit: "off",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off"
} as const

/** Opens them, when they are needed, to the same database as the other connections. */
export const make = (options: PgClient.PgPoolConfig) =>
  PgClient.make({
    ...options,
    maxConnections: connectionsMax,
    prepare: false,
    multiplex: true,
    startupParameters: settings
  })

/** They as a client, or where there are none the usual ones. */
export const deliveryClient = Effect.gen(function* () {
  const usual = yield* PgClient.PgClient
  return (yield* DeliveryConnections) ?? usual
})
