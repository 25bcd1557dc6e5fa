import { Caller } from "@sarraf/domain/organizations/Caller"
import { type Organization, Organizations } from "@sarraf/domain/organizations/Organizations"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "./PgUnitOfWork.ts"

interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly base_currency: string
  readonly timezone: string
  readonly verification: Organization["verification"]
  readonly strict_signatures: boolean
  readonly api_keys_may_approve: boolean
  readonly sole_owner_may_approve: boolean
  readonly requires_second_factor: boolean
  readonly allowed_origins: ReadonlyArray<string>
  readonly is_sandbox: boolean
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const organizationOf = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  baseCurrency: row.base_currency,
  timezone: row.timezone,
  verification: row.verification,
  strictSignatures: row.strict_signatures,
  apiKeysMayApprove: row.api_keys_may_approve,
  soleOwnerMayApprove: row.sole_owner_may_approve,
  requiresSecondFactor: row.requires_second_factor,
  allowedOrigins: row.allowed_origins,
  isSandbox: row.is_sandbox,
  version: row.version,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

/** Organizations in PostgreSQL. */
export const layer = Layer.effect(
  Organizations,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return Organizations.of({
      current: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const [row] = yield* sql<OrganizationRow>`SELECT * FROM organizations WHERE id = ${organizationId}`
          if (row === undefined) return yield* Effect.die(new Error(`No organization ${organizationId}`))
          return organizationOf(row)
        })
      ),
      save: Effect.fn("PgOrganizations.save")(function* (before, after) {
        const { organizationId } = yield* Caller
        const saved = yield* sql`UPDATE organizations SET
            name = ${after.name}, base_currency = ${after.baseCurrency}, timezone = ${after.timezone},
            verification = ${after.verification}, strict_signatures = ${after.strictSignatures},
            api_keys_may_approve = ${after.apiKeysMayApprove}, sole_owner_may_approve = ${after.soleOwnerMayApprove},
            requires_second_factor = ${after.requiresSecondFactor}, allowed_origins = ${[...after.allowedOrigins]}::text[],
            version = ${before.version + 1}, updated_at = ${new Date(after.updatedAt)}
          WHERE id = ${organizationId} AND version = ${before.version} RETURNING id`
        return saved.length === 1
      }, within)
    })
  })
)
