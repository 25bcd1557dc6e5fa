import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Nobody signs in as it: a unit of work takes it on until its transaction ends. */
export const tenantRole = "sarraf_tenant"

/** The setting that holds the organization whose rows a transaction sees. */
export const organizationSetting = "sarraf.organization"

/**
 * The role under which everything of one organization is read and written. Roles belong to the whole server, so another
 * database may have made it already, or be making it at this moment.
 */
export const createTenantRole = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(
    sql`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sarraf_tenant') THEN CREATE ROLE sarraf_tenant NOLOGIN; END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END $$`,
    sql`DO $$ BEGIN
      IF NOT pg_has_role(current_user, 'sarraf_tenant', 'MEMBER') THEN
        EXECUTE format('GRANT sarraf_tenant TO %I', current_user);
      END IF;
    END $$`
  )
)

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
