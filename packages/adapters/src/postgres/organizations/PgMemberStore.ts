import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { MemberStore } from "@sarraf/domain/organizations/MemberStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type MemberRow, memberOf } from "./PgMembers.ts"
import { makeWithin } from "./PgUnitOfWork.ts"

/** Changes of members in PostgreSQL. The lock is an advisory one, since no row stands for all members together. */
export const layer = Layer.effect(
  MemberStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return MemberStore.of({
      lock: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`members of ${organizationId}`}, 0))`
        })
      ),
      list: Effect.fn("PgMemberStore.list")(function* ({ departmentId, role, status, userIds }, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          ...(userIds === undefined ? [] : [sql`user_id = ANY (${[...userIds]}::text[])`]),
          ...(role === undefined ? [] : [sql`role = ${role}`]),
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          ...(departmentId === undefined ? [] : [sql`department_id = ${departmentId}`]),
          ...(page.after === undefined ? [] : [sql`user_id < ${page.after}`])
        ]
        const rows = yield* sql<MemberRow>`SELECT * FROM members WHERE ${sql.and(conditions)}
          ORDER BY user_id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(memberOf), page)
      }, within),
      insert: Effect.fn("PgMemberStore.insert")(function* (member) {
        const { organizationId } = yield* Caller
        const inserted =
          yield* sql`INSERT INTO members (organization_id, user_id, email, name, role, status, department_id,
            manager_id, version, created_at, updated_at, joined_at)
          VALUES (${organizationId}, ${member.userId}, ${member.email}, ${member.name}, ${member.role}, ${member.status},
            ${member.departmentId}, ${member.managerId}, ${member.version}, ${new Date(member.createdAt)},
            ${new Date(member.updatedAt)}, NULL)
          ON CONFLICT (organization_id, user_id) DO NOTHING RETURNING user_id`
        return inserted.length === 1
      }, within),
      save: Effect.fn("PgMemberStore.save")(function* (member) {
        const { organizationId } = yield* Caller
        yield* sql`UPDATE members SET name = ${member.name}, role = ${member.role}, status = ${member.status},
            department_id = ${member.departmentId}, manager_id = ${member.managerId}, version = ${member.version},
            updated_at = ${new Date(member.updatedAt)}
          WHERE organization_id = ${organizationId} AND user_id = ${member.userId}`
      }, within),
      hasJoined: Effect.fn("PgMemberStore.hasJoined")(function* (userId) {
        const { organizationId } = yield* Caller
        const joined = yield* sql`SELECT user_id FROM members
          WHERE organization_id = ${organizationId} AND user_id = ${userId} AND joined_at IS NOT NULL`
        return joined.length === 1
      }, within),
      noteJoined: Effect.fn("PgMemberStore.noteJoined")(function* (userId, at) {
        const { organizationId } = yield* Caller
        yield* sql`UPDATE members SET joined_at = ${new Date(at)}
          WHERE organization_id = ${organizationId} AND user_id = ${userId}`
      }, within)
    })
  })
)
