import { OrganizationRegistry, type RegisteredOrganization } from "@sarraf/domain/organizations/OrganizationRegistry"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeBeyond } from "./beyondTenant.ts"

interface RegisteredRow {
  readonly id: string
  readonly name: string
  readonly verification: RegisteredOrganization["verification"]
  readonly is_sandbox: boolean
  readonly legal_name: string | null
  readonly registration_number: string | null
  readonly country: string | null
  readonly website: string | null
}

const registeredOf = (row: RegisteredRow): RegisteredOrganization => ({
  id: row.id,
  name: row.name,
  verification: row.verification,
  isSandbox: row.is_sandbox,
  business:
    row.legal_name === null || row.registration_number === null || row.country === null
      ? null
      : {
          legalName: row.legal_name,
          registrationNumber: row.registration_number,
          country: row.country,
          website: row.website
        }
})

/** The installation's organizations in PostgreSQL. */
export const layer = Layer.effect(
  OrganizationRegistry,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const beyond = yield* makeBeyond
    return OrganizationRegistry.of({
      all: beyond(
        Effect.map(
          sql<RegisteredRow>`SELECT o.id, o.name, o.verification, o.is_sandbox, s.legal_name, s.registration_number, s.country,
              s.website
            FROM organizations o LEFT JOIN LATERAL (SELECT * FROM verification_submissions
              WHERE organization_id = o.id ORDER BY number DESC LIMIT 1) s ON true
            ORDER BY o.id`,
          (rows) => rows.map(registeredOf)
        )
      ),
      insert: Effect.fn("PgOrganizationRegistry.insert")(function* ({ baseCurrency, id, name, timezone }) {
        yield* sql`INSERT INTO organizations (id, name, base_currency, timezone, verification, is_sandbox)
          VALUES (${id}, ${name}, ${baseCurrency}, ${timezone}, 'UNVERIFIED', false)`
      }, beyond)
    })
  })
)
