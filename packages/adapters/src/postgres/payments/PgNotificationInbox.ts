import { NotificationInbox } from "@sarraf/domain/payments/NotificationInbox"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../../signing/Vault.ts"
import { orUnavailable } from "../orUnavailable.ts"

/** Longer than what follows from a message takes; after a crash another process goes on. */
const leaseMillis = 90_000

const Texts = Schema.Record(Schema.String, Schema.String)
const Message = Schema.fromJsonString(
  Schema.Struct({ headers: Texts, query: Texts, body: Schema.Uint8ArrayFromBase64 })
)
const encode = Schema.encodeSync(Message)
const decode = Schema.decodeSync(Message)

const placeOf = (provider: string, id: string) => `inbound_notifications ${provider} ${id}`

interface KeptRow {
  readonly provider: string
  readonly id: string
  readonly sealed: string
  readonly tries: number
  readonly due_at: Date
}

/** A statement that changes rows returns them in any order. */
const oldestFirst = (rows: ReadonlyArray<KeptRow>) => [...rows].sort((a, b) => a.due_at.getTime() - b.due_at.getTime())

/** The providers' messages in PostgreSQL, sealed, for they may name a buyer; erased once they are done. */
export const layer = Layer.effect(
  NotificationInbox,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* makeVault

    return NotificationInbox.of({
      keep: Effect.fn("PgNotificationInbox.keep")(function* (provider, ids, message, now) {
        const text = Redacted.make(encode(message))
        const at = new Date(now)
        const keep = (id: string) =>
          sql`INSERT INTO inbound_notifications ${sql.insert({
            provider,
            id,
            sealed: vault.seal(text, placeOf(provider, id)),
            received_at: at,
            due_at: at
          })} ON CONFLICT DO NOTHING`
        yield* sql.withTransaction(Effect.forEach(ids, keep, { discard: true }))
      }, orUnavailable),
      claim: Effect.fn("PgNotificationInbox.claim")(function* (now, limit) {
        const leaseUntil = now + leaseMillis
        const rows = yield* sql<KeptRow>`
          WITH due AS MATERIALIZED (SELECT provider, id FROM inbound_notifications
            WHERE due_at <= ${new Date(now)} AND (lease_until IS NULL OR lease_until <= ${new Date(now)})
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          UPDATE inbound_notifications n SET lease_until = ${new Date(leaseUntil)} FROM due
          WHERE n.provider = due.provider AND n.id = due.id
          RETURNING n.provider, n.id, n.sealed, n.tries, n.due_at`
        const opened = yield* Effect.forEach(oldestFirst(rows), ({ id, provider, sealed, tries }) =>
          vault.open(sealed, placeOf(provider, id)).pipe(
            Effect.map((text) => [{ provider, id, tries, leaseUntil, message: decode(Redacted.value(text)) }]),
            Effect.catchTag("SealBroken", ({ message: why }) =>
              Effect.as(Effect.logError(`The notification ${id} of ${provider} could not be opened. ${why}`), [])
            )
          )
        )
        return opened.flat()
      }, orUnavailable),
      release: Effect.fn("PgNotificationInbox.release")(function* ({ id, leaseUntil, provider }, againAt) {
        const mine = sql.and([sql`provider = ${provider}`, sql`id = ${id}`, sql`lease_until = ${new Date(leaseUntil)}`])
        yield* againAt === null
          ? sql`UPDATE inbound_notifications SET due_at = NULL, lease_until = NULL, sealed = '' WHERE ${mine}`
          : sql`UPDATE inbound_notifications SET due_at = ${new Date(againAt)}, lease_until = NULL, tries = tries + 1
              WHERE ${mine}`
      }, orUnavailable)
    })
  })
)
