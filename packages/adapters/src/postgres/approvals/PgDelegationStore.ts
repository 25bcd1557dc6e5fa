import type { Delegation } from "@sarraf/domain/approvals/Delegation"
import { DelegationStore } from "@sarraf/domain/approvals/DelegationStore"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"

interface DelegationRow {
  readonly id: string
  readonly from_user_id: string
  readonly to_user_id: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly ended_at: Date | null
  readonly reason: string | null
  readonly created_by: string
  readonly created_at: Date
}

const delegationOf = (row: DelegationRow): Delegation => ({
  id: row.id,
  from: row.from_user_id,
  to: row.to_user_id,
  startsAt: row.starts_at.getTime(),
  endsAt: row.ends_at.getTime(),
  endedAt: row.ended_at?.getTime() ?? null,
  reason: row.reason,
  createdBy: row.created_by,
  createdAt: row.created_at.getTime()
})

/** Delegations in PostgreSQL. Nothing is deleted: one that was ended says when. */
export const layer = Layer.effect(
  DelegationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return DelegationStore.of({
      find: Effect.fn("PgDelegationStore.find")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<DelegationRow>`SELECT * FROM approval_delegations
          WHERE organization_id = ${organizationId} AND id = ${id}`
        return row === undefined ? undefined : delegationOf(row)
      }, within),
      inForce: Effect.fn("PgDelegationStore.inForce")(function* (at) {
        const { organizationId } = yield* Caller
        const now = new Date(at)
        const rows = yield* sql<DelegationRow>`SELECT * FROM approval_delegations
          WHERE organization_id = ${organizationId} AND starts_at <= ${now} AND ends_at > ${now}
            AND (ended_at IS NULL OR ended_at > ${now}) ORDER BY id`
        return rows.map(delegationOf)
      }, within),
      lockOf: Effect.fn("PgDelegationStore.lockOf")(function* (from, at) {
        const { organizationId } = yield* Caller
        yield* sql`SELECT 1 FROM members WHERE organization_id = ${organizationId} AND user_id = ${from}
          FOR NO KEY UPDATE`
        const rows = yield* sql<DelegationRow>`SELECT * FROM approval_delegations
          WHERE organization_id = ${organizationId} AND from_user_id = ${from} AND ends_at > ${new Date(at)}
            AND ended_at IS NULL ORDER BY id`
        return rows.map(delegationOf)
      }, within),
      insert: Effect.fn("PgDelegationStore.insert")(function* (delegation) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO approval_delegations (organization_id, id, from_user_id, to_user_id, starts_at, ends_at,
            ended_at, reason, created_by, created_at)
          VALUES (${organizationId}, ${delegation.id}, ${delegation.from}, ${delegation.to},
            ${new Date(delegation.startsAt)}, ${new Date(delegation.endsAt)},
            ${delegation.endedAt === null ? null : new Date(delegation.endedAt)}, ${delegation.reason},
            ${delegation.createdBy}, ${new Date(delegation.createdAt)})`
      }, within),
      end: Effect.fn("PgDelegationStore.end")(function* (id, at) {
        const { organizationId } = yield* Caller
        yield* sql`UPDATE approval_delegations SET ended_at = ${new Date(at)}
          WHERE organization_id = ${organizationId} AND id = ${id} AND ended_at IS NULL AND ends_at > ${new Date(at)}`
      }, within),
      list: Effect.fn("PgDelegationStore.list")(function* (of, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          ...(of === undefined ? [] : [sql`(from_user_id = ${of} OR to_user_id = ${of})`]),
          ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
        ]
        const rows = yield* sql<DelegationRow>`SELECT * FROM approval_delegations WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(delegationOf), page)
      }, within)
    })
  })
)
