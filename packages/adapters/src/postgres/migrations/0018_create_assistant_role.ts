import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  assistantRole,
  createAssistantRole,
  organizationSetting,
  showAssistants,
  showAssistantsOnly
} from "../organizations/rowSecurity.ts"

/** Tables all of whose columns an organization's people may see: none of them holds a secret. */
const shownWhole = [
  "members",
  "departments",
  "expenses",
  "approvals",
  "approval_decisions",
  "approval_delegations",
  "policies",
  "policy_versions",
  "spend_changes",
  "spend_sums",
  "cards",
  "card_transactions",
  "vendor_contracts",
  "bills"
]

/** Where a vendor is paid is sealed, and is not among them. */
const shownOfVendors = [
  "organization_id",
  "id",
  "version",
  "status",
  "name",
  "legal_name",
  "country",
  "category",
  "contacts",
  "bank_last4",
  "bank_country",
  "bank_currency",
  "risk_score",
  "risk_factors",
  "created_at",
  "updated_at"
]

/** Of the rows of what has no row security of its own: what is sums and states, and no content of requests. */
const shownOfPayments = [
  "organization_id",
  "id",
  "client_id",
  "merchant_reference",
  "currency",
  "amount",
  "status",
  "provider",
  "authorized",
  "captured",
  "capture_pending",
  "released",
  "refunded",
  "refund_pending",
  "disputed",
  "expires_at",
  "created_at",
  "updated_at"
]
const shownOfOperations = [
  "organization_id",
  "payment_id",
  "id",
  "type",
  "amount",
  "status",
  "reference",
  "available_from"
]

/** The members of an event's JSON by these names, and nothing else of it. */
const picked = (from: string, names: ReadonlyArray<string>) =>
  `jsonb_build_object(${names.map((name) => `'${name}', ${from} -> '${name}'`).join(", ")})`

/** Of what a payment was begun with: how it looks and where routing sent it, without costs and success rates. */
const shownRequest = `${picked("data #> '{request,card}'", ["brand", "last4"])}
  || ${picked("data -> 'request'", ["description", "installment", "is3DS"])}
  || ${picked("data #> '{request,routing}'", ["order", "rule", "policyVersion", "reasons"])}`

/** An attempt that began with an event, and one that ended with it. */
const shownStart = `CASE WHEN type <> 'authorization.settled'
  THEN ${picked("data -> 'attempt'", ["number", "provider", "startedAt"])} END`
const shownEnd = `CASE WHEN type <> 'payment.begun'
  THEN ${picked("data -> 'result'", ["number", "outcome", "responseCode", "detail", "completedAt"])} END`
const shownError = `CASE WHEN jsonb_typeof(data -> 'error') = 'object'
  THEN ${picked("data -> 'error'", ["code", "detail"])} END`

/** The role under which the assistant server reads, and what it may read: nothing that is not named here. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* createAssistantRole

  yield* showAssistants("organizations", { key: "id" })
  for (const table of shownWhole) yield* showAssistants(table)
  yield* showAssistants("vendors", { columns: shownOfVendors })

  yield* showAssistantsOnly("payments", shownOfPayments)
  yield* showAssistantsOnly("payment_operations", shownOfOperations)

  // An event holds all that a request had; these views show a part of it, and are the only way to it.
  const own = sql.literal(`organization_id = current_setting('${organizationSetting}')`)
  yield* sql`CREATE VIEW assistant_payments WITH (security_barrier) AS
    SELECT organization_id, payment_id, ${sql.literal(shownRequest)} AS request
    FROM payment_events WHERE ${own} AND sequence = 1 AND type = 'payment.begun'`
  yield* sql`CREATE VIEW assistant_payment_steps WITH (security_barrier) AS
    SELECT organization_id, payment_id, sequence, ${sql.literal(shownStart)} AS started,
      ${sql.literal(shownEnd)} AS ended, ${sql.literal(shownError)} AS error
    FROM payment_events WHERE ${own} AND type IN ('payment.begun', 'payment.rerouted', 'authorization.settled')`
  yield* sql`GRANT SELECT ON assistant_payments, assistant_payment_steps TO ${sql(assistantRole)}`
})
