import { assert, layer } from "@effect/vitest"
import * as ReadingPool from "@sarraf/adapters/postgres/assistant/ReadingPool"
import { seedSandbox } from "@sarraf/adapters/postgres/seedSandbox"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { AssistantReads } from "@sarraf/domain/assistants/AssistantReads"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Context, Effect, Layer, Predicate, Redacted, Result } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Database from "../../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })
const onDatabase = Layer.effectDiscard(seedSandbox).pipe(Layer.provideMerge(Layer.merge(Database.layer, keys)))

const sandbox = "org_01kd8z0000e0080000000000s1"
const caller: Caller["Service"] = {
  organizationId: sandbox,
  role: "OWNER",
  name: "user:usr_01kd8z0000e0080000000000p1",
  kind: "user",
  userId: "usr_01kd8z0000e0080000000000p1",
  createdBy: null
}

/** What PostgreSQL said no with: its code, and its words. */
const refusalOf = (cause: unknown): string => {
  const error = SqlError.isSqlError(cause) ? cause.reason.cause : undefined
  return Predicate.hasProperty(error, "code") ? String(error.code) : `no refusal of PostgreSQL: ${String(cause)}`
}

/** A fiber's connection that only reads, and `attempt`: what it says to a statement in a unit of work. */
const reading = Effect.gen(function* () {
  const pool = ReadingPool.unitsLayer.pipe(Layer.provideMerge(ReadingPool.layer))
  const context = yield* Layer.build(Layer.fresh(pool))
  const sql = Context.get(context, SqlClient.SqlClient)
  const reads = Context.get(context, AssistantReads)
  const run = <A, E>(effect: Effect.Effect<A, E>) =>
    reads.run(effect).pipe(Effect.provideService(Caller, caller), Effect.sandbox)
  return {
    sql,
    run,
    attempt: (...statements: ReadonlyArray<string>) =>
      run(Effect.forEach(statements, (statement) => sql.unsafe(statement))).pipe(
        Effect.result,
        Effect.map((result) => {
          if (Result.isSuccess(result)) return `answered ${JSON.stringify(result.success)}`
          const [reason] = result.failure.reasons
          if (reason?._tag === "Die") return refusalOf(reason.defect)
          return reason?._tag === "Fail"
            ? String(Predicate.hasProperty(reason.error, "_tag") ? reason.error._tag : "")
            : "interrupted"
        })
      )
  }
})

/** Codes of PostgreSQL's appendix A. */
const readOnly = "25006"
const insufficient = "42501"

interface Relation {
  readonly name: string
  readonly column: string
}

/** Everything that holds rows, and one column of it. */
const relations = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Relation>`SELECT c.relname AS name, (SELECT attname FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum LIMIT 1) AS column
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') ORDER BY 1`
)

const writesOn = ({ column, name }: Relation) => [
  `INSERT INTO "${name}" DEFAULT VALUES`,
  `UPDATE "${name}" SET "${column}" = "${column}"`,
  `DELETE FROM "${name}"`,
  `TRUNCATE "${name}"`,
  `DROP TABLE "${name}"`,
  `ALTER TABLE "${name}" ADD COLUMN added INTEGER`,
  `CREATE INDEX ON "${name}" ("${column}")`,
  `COPY "${name}" FROM '/dev/null'`,
  `SELECT 1 FROM "${name}" FOR UPDATE`
]

