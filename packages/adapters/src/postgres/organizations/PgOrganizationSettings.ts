import { Caller } from "@sarraf/domain/organizations/Caller"
import { OrganizationSettingsStore } from "@sarraf/domain/organizations/OrganizationSettingsStore"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { RememberedApiKeys } from "../PgApiKeys.ts"
import { RememberedPaymentClients } from "../PgPaymentClients.ts"
import { RememberedOrigins } from "./PgAllowedOrigins.ts"
import { afterCommit, makeWithin } from "./PgUnitOfWork.ts"

/** Settings of organizations in PostgreSQL. */
export const layer = Layer.effect(
  OrganizationSettingsStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const organizations = yield* Organizations
    const keys = yield* RememberedApiKeys
    const clients = yield* RememberedPaymentClients
    const origins = yield* RememberedOrigins
    return OrganizationSettingsStore.of({
      lock: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          // Rows that refer to the organization may be added meanwhile.
          yield* sql`SELECT id FROM organizations WHERE id = ${organizationId} FOR NO KEY UPDATE`
          return yield* organizations.current
        })
      ),
      hasExpenses: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const rows = yield* sql`SELECT 1 FROM expenses WHERE organization_id = ${organizationId} LIMIT 1`
          return rows.length > 0
        })
      ),
      submit: Effect.fn("PgOrganizationSettings.submit")(function* (details, at) {
        const { name, organizationId } = yield* Caller
        yield* sql`INSERT INTO verification_submissions
          (organization_id, number, legal_name, registration_number, country, website, submitted_by, submitted_at)
          SELECT ${organizationId}, coalesce(max(number), 0) + 1, ${details.legalName}, ${details.registrationNumber},
            ${details.country}, ${details.website}, ${name}, ${new Date(at)}
          FROM verification_submissions WHERE organization_id = ${organizationId}`
      }, within),
      forgetRemembered: Effect.flatMap(Caller, ({ organizationId }) =>
        Effect.all([keys.forget(organizationId), clients.forget(organizationId), origins.forget].map(afterCommit), {
          discard: true
        })
      )
    })
  })
)
