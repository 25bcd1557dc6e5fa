import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { organizationSetting } from "../organizations/rowSecurity.ts"

/** The reason of each provider, whether it is stored for each of them or once for all that it holds for. */
const reasons = `coalesce(data #> '{request,routing,reasons}',
  (SELECT jsonb_object_agg(provider, said.reason)
    FROM jsonb_each(data #> '{request,routing,reasonOf}') AS said (reason, providers),
      jsonb_array_elements_text(said.providers) AS provider),
  '{}'::jsonb)`

/** What assistants see of a payment's beginning stays what it was, now that routing's reasons are stored once each. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const card = sql.literal("data #> '{request,card}'")
  const routing = sql.literal("data #> '{request,routing}'")
  yield* sql`CREATE OR REPLACE VIEW assistant_payments WITH (security_barrier) AS
    SELECT organization_id, payment_id, jsonb_build_object(
      'brand', ${card} -> 'brand', 'last4', ${card} -> 'last4',
      'description', data #> '{request,description}', 'installment', data #> '{request,installment}',
      'is3DS', data #> '{request,is3DS}',
      'order', ${routing} -> 'order', 'rule', ${routing} -> 'rule', 'policyVersion', ${routing} -> 'policyVersion',
      'reasons', ${sql.literal(reasons)}) AS request
    FROM payment_events
    WHERE organization_id = current_setting(${sql.literal(`'${organizationSetting}'`)})
      AND sequence = 1 AND type = 'payment.begun'`
})
