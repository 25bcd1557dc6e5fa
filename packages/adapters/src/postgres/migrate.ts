import { Data, Effect } from "effect"
import { Migrator, SqlError } from "effect/sql"
import createGateway from "./migrations/0001_create_gateway.ts"
import createReconciliation from "./migrations/0002_create_reconciliation.ts"
import createRoutingPolicies from "./migrations/0003_create_routing_policies.ts"
import createChallengeSteps from "./migrations/0004_create_challenge_steps.ts"

/** `message` names the migration and the database's own words: `Migration "0002_add_x" failed: column … exists`. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly message: string
  readonly cause: unknown
}> {}

const reasonOf = (error: unknown): ReadonlyArray<string> => {
  if (SqlError.isSqlError(error)) return [error.message, ...reasonOf(error.reason.cause)]
  return error instanceof Error ? [error.message, ...reasonOf(error.cause)] : []
}

const run = Migrator.make({})({
  loader: Migrator.fromRecord({
    "0001_create_gateway": createGateway,
    "0002_create_reconciliation": createReconciliation,
    "0003_create_routing_policies": createRoutingPolicies,
    "0004_create_challenge_steps": createChallengeSteps
  })
})

/**
 * Brings the schema up to date and returns the migrations it ran, `[1, "create_gateway"]`. All that are pending run in
 * one transaction under a lock on the table of migrations, so several processes may do this at once: one runs them, the
 * others wait and find nothing to do. A new migration needs a number above all others; a lower one is never run.
 */
export const migrate = run.pipe(
  Effect.mapError((cause) => new MigrationFailed({ message: [...new Set(reasonOf(cause))].join(": "), cause })),
  Effect.withSpan("migrate")
)
