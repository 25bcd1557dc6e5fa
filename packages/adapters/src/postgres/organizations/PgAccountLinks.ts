import { type AccountLinkKind, AccountLinks } from "@sarraf/domain/organizations/AccountLinks"
import { Caller, personsBehind } from "@sarraf/domain/organizations/Caller"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { tokenDigest } from "../../signing/SecretTokens.ts"
import { makeBeyond } from "./beyondTenant.ts"
import { makeWithin } from "./PgUnitOfWork.ts"

interface LinkRow {
  readonly organization_id: string
  readonly user_id: string
  readonly kind: AccountLinkKind
  readonly expires_at: Date
}

/** One-time links in PostgreSQL: a member has one of each kind at most, and a used one is deleted. */
export const layer = Layer.effect(
  AccountLinks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const beyond = yield* makeBeyond
    return AccountLinks.of({
      find: Effect.fn("PgAccountLinks.find")(function* (token) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const [row] = yield* sql<LinkRow>`SELECT organization_id, user_id, kind, expires_at FROM account_links
          WHERE digest = ${tokenDigest(token)} AND expires_at > ${now}`
        return row === undefined
          ? undefined
          : {
              organizationId: row.organization_id,
              userId: row.user_id,
              kind: row.kind,
              expiresAt: row.expires_at.getTime()
            }
      }, beyond),
      put: Effect.fn("PgAccountLinks.put")(function* (token, { expiresAt, kind, userId }) {
        const caller = yield* Caller
        const { organizationId } = caller
        const [madeBy = null] = personsBehind(caller)
        yield* sql`INSERT INTO account_links (organization_id, user_id, kind, digest, expires_at, made_by)
          VALUES (${organizationId}, ${userId}, ${kind}, ${tokenDigest(token)}, ${new Date(expiresAt)}, ${madeBy})
          ON CONFLICT (organization_id, user_id, kind)
          DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at, made_by = excluded.made_by`
      }, within),
      spend: Effect.fn("PgAccountLinks.spend")(function* (token) {
        const { organizationId } = yield* Caller
        const now = new Date(yield* Clock.currentTimeMillis)
        const spent = yield* sql`DELETE FROM account_links WHERE organization_id = ${organizationId}
          AND digest = ${tokenDigest(token)} AND expires_at > ${now} RETURNING user_id`
        return spent.length === 1
      }, within),
      revoke: Effect.fn("PgAccountLinks.revoke")(function* (userId) {
        const { organizationId } = yield* Caller
        yield* sql`DELETE FROM account_links WHERE organization_id = ${organizationId} AND user_id = ${userId}`
      }, within),
      revokeMadeBy: Effect.fn("PgAccountLinks.revokeMadeBy")(function* (userId) {
        const { organizationId } = yield* Caller
        yield* sql`DELETE FROM account_links WHERE organization_id = ${organizationId} AND made_by = ${userId}`
      }, within)
    })
  })
)
