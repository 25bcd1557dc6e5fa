import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import postgres from "postgres"
import { BenchFailed } from "./BenchFailed.ts"
import { Connection } from "./load/Connection.ts"
import { authorize } from "./scenarios/authorize.ts"
import { capture } from "./scenarios/capture.ts"
import { type NextRequest, paymentOf } from "./scenarios/Scenario.ts"

/** Copied in one statement: few enough for its memory. */
const batchMax = 20_000
/** Over how long the copies were made, the newest an hour ago. */
const spreadDays = 365
/** How often what is sealed is looked at. */
const lookMillis = 500

const send = (port: number, next: NextRequest) =>
  Effect.tryPromise({
    try: async () => {
      const request = next()
      if (request === undefined) throw new Error("there was nothing to send")
      const connection = await Connection.open(port)
      try {
        const { status, text } = await new Promise<{ status: number; text: string }>((resolve) =>
          connection.send(request.text, resolve, true)
        )
        if (status !== 200) throw new Error(`${status} ${text}`)
        return text
      } finally {
        connection.close()
      }
    },
    catch: (cause) => new BenchFailed({ message: `The payment to copy could not be made: ${cause}` })
  })

/** One that was authorized and captured through the gateway, whose rows the others are made after. */
const makeTemplate = Effect.fn("bench.makeTemplate")(function* (port: number, currency: string) {
  const run = { currency, token: `template-${Date.now()}`, payments: [] }
  const payment = paymentOf(yield* send(port, authorize.subject(run)))
  if (payment === undefined) return yield* new BenchFailed({ message: "The payment to copy has no identifier." })
  yield* send(port, capture.subject({ ...run, payments: [payment] }))
  return payment
})

/**
 * A TypeID's 26 characters of a UUIDv7 (RFC 9562): its time is the first ten, `e` and `8` hold version and variant, and
 * all else is arbitrary, here hexadecimal digits of a hash.
 */
const timeCharacters = Array.from(
  { length: 10 },
  (_, place) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((millis >> ${45 - place * 5}) & 31)::int + 1, 1)`
)
export const typeIdFunction = `CREATE FUNCTION pg_temp.type_id(millis bigint, n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT ${timeCharacters.join(" || ")} || 'e' || substr(md5(n::text), 1, 2) || '8' || substr(md5(n::text), 3, 12) $$`

/** The rows of one payment, apart, so that nobody looks for them among a million others at each batch. */
const templateTables = (template: string) =>
  [
    ["old_payments", "payments", "id"],
    ["old_attempts", "payment_attempts", "payment_id"],
    ["old_operations", "payment_operations", "payment_id"],
    ["old_events", "payment_events", "payment_id"],
    ["old_audit", "audit_log", "subject"]
  ]
    .map(([copy, table, key]) => `CREATE TEMP TABLE ${copy} AS SELECT * FROM ${table} WHERE ${key} = '${template}';`)
    .join("\n")

/** The template's rows as text, in which its identifiers are to be replaced, and the copies of one batch. */
const copies = `CREATE FUNCTION pg_temp.copy(template text, first bigint, last bigint, count bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  old_reference text; old_attempt text; old_operation text; old_at timestamptz;
BEGIN
  SELECT merchant_reference, created_at INTO old_reference, old_at FROM old_payments;
  SELECT reference INTO old_attempt FROM old_attempts;
  SELECT id INTO old_operation FROM old_operations;
  CREATE TEMP TABLE IF NOT EXISTS made (n bigint, id text, operation text, reference text, attempt text, age interval);
  TRUNCATE made;
  INSERT INTO made SELECT n, 'txn_' || pg_temp.type_id(millis, n),
      split_part(old_operation, '_', 1) || '_' || pg_temp.type_id(millis, n + count), 'stored-' || n,
      substr(md5('attempt ' || n) || md5('more ' || n), 1, length(old_attempt)), old_at - to_timestamp(millis / 1000.0)
    FROM (SELECT n, ((extract(epoch FROM old_at) - 3600 - (count - n) * ${spreadDays} * 86400.0 / count) * 1000)::bigint AS millis
      FROM generate_series(first, last) AS n) AS times;
  INSERT INTO payments SELECT row.* FROM made m, old_payments p,
    jsonb_populate_record(p, jsonb_build_object('id', m.id, 'merchant_reference', m.reference,
      'created_at', p.created_at - m.age, 'updated_at', p.updated_at - m.age, 'expires_at', p.expires_at - m.age)) AS row;
  INSERT INTO payment_attempts SELECT a.organization_id, m.id, a.number, a.provider, m.attempt, a.outcome, a.deadline - m.age
    FROM made m, old_attempts a;
  INSERT INTO payment_operations (organization_id, payment_id, id, type, amount, status)
    SELECT o.organization_id, m.id, m.operation, o.type, o.amount, o.status
    FROM made m, old_operations o;
  INSERT INTO payment_events SELECT e.organization_id, m.id, e.sequence, e.type, e.at - m.age,
      replace(replace(replace(replace(e.data::text, template, m.id), old_operation, m.operation),
        old_reference, m.reference), old_attempt, m.attempt)::jsonb
    FROM made m, old_events e;
  INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, detail)
    SELECT a.organization_id, a.at - m.age, a.actor, a.request_id, a.action, m.id,
      replace(a.detail::text, old_operation, m.operation)::jsonb
    FROM made m, old_audit a;
END $$`

/**
 * Fills a gateway's database with payments that were captured in the year before, made after one that went through it.
 * Gives the identifiers of some of them, spread over all. Their times within `data` are the template's: nothing reads
 * them back but to show them.
 */
export const fill = Effect.fn("bench.fill")(function* (
  database: { readonly host: string; readonly username: string; readonly name: string },
  gateway: { readonly port: number; readonly currency: string },
  count: number,
  sampleSize: number
) {
  const template = yield* makeTemplate(gateway.port, gateway.currency)
  const sql = yield* Effect.acquireRelease(
    Effect.sync(() => postgres({ ...database, database: database.name, max: 1, onnotice: () => {} })),
    (client) => Effect.promise(() => client.end({ timeout: 1 }))
  )
  return yield* Effect.tryPromise({
    try: async () => {
      await sql`SET synchronous_commit = off`
      await sql.unsafe(typeIdFunction)
      await sql.unsafe(templateTables(template))
      await sql.unsafe(copies)
      for (let first = 1; first <= count; first += batchMax) {
        await sql`SELECT pg_temp.copy(${template}, ${first}, ${Math.min(count, first + batchMax - 1)}, ${count})`
      }
      // The gateway seals its audit trail beside requests, for minutes after a million: what a year brought is long sealed.
      for (;;) {
        const [waiting] = await sql`SELECT id FROM audit_log WHERE sequence IS NULL LIMIT 1`
        if (waiting === undefined) break
        await setTimeout(lookMillis)
      }
      await sql`VACUUM ANALYZE`
      const rows = await sql<Array<{ id: string }>>`SELECT id FROM payments ORDER BY random() LIMIT ${sampleSize}`
      return rows.map(({ id }) => id)
    },
    catch: (cause) => new BenchFailed({ message: `${count} payments could not be stored: ${cause}` })
  })
})
