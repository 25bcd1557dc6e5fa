import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { type Department, type Member, Members } from "@sarraf/domain/organizations/Members"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "./PgUnitOfWork.ts"

/** A row of `members`. */
export interface MemberRow {
  readonly user_id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly status: Member["status"]
  readonly department_id: string | null
  readonly manager_id: string | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

export const memberOf = (row: MemberRow): Member => ({
  userId: row.user_id,
  email: row.email,
  name: row.name,
  role: row.role,
  status: row.status,
  departmentId: row.department_id,
  managerId: row.manager_id,
  version: row.version,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

/** Members in PostgreSQL. */
export const layer = Layer.effect(
  Members,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return Members.of({
      find: Effect.fn("PgMembers.find")(function* (userId) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<MemberRow>`SELECT * FROM members
          WHERE organization_id = ${organizationId} AND user_id = ${userId}`
        return row === undefined ? undefined : memberOf(row)
      }, within),
      all: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const rows = yield* sql<MemberRow>`SELECT * FROM members WHERE organization_id = ${organizationId}
            ORDER BY name, user_id`
          return rows.map(memberOf)
        })
      ),
      departments: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          return yield* sql<Department>`SELECT id, name FROM departments WHERE organization_id = ${organizationId}
            ORDER BY name, id`
        })
      ),
      holdDepartment: Effect.fn("PgMembers.holdDepartment")(function* (id) {
        const { organizationId } = yield* Caller
        const held = yield* sql`SELECT id FROM departments WHERE organization_id = ${organizationId} AND id = ${id}
          FOR KEY SHARE`
        return held.length === 1
      }, within)
    })
  })
)
