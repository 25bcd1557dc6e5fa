import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { organizationSetting, tenantRole } from "../organizations/rowSecurity.ts"

/** Dated quotations: an organization's own, and the operator's, whose organization is the empty text. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE exchange_rates (
    organization_id TEXT NOT NULL,
    date DATE NOT NULL,
    base TEXT NOT NULL CHECK (base ~ '^[A-Z]{3}$'),
    quote TEXT NOT NULL CHECK (quote ~ '^[A-Z]{3}$'),
    rate NUMERIC(20, 10) NOT NULL CHECK (rate > 0),
    origin TEXT NOT NULL CHECK (origin IN ('api', 'csv', 'ecb')),
    changed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, date, base, quote),
    CHECK (base <> quote))`

  // A tenant reads the operator's quotations beside its own, and writes its own alone.
  const role = sql(tenantRole)
  const own = sql`organization_id = current_setting(${sql.literal(`'${organizationSetting}'`)})`
  yield* sql`ALTER TABLE exchange_rates ENABLE ROW LEVEL SECURITY`
  yield* sql`CREATE POLICY own_and_operator ON exchange_rates FOR SELECT TO ${role}
    USING (organization_id = '' OR ${own})`
  yield* sql`CREATE POLICY own_added ON exchange_rates FOR INSERT TO ${role} WITH CHECK (${own})`
  yield* sql`CREATE POLICY own_changed ON exchange_rates FOR UPDATE TO ${role} USING (${own}) WITH CHECK (${own})`
  yield* sql`GRANT SELECT, INSERT, UPDATE ON exchange_rates TO ${role}`
})
