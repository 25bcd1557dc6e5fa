import { type KeptAnswer, KeptAnswers } from "@sarraf/domain/admission/KeptAnswers"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "./organizations/PgUnitOfWork.ts"

/** How long an answer is kept (contract section 1). */
const keptMillis = 24 * 3_600_000

/** Answers in PostgreSQL. A key is claimed by an advisory lock, which ends with the transaction, however that ends. */
export const layer = Layer.effect(
  KeptAnswers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return KeptAnswers.of({
      claim: Effect.fn("PgKeptAnswers.claim")(function* (key) {
        const { name, organizationId } = yield* Caller
        const [lock] = yield* sql<{ claimed: boolean }>`SELECT pg_try_advisory_xact_lock(
          hashtextextended(${`${organizationId} ${name} ${key}`}, 0)) AS claimed`
        if (lock?.claimed !== true) return "running"
        const [kept] = yield* sql<KeptAnswer>`SELECT fingerprint, status, headers, body FROM kept_answers
          WHERE organization_id = ${organizationId} AND caller = ${name} AND key = ${key}
            AND expires_at > ${new Date(yield* Clock.currentTimeMillis)}`
        return kept
      }, within),
      keep: Effect.fn("PgKeptAnswers.keep")(function* (key, { body, fingerprint, headers, status }) {
        const { name, organizationId } = yield* Caller
        const expiresAt = new Date((yield* Clock.currentTimeMillis) + keptMillis)
        // One whose day is over and that was not deleted yet gives way.
        yield* sql`INSERT INTO kept_answers (organization_id, caller, key, fingerprint, status, headers, body, expires_at)
          VALUES (${organizationId}, ${name}, ${key}, ${fingerprint}, ${status}, ${JSON.stringify(headers)}::jsonb, ${body},
            ${expiresAt})
          ON CONFLICT (organization_id, caller, key) DO UPDATE SET fingerprint = excluded.fingerprint,
            status = excluded.status, headers = excluded.headers, body = excluded.body, expires_at = excluded.expires_at`
      }, within)
    })
  })
)