layer(onDatabase)("The connections that assistants read on", (it) => {
  it.effect("are of the role that only reads, in a transaction that only reads, as of one moment", () =>
    Effect.gen(function* () {
      const { run, sql } = yield* reading
      const [row] = yield* run(sql`SELECT current_user AS role, current_setting('transaction_read_only') AS read_only,
        current_setting('transaction_isolation') AS isolation, current_setting('statement_timeout') AS timeout,
        current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('sarraf.organization') AS organization`)
      assert.deepStrictEqual(row, {
        role: "sarraf_assistant",
        read_only: "on",
        isolation: "repeatable read",
        timeout: "5s",
        idle: "10s",
        organization: sandbox
      })
    })
  )

  it.effect("are so outside of a unit of work too, and see nothing there", () =>
    Effect.gen(function* () {
      const { sql } = yield* reading
      const [row] = yield* sql`SELECT current_user AS role, current_setting('transaction_read_only') AS read_only`
      assert.deepStrictEqual(row, { role: "sarraf_assistant", read_only: "on" })
      const unseen = yield* Effect.flip(sql`SELECT * FROM expenses`)
      assert.strictEqual(refusalOf(unseen), "42704")
    })
  )

  it.effect("write to no table, in no way", () =>
    Effect.gen(function* () {
      const { attempt } = yield* reading
      const all = yield* relations
      assert.isAbove(all.length, 40)
      for (const relation of all) {
        for (const statement of writesOn(relation)) {
          assert.include([readOnly, insufficient, "42809", "55000"], yield* attempt(statement), statement)
        }
      }
    })
  )

  it.effect("could not write either where the transaction did: the role has no right to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const relation of yield* relations) {
        for (const statement of writesOn(relation)) {
          const tried = sql.withTransaction(
            Effect.andThen(
              sql`SELECT set_config('role', 'sarraf_assistant', true), set_config('sarraf.organization', ${sandbox}, true)`,
              sql.unsafe(statement)
            )
          )
          const refused = yield* Effect.flip(tried)
          assert.include([insufficient, "42809"], refusalOf(refused), statement)
        }
      }
    })
  )

  it.effect("make nothing, call nothing that writes, and reach no file", () =>
    Effect.gen(function* () {
      const { attempt } = yield* reading
      const sql = yield* SqlClient.SqlClient
      const statements = [
        "CREATE TABLE made (id INTEGER)",
        "CREATE TEMPORARY TABLE made (id INTEGER)",
        "CREATE SCHEMA made",
        "CREATE FUNCTION made() RETURNS INTEGER LANGUAGE sql AS 'SELECT 1'",
        "CREATE ROLE made",
        "SELECT nextval('audit_log_id_seq')",
        "SELECT setval('audit_log_id_seq', 1)",
        "SELECT lo_from_bytea(0, 'kept')",
        "SELECT lo_create(0)",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_ls_dir('/')",
        "COPY (SELECT 1) TO '/tmp/made'",
        "COPY (SELECT 1) TO PROGRAM 'cat'",
        "GRANT ALL ON expenses TO PUBLIC",
        "ALTER SYSTEM SET work_mem = '1GB'",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
        "SELECT password_hash FROM users",
        "SELECT rolpassword FROM pg_authid",
        "SET TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', true)"
      ]
      for (const statement of statements) {
        assert.include([readOnly, insufficient, "25001", "22023", "55000"], yield* attempt(statement), statement)
      }
      assert.deepStrictEqual(yield* sql`SELECT oid FROM pg_largeobject_metadata`, [])
    })
  )

  it.effect("write nothing where a statement could lay the role down: the transaction cannot", () =>
    Effect.gen(function* () {
      const { attempt } = yield* reading
      for (const write of [
        "DELETE FROM policies",
        "UPDATE organizations SET name = 'taken'",
        "SET TRANSACTION READ WRITE",
        "CREATE TABLE made (id INTEGER)",
        "SELECT lo_from_bytea(0, 'kept')"
      ]) {
        for (const laying of ["SET ROLE none", "RESET ROLE", "SET LOCAL ROLE sarraf_tenant", "SET ROLE postgres"]) {
          assert.include([readOnly, "25001", "22023"], yield* attempt(laying, write), `${laying}; ${write}`)
        }
      }
    })
  )

  it.effect("keep nothing of what a transaction did: it is undone when it has answered", () =>
    Effect.gen(function* () {
      const { run, sql } = yield* reading
      yield* run(sql`SELECT set_config('work_mem', '512MB', false)`)
      yield* run(sql`SELECT pg_advisory_xact_lock(1)`)
      const settings = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        () => sql`SELECT current_setting('work_mem') AS memory`
      )
      for (const [row] of settings) assert.notStrictEqual(row?.memory, "512MB")
    })
  )

  it.effect("end a statement that takes too long, and say so", () =>
    Effect.gen(function* () {
      const { attempt } = yield* reading
      assert.strictEqual(
        yield* attempt("SELECT set_config('statement_timeout', '50', true)", "SELECT pg_sleep(60)"),
        "TooSlow"
      )
      assert.strictEqual(yield* attempt("SELECT 1 AS one"), 'answered [[{"one":1}]]')
    })
  )
})

