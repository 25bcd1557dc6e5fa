import { Caller } from "@sarraf/domain/organizations/Caller"
import { idleMillisMax, type Session, SessionStore } from "@sarraf/domain/organizations/SessionStore"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { tokenDigest } from "../../signing/SecretTokens.ts"
import { makeBeyond } from "./beyondTenant.ts"
import { type MembershipRow, membershipOf } from "./PgPeople.ts"
import { makeWithin } from "./PgUnitOfWork.ts"

interface SessionRow {
  readonly id: string
  readonly created_at: Date
  readonly last_used_at: Date
  readonly expires_at: Date
  readonly address: string | null
  readonly user_agent: string | null
}

interface SignedInRow extends SessionRow, MembershipRow {
  readonly user_id: string
  readonly email: string
  readonly has_second_factor: boolean
}

const sessionOf = (row: SessionRow): Session => ({
  id: row.id,
  createdAt: row.created_at.getTime(),
  lastUsedAt: row.last_used_at.getTime(),
  expiresAt: row.expires_at.getTime(),
  address: row.address,
  userAgent: row.user_agent
})

/** Use is written down once in so long. */
const noteEveryMillis = 60_000

/** Sessions in PostgreSQL. The role is read with the session each time, so that a change of it counts at once. */
export const layer = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const beyond = yield* makeBeyond

    /** That it is not over. */
    const isOpen = (now: number, table: string) =>
      sql`${sql(table)}.expires_at > ${new Date(now)} AND ${sql(table)}.last_used_at > ${new Date(now - idleMillisMax)}`

    const noteUse = Effect.fnUntraced(function* (digest: string, lastUsedAt: Date, now: number) {
      if (now - lastUsedAt.getTime() < noteEveryMillis) return
      yield* sql`UPDATE sessions SET last_used_at = ${new Date(now)}
        WHERE digest = ${digest} AND last_used_at = ${lastUsedAt}`
    })

    return SessionStore.of({
      find: Effect.fn("PgSessions.find")(function* (token) {
        const now = yield* Clock.currentTimeMillis
        const digest = tokenDigest(token)
        const [row] =
          yield* sql<SignedInRow>`SELECT s.id, s.user_id, s.created_at, s.last_used_at, s.expires_at, s.address,
            s.user_agent, u.email, u.second_factor_sealed IS NOT NULL AS has_second_factor, m.organization_id, m.role,
            m.status, m.name, o.name AS organization_name, o.base_currency, o.timezone, o.is_sandbox, o.requires_second_factor
          FROM sessions s
          JOIN members m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
          JOIN users u ON u.id = s.user_id
          JOIN organizations o ON o.id = s.organization_id
          WHERE s.digest = ${digest} AND m.status = 'ACTIVE' AND ${isOpen(now, "s")}`
        if (row === undefined) return undefined
        yield* noteUse(digest, row.last_used_at, now)
        return {
          session: sessionOf(row),
          person: { id: row.user_id, email: row.email },
          membership: membershipOf(row),
          hasSecondFactor: row.has_second_factor
        }
      }, beyond),
      insert: Effect.fn("PgSessions.insert")(function* (token, session) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO sessions
          (organization_id, id, digest, user_id, created_at, last_used_at, expires_at, address, user_agent)
          VALUES (${organizationId}, ${session.id}, ${tokenDigest(token)}, ${session.userId}, ${new Date(session.createdAt)},
            ${new Date(session.lastUsedAt)}, ${new Date(session.expiresAt)}, ${session.address}, ${session.userAgent})`
      }, within),
      list: Effect.fn("PgSessions.list")(function* (userId) {
        const { organizationId } = yield* Caller
        const rows = yield* sql<SessionRow>`SELECT * FROM sessions WHERE organization_id = ${organizationId}
          AND user_id = ${userId} AND ${isOpen(yield* Clock.currentTimeMillis, "sessions")} ORDER BY id DESC`
        return rows.map(sessionOf)
      }, within),
      end: Effect.fn("PgSessions.end")(function* (userId, id) {
        const { organizationId } = yield* Caller
        const ended = yield* sql`DELETE FROM sessions
          WHERE organization_id = ${organizationId} AND id = ${id} AND user_id = ${userId} RETURNING id`
        return ended.length === 1
      }, within),
      endAll: Effect.fn("PgSessions.endAll")(function* (userId) {
        const { organizationId } = yield* Caller
        const ended = yield* sql`DELETE FROM sessions
          WHERE organization_id = ${organizationId} AND user_id = ${userId} RETURNING id`
        return ended.length
      }, within),
      endEverywhere: Effect.fn("PgSessions.endEverywhere")(function* (userId, except = "") {
        const ended = yield* sql`DELETE FROM sessions WHERE user_id = ${userId} AND id <> ${except} RETURNING id`
        return ended.length
      }, beyond)
    })
  })
)
