import { ExpenseSideMemory } from "@sarraf/adapters/memory/ExpenseSideMemory"
import { operator, putQuotation } from "@sarraf/adapters/memory/MemoryExchangeRates"
import { makeOperatorRates } from "@sarraf/adapters/postgres/rates/OperatorRates"
import type { Delegation } from "@sarraf/domain/approvals/Delegation"
import type { NewQuotation } from "@sarraf/domain/money/Quotation"
import type { Role } from "@sarraf/domain/organizations/Caller"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sampleOrganization } from "../../../domain/organizations/support/SampleOrganization.ts"
import { insertOrganization } from "./Shop.ts"

/** What the expense side's stores stand on and do not write themselves, however it is kept. */
export class Arrangement extends Context.Service<
  Arrangement,
  {
    organization(id: string): Effect.Effect<void>
    /** An active member; a MEMBER without a manager where nothing else is said. */
    member(
      organizationId: string,
      userId: string,
      place?: { readonly role?: Role; readonly managerId?: string }
    ): Effect.Effect<void>
    department(organizationId: string, id: string, name: string): Effect.Effect<void>
    delegation(organizationId: string, delegation: Delegation): Effect.Effect<void>
    /** The operator's. */
    quotations(quotations: ReadonlyArray<NewQuotation>): Effect.Effect<void>
  }
>()("test/adapters/postgres/support/Arrangement") {}

export const layerPostgres = Layer.effect(
  Arrangement,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const operatorRates = yield* makeOperatorRates
    return Arrangement.of({
      organization: (id) => Effect.provideService(insertOrganization(id, true), SqlClient.SqlClient, sql),
      member: (organizationId, userId, { managerId = null, role = "MEMBER" } = {}) =>
        Effect.gen(function* () {
          const email = `${userId}@example.com`
          yield* sql`INSERT INTO users (id, email, name) VALUES (${userId}, ${email}, ${userId}) ON CONFLICT DO NOTHING`
          yield* sql`INSERT INTO members (organization_id, user_id, email, name, role, status, manager_id)
            VALUES (${organizationId}, ${userId}, ${email}, ${userId}, ${role}, 'ACTIVE', ${managerId})`
        }).pipe(Effect.orDie),
      department: (organizationId, id, name) =>
        Effect.orDie(
          sql`INSERT INTO departments (organization_id, id, name) VALUES (${organizationId}, ${id}, ${name})`
        ).pipe(Effect.asVoid),
      delegation: (organizationId, { createdAt, createdBy, endedAt, endsAt, from, id, startsAt, to }) =>
        Effect.orDie(
          sql`INSERT INTO approval_delegations (organization_id, id, from_user_id, to_user_id, starts_at, ends_at, ended_at,
              created_by, created_at)
            VALUES (${organizationId}, ${id}, ${from}, ${to}, ${new Date(startsAt)}, ${new Date(endsAt)},
              ${endedAt === null ? null : new Date(endedAt)}, ${createdBy}, ${new Date(createdAt)})`
        ).pipe(Effect.asVoid),
      quotations: (quotations) =>
        Effect.orDie(operatorRates.save({ origin: "ecb", quotations, skipped: [] }, undefined)).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.asVoid
        )
    })
  })
)

export const layerMemory = Layer.effect(
  Arrangement,
  Effect.map(ExpenseSideMemory, (memory) =>
    Arrangement.of({
      organization: (id) => Effect.sync(() => memory.organizations.put(id, id, sampleOrganization({ id }))),
      member: (organizationId, userId, { managerId = null, role = "MEMBER" } = {}) =>
        Effect.sync(() =>
          memory.members.put(organizationId, userId, {
            userId,
            email: `${userId}@example.com`,
            name: userId,
            role,
            status: "ACTIVE",
            departmentId: null,
            managerId,
            version: 1,
            createdAt: 0,
            updatedAt: 0
          })
        ),
      department: (organizationId, id, name) =>
        Effect.sync(() => memory.departments.put(organizationId, id, { id, name })),
      delegation: (organizationId, delegation) =>
        Effect.sync(() => memory.delegations.put(organizationId, delegation.id, delegation)),
      quotations: (quotations) =>
        Effect.sync(() => {
          for (const quotation of quotations) {
            putQuotation(memory, operator, { ...quotation, source: "operator", origin: "ecb" })
          }
        })
    })
  )
)