layer(onDatabase)("The role that assistants read as", (it) => {
  it.effect("sees these columns and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{
        readonly name: string
        readonly columns: ReadonlyArray<string>
        readonly whole: boolean
      }>`
        SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE readable) AS columns,
          bool_and(readable) AS whole
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped,
          LATERAL (SELECT has_column_privilege('sarraf_assistant', c.oid, a.attnum, 'SELECT') AS readable) AS privilege
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
        GROUP BY c.relname HAVING bool_or(readable) ORDER BY c.relname`
      const whole = rows.filter((row) => row.whole).map(({ name }) => name)
      const partly = rows.filter((row) => !row.whole).map(({ name }) => name)
      assert.deepStrictEqual(whole, [
        "approval_decisions",
        "approval_delegations",
        "approvals",
        "assistant_payment_steps",
        "assistant_payments",
        "bills",
        "card_transactions",
        "cards",
        "departments",
        "expenses",
        "members",
        "organizations",
        "policies",
        "policy_versions",
        "spend_changes",
        "spend_sums",
        "vendor_contracts"
      ])
      assert.deepStrictEqual(partly, ["payment_operations", "payments", "vendors"])
      const columnsOf = (table: string) => rows.find(({ name }) => name === table)?.columns ?? []
      assert.notInclude(columnsOf("vendors"), "bank_account")
      // A new column of one of these tables is seen at once: it must not be called like a secret.
      for (const { columns, name } of rows) {
        for (const column of columns) {
          const isDigestOfBill = name === "bills" && column === "digest"
          assert.isTrue(
            isDigestOfBill || !/secret|sealed|digest|hash|password|token|bank_account|cvc/u.test(column),
            `${name}.${column}`
          )
        }
      }
    })
  )

  it.effect("has row security on every table that it may read, and cannot sign in", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const open = yield* sql`SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
        AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
        AND has_any_column_privilege('sarraf_assistant', c.oid, 'SELECT')`
      assert.deepStrictEqual(open, [])
      const [role] = yield* sql`SELECT rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
        (SELECT count(*)::int FROM pg_auth_members WHERE member = pg_roles.oid) AS memberships
        FROM pg_roles WHERE rolname = 'sarraf_assistant'`
      assert.deepStrictEqual(role, {
        rolcanlogin: false,
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        memberships: 0
      })
    })
  )

  it.effect("changes nothing for others whom a grant lets at payments", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const role = `reporting_${process.pid}`
      const seen = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`CREATE ROLE ${sql(role)}`
          yield* sql`GRANT SELECT, INSERT, DELETE ON payments TO ${sql(role)}`
          yield* sql`SELECT set_config('role', ${role}, true)`
          yield* sql`INSERT INTO payments (organization_id, id, client_id, merchant_reference, holds_reference, currency,
              amount, status, authorization_state, provider, authorized, captured, capture_pending, released, refunded,
              refund_pending, disputed, created_at, updated_at, version)
            VALUES (${sandbox}, 'txn_1', 'shop', 'order-1', true, 'TRY', 100, 'PENDING', 'PENDING', 'garanti', 0, 0, 0, 0, 0,
              0, 0, now(), now(), 1)`
          return yield* Effect.flip(Effect.flatMap(sql`DELETE FROM payments RETURNING id`, Effect.fail))
        })
      )
      assert.deepStrictEqual(yield* seen, [{ id: "txn_1" }])
      yield* sql`DROP OWNED BY ${sql(role)}`
      yield* sql`DROP ROLE ${sql(role)}`
    })
  )
})
