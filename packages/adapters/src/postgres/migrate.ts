import { Data, Effect } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import createGateway from "./migrations/0001_create_gateway.ts"
import createReconciliation from "./migrations/0002_create_reconciliation.ts"
import createRoutingPolicies from "./migrations/0003_create_routing_policies.ts"
import createChallengeSteps from "./migrations/0004_create_challenge_steps.ts"
import createTenancy from "./migrations/0005_create_tenancy.ts"
import createAccess from "./migrations/0006_create_access.ts"
import createExpenses from "./migrations/0007_create_expenses.ts"
import createPolicies from "./migrations/0008_create_policies.ts"
import createApprovals from "./migrations/0009_create_approvals.ts"
import createExchangeRates from "./migrations/0010_create_exchange_rates.ts"
import createReceipts from "./migrations/0011_create_receipts.ts"
import createSpendSummaries from "./migrations/0012_create_spend_summaries.ts"
import sealAudit from "./migrations/0013_seal_audit.ts"
import createAssistantTokens from "./migrations/0014_create_assistant_tokens.ts"
import noteLinkMakers from "./migrations/0015_note_link_makers.ts"
import createWebhooks from "./migrations/0016_create_webhooks.ts"
import createProcurement from "./migrations/0017_create_procurement.ts"
import createAssistantRole from "./migrations/0018_create_assistant_role.ts"
import createOauth from "./migrations/0019_create_oauth.ts"
import lightenSeals from "./migrations/0020_lighten_seals.ts"
import showGroupedReasons from "./migrations/0021_show_grouped_reasons.ts"

/** `message` names the migration and the database's own words: `Migration "0002_add_x" failed: column … exists`. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

const reasonOf = (error: unknown): ReadonlyArray<string> => {
  if (SqlError.isSqlError(error)) return [error.message, ...reasonOf(error.reason.cause)]
  return error instanceof Error ? [error.message, ...reasonOf(error.cause)] : []
}

const migrations = {
  "0001_create_gateway": createGateway,
  "0002_create_reconciliation": createReconciliation,
  "0003_create_routing_policies": createRoutingPolicies,
  "0004_create_challenge_steps": createChallengeSteps,
  "0005_create_tenancy": createTenancy,
  "0006_create_access": createAccess,
  "0007_create_expenses": createExpenses,
  "0008_create_policies": createPolicies,
  "0009_create_approvals": createApprovals,
  "0010_create_exchange_rates": createExchangeRates,
  "0011_create_receipts": createReceipts,
  "0012_create_spend_summaries": createSpendSummaries,
  "0013_seal_audit": sealAudit,
  "0014_create_assistant_tokens": createAssistantTokens,
  "0015_note_link_makers": noteLinkMakers,
  "0016_create_webhooks": createWebhooks,
  "0017_create_procurement": createProcurement,
  "0018_create_assistant_role": createAssistantRole,
  "0019_create_oauth": createOauth,
  "0020_lighten_seals": lightenSeals,
  "0021_show_grouped_reasons": showGroupedReasons
}

const run = Migrator.make({})({ loader: Migrator.fromRecord(migrations) })

/**
 * Brings the schema up to date and returns the migrations it ran, `[1, "create_gateway"]`. All that are pending run in
 * one transaction under a lock on the table of migrations, so several processes may do this at once: one runs them, the
 * others wait and find nothing to do. A new migration needs a number above all others; a lower one is never run.
 */
export const migrate = run.pipe(
  Effect.mapError((cause) => new MigrationFailed({ message: [...new Set(reasonOf(cause))].join(": "), cause })),
  Effect.withSpan("migrate")
)

/** `message` says why a program that migrates nothing does not start, and what to do. */
export class NotMigrated extends Data.TaggedError("NotMigrated")<{ readonly message: string }> {}

/** For programs beside the service, which leave the schema to it: fails where the schema is another release's. */
export const requireMigrated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql`SELECT to_regclass('effect_sql_migrations') IS NOT NULL AS exists`
  const rows =
    table?.exists === true
      ? yield* sql<{ latest: number | null }>`SELECT max(migration_id) AS latest FROM effect_sql_migrations`
      : []
  const present = rows[0]?.latest ?? 0
  const wanted = Object.keys(migrations).length
  if (present === wanted) return
  return yield* new NotMigrated({
    message:
      present < wanted
        ? "The database has not been brought up to date with this release: start the service once (npm start), then this program."
        : "The database belongs to a newer release: start this program from that one."
  })
})
