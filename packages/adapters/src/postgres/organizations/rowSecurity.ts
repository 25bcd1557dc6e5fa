import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Nobody signs in as it: a unit of work takes it on until its transaction ends. */
export const tenantRole = "sarraf_tenant"

/** The setting that holds the organization whose rows a transaction sees. */
export const organizationSetting = "sarraf.organization"

/** What reads for assistants: nobody signs in as it either, and it can only SELECT. */
export const assistantRole = "sarraf_assistant"

/**
 * A role that nobody signs in as and that the owner of the tables can take on. Roles belong to the whole server, so another
 * database may have made it already, or be making it at this moment. From PostgreSQL 16 on who makes a role is its member
 * without being able to take it on.
 */
const createRole = (role: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const name = sql.literal(role)
    const quoted = sql.literal(`'${role}'`)
    return Effect.andThen(
      sql`DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${quoted}) THEN CREATE ROLE ${name} NOLOGIN; END IF;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END $$`,
      sql`DO $$ BEGIN
        IF NOT pg_has_role(current_user, ${quoted},
          CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
        THEN
          EXECUTE format('GRANT ${name} TO %I', current_user);
        END IF;
      END $$`
    )
  })

/** The role under which everything of one organization is read and written. */
export const createTenantRole = createRole(tenantRole)

/** The role under which assistants read. */
export const createAssistantRole = createRole(assistantRole)

interface Isolation {
  /** The column that names the organization. */
  readonly key?: string
  /** What a unit of work may do with the rows; all by default. */
  readonly grants?: string
}

/**
 * The second wall between tenants: under the tenant's role a table shows and takes the rows of the transaction's
 * organization and no others, whatever a statement forgot to say. For migrations, on tables that have the organization in
 * their key.
 */
export const isolate = (
  table: string,
  { grants = "SELECT, INSERT, UPDATE, DELETE", key = "organization_id" }: Isolation = {}
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.all(
      [
        sql`ALTER TABLE ${sql(table)} ENABLE ROW LEVEL SECURITY`,
        sql`CREATE POLICY own_organization ON ${sql(table)} TO ${sql(tenantRole)}
          USING (${sql(key)} = current_setting(${sql.literal(`'${organizationSetting}'`)}))
          WITH CHECK (${sql(key)} = current_setting(${sql.literal(`'${organizationSetting}'`)}))`,
        sql`GRANT ${sql.literal(grants)} ON ${sql(table)} TO ${sql(tenantRole)}`
      ],
      { discard: true }
    )
  )

interface Showing {
  /** The column that names the organization. */
  readonly key?: string
  /** What of it is shown; all by default. */
  readonly columns?: ReadonlyArray<string>
}

const showColumns = (table: string, columns: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const shown = columns.length === 0 ? sql`` : sql`(${sql.literal(columns.join(", "))})`
    return sql`GRANT SELECT ${shown} ON ${sql(table)} TO ${sql(assistantRole)}`
  })

/** Lets assistants read the rows of the transaction's organization in a table that `isolate` has isolated. For migrations. */
export const showAssistants = (table: string, { columns = [], key = "organization_id" }: Showing = {}) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.andThen(
      sql`CREATE POLICY assistant_reads ON ${sql(table)} FOR SELECT TO ${sql(assistantRole)}
        USING (${sql(key)} = current_setting(${sql.literal(`'${organizationSetting}'`)}))`,
      showColumns(table, columns)
    )
  )

/**
 * The same of a table that has no row security. It gets it for assistants alone: everybody else sees and writes what the
 * grants allow, as before.
 */
export const showAssistantsOnly = (table: string, columns: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.all(
      [
        sql`ALTER TABLE ${sql(table)} ENABLE ROW LEVEL SECURITY`,
        sql`CREATE POLICY by_grants ON ${sql(table)} USING (true)`,
        sql`CREATE POLICY assistant_reads ON ${sql(table)} AS RESTRICTIVE TO ${sql(assistantRole)}
          USING (organization_id = current_setting(${sql.literal(`'${organizationSetting}'`)}))`,
        showColumns(table, columns)
      ],
      { discard: true }
    )
  )
