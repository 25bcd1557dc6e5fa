import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgApprovalStore from "@sarraf/adapters/postgres/approvals/PgApprovalStore"
import * as PgDelegationStore from "@sarraf/adapters/postgres/approvals/PgDelegationStore"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgEventLog from "@sarraf/adapters/postgres/events/PgEventLog"
import * as PgMembers from "@sarraf/adapters/postgres/organizations/PgMembers"
import * as PgOrganizations from "@sarraf/adapters/postgres/organizations/PgOrganizations"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../../support/Database.ts"
import { insertOrganization } from "../../support/Shop.ts"

/** What approvals stand on, in a database of its own. */
export const stores = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgApprovalStore.layer,
  PgDelegationStore.layer,
  PgMembers.layer,
  PgOrganizations.layer,
  PgAuditTrail.layer,
  PgEventLog.layer
).pipe(Layer.provideMerge(RandomIdentifiers.layer), Layer.provideMerge(Database.layer))

/** An organization `org_<name>` with these members, `usr_<organization>_<member>`, and how they ask. */
export const company = (name: string, staff: Readonly<Record<string, Role>>) => {
  const organizationId = `org_${name}`
  const idOf = (member: string) => `usr_${name}_${member}`
  const asKey: Caller["Service"] = {
    organizationId,
    role: "OWNER",
    name: "key:shop",
    kind: "key",
    userId: null,
    createdBy: null
  }
  const callerOf = (member: string): Caller["Service"] => ({
    ...asKey,
    role: staff[member] ?? "MEMBER",
    name: `user:${idOf(member)}`,
    kind: "user",
    userId: idOf(member)
  })
  const found = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* insertOrganization(organizationId, true)
    for (const [member, role] of Object.entries(staff)) {
      const id = idOf(member)
      yield* sql`INSERT INTO users (id, email, name) VALUES (${id}, ${`${id}@company.test`}, ${member})`
      yield* sql`INSERT INTO members (organization_id, user_id, email, name, role, status)
        VALUES (${organizationId}, ${id}, ${`${id}@company.test`}, ${member}, ${role}, 'ACTIVE')`
    }
  }).pipe(Effect.orDie)
  return {
    organizationId,
    idOf,
    found,
    callerOf,
    as: (member: string) => Effect.provideService(Caller, callerOf(member)),
    asShop: Effect.provideService(Caller, asKey)
  }
}
