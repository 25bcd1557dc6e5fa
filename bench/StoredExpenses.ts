import { Effect } from "effect"
import postgres from "postgres"
import { BenchFailed } from "./BenchFailed.ts"
import { typeIdFunction } from "./StoredPayments.ts"

/** The sandbox's organization, whose key the load is sent with. */
const organization = "org_01kd8z0000e0080000000000s1"

/** Inserted in one statement: few enough for its memory. */
const batchMax = 20_000
/** Over how long the expenses were made, the newest an hour ago. */
const spreadDays = 365
/** How long the service may take to add them to its sums: a million need a minute on an idle machine. */
const foldMillisMax = 20 * 60_000
const foldPollMillis = 1_000

const people = 300
const departments = 20
const merchants = 400
const categories = 15

/** People of departments; each spends at forty of the merchants. */
const membership = `
  INSERT INTO departments (organization_id, id, name)
    SELECT '${organization}', 'dep_stored_' || n, 'Stored ' || n FROM generate_series(1, ${departments}) AS n;
  INSERT INTO users (id, email, name)
    SELECT 'usr_stored_' || n, 'stored-' || n || '@example.com', 'Stored ' || n FROM generate_series(1, ${people}) AS n;
  INSERT INTO members (organization_id, user_id, email, name, role, status)
    SELECT '${organization}', id, email, name, 'MEMBER', 'ACTIVE' FROM users WHERE id LIKE 'usr\\_stored\\_%'`

/**
 * Expenses with numbers from a hash, the same each time: five currencies, of which two in a hundred foreign ones have no
 * rate; every status, one in fifty without a category, a fifth without a receipt.
 */
const batch = `
  INSERT INTO expenses (organization_id, id, version, status, currency, amount, merchant, category, date, receipt_url,
      department_id, user_id, created_by, creators, submitters, base_minor, base_currency, base_rate, base_rate_date,
      violations, duplicates, submitted_at, decided_at, created_at, updated_at)
    SELECT '${organization}', 'exp_' || pg_temp.type_id(millis, n), 1, status, currency, amount, 'Merchant ' || merchant,
      CASE WHEN h % 50 > 0 THEN 'Category ' || CASE WHEN h % 10 = 1 THEN h / 7 % ${categories} ELSE merchant % ${categories} END END,
      at::date, CASE WHEN h % 5 > 0 THEN 'https://example.com/receipt' END, 'dep_stored_' || 1 + person % ${departments},
      'usr_stored_' || person, 'user:usr_stored_' || person, '{}', '{}',
      CASE WHEN isConverted THEN CASE currency WHEN 'TRY' THEN amount ELSE amount * 41 END END,
      CASE WHEN isConverted THEN 'TRY' END, CASE WHEN isConverted THEN '1' END, CASE WHEN isConverted THEN at::date END,
      '[]', '[]', at, CASE WHEN status IN ('APPROVED', 'REJECTED', 'REIMBURSED') THEN at + interval '2 days' END, at, at
    FROM (
      SELECT *, currency = 'TRY' OR h / 90 % 50 > 0 AS isConverted, (person * 7 + h / 3 % 40) % ${merchants} AS merchant
      FROM (
        SELECT n, h, millis, to_timestamp(millis / 1000.0) AS at, 100 + h % 90000 AS amount, 1 + h / 13 % ${people} AS person,
          (ARRAY['TRY', 'TRY', 'TRY', 'TRY', 'USD', 'EUR', 'GBP', 'AED'])[1 + h / 17 % 8] AS currency,
          (ARRAY['DRAFT', 'PENDING', 'APPROVED', 'APPROVED', 'REIMBURSED', 'REIMBURSED', 'REIMBURSED', 'REIMBURSED',
            'REIMBURSED', 'REJECTED'])[1 + h / 19 % 10] AS status
        FROM (
          SELECT n, (hashint8(n)::bigint + 2147483648) * 1009 AS h,
            ((extract(epoch FROM $1::timestamptz) - 3600 - ($4::bigint - n) * ${spreadDays} * 86400.0 / $4::bigint) * 1000)::bigint
              AS millis
          FROM generate_series($2::bigint, $3::bigint) AS n) AS numbered) AS drawn) AS made`

/**
 * Fills the database of a service that runs with expenses of one organization, and waits until the service has added them
 * to its sums.
 */
export const fillExpenses = Effect.fn("bench.fillExpenses")(function* (
  database: { readonly host: string; readonly username: string; readonly name: string },
  count: number
) {
  const sql = yield* Effect.acquireRelease(
    Effect.sync(() => postgres({ ...database, database: database.name, max: 1, onnotice: () => {} })),
    (client) => Effect.promise(() => client.end({ timeout: 1 }))
  )
  const store = async () => {
    await sql`SET synchronous_commit = off`
    await sql.unsafe(typeIdFunction)
    await sql.unsafe(membership)
    const now = new Date()
    for (let first = 1; first <= count; first += batchMax) {
      await sql.unsafe(batch, [now, first, Math.min(count, first + batchMax - 1), count])
    }
    const deadline = performance.now() + foldMillisMax
    while ((await sql`SELECT 1 FROM spend_changes LIMIT 1`).length > 0) {
      if (performance.now() > deadline) throw new Error("the service did not add them to its sums")
      await new Promise((resolve) => setTimeout(resolve, foldPollMillis))
    }
    await sql`VACUUM ANALYZE`
  }
  yield* Effect.tryPromise({
    try: store,
    catch: (cause) => new BenchFailed({ message: `${count} expenses could not be stored: ${cause}` })
  })
})
