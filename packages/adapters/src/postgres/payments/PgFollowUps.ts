import type { FollowUp } from "@sarraf/domain/payments/FollowUp"
import { FollowUps } from "@sarraf/domain/payments/FollowUps"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../orUnavailable.ts"
import { servedOrganizations } from "../ServedMode.ts"
import { callerOf, type OwnerRow } from "./OwnerRow.ts"

/** Longer than one question and what follows from it take; after a crash another process goes on. */
const leaseMillis = 90_000
/** Taken up at one look; the rest at the next. */
const enlistedMax = 1_000
const reviewsMax = 1_000

interface ClaimedRow extends OwnerRow {
  readonly provider: string
  readonly kind: FollowUp["kind"]
  readonly tries: number
  readonly due_at: Date
}

/** A statement that changes rows returns them in any order. */
const longestDueFirst = (rows: ReadonlyArray<ClaimedRow>) =>
  [...rows].sort((a, b) => a.due_at.getTime() - b.due_at.getTime())

/** The schedule of what is looked at again, in PostgreSQL: a row a payment, leased by one process at a time. */
export const layer = Layer.effect(
  FollowUps,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isServed = (yield* servedOrganizations)("o")
    const unsettled = sql.literal("('RUNNING', 'ActionRequired', 'Pending', 'Unknown')")

    /** Attempts and operations whose process is past its deadline, and that nobody has scheduled. */
    const enlistAbandoned = (now: Date) => sql`
      INSERT INTO payment_followups (organization_id, payment_id, provider, kind, due_at)
      SELECT DISTINCT ON (p.organization_id, p.id) p.organization_id, p.id, p.provider, 'open', ${now}
      FROM (
        (SELECT organization_id, payment_id FROM payment_attempts a WHERE outcome IN ${unsettled} AND deadline <= ${now}
          AND NOT EXISTS (SELECT FROM payment_followups f
            WHERE f.organization_id = a.organization_id AND f.payment_id = a.payment_id)
          LIMIT ${enlistedMax})
        UNION ALL
        (SELECT organization_id, payment_id FROM payment_operations o
          WHERE status = 'PENDING' AND available_from IS NULL AND (deadline IS NULL OR deadline <= ${now})
          AND NOT EXISTS (SELECT FROM payment_followups f
            WHERE f.organization_id = o.organization_id AND f.payment_id = o.payment_id)
          LIMIT ${enlistedMax})) open
      JOIN payments p ON p.organization_id = open.organization_id AND p.id = open.payment_id
      JOIN organizations o ON o.id = p.organization_id WHERE ${isServed}
      ON CONFLICT DO NOTHING`

    const enlistExpired = (now: Date, since: Date | null) => sql`
      INSERT INTO payment_followups (organization_id, payment_id, provider, kind, due_at)
      SELECT p.organization_id, p.id, p.provider, 'open', ${now}
      FROM payments p JOIN organizations o ON o.id = p.organization_id
      WHERE ${isServed} AND expires_at <= ${now} AND expires_at >= coalesce(${since}, '-infinity'::timestamptz)
        AND authorization_state = 'AUTHORIZED' AND authorized > captured + capture_pending + released
      ON CONFLICT DO NOTHING`

    return FollowUps.of({
      enlist: Effect.fn("PgFollowUps.enlist")(function* (now, expiredSince) {
        yield* enlistAbandoned(new Date(now))
        if (expiredSince === now) return
        yield* enlistExpired(new Date(now), expiredSince === null ? null : new Date(expiredSince))
      }, orUnavailable),
      claim: Effect.fn("PgFollowUps.claim")(function* (now, limit, without) {
        const isLookedAt = without.length === 0 ? sql`true` : sql`provider NOT IN ${sql.in(without)}`
        const leaseUntil = now + leaseMillis
        const rows = yield* sql<ClaimedRow>`
          WITH due AS MATERIALIZED (SELECT f.organization_id, f.payment_id
            FROM payment_followups f JOIN organizations o ON o.id = f.organization_id
            WHERE ${isServed} AND due_at <= ${new Date(now)} AND (lease_until IS NULL OR lease_until <= ${new Date(now)})
              AND ${isLookedAt}
            ORDER BY due_at LIMIT ${limit} FOR UPDATE OF f SKIP LOCKED)
          UPDATE payment_followups f SET lease_until = ${new Date(leaseUntil)}
          FROM due, payments p JOIN organizations o ON o.id = p.organization_id
          WHERE f.organization_id = due.organization_id AND f.payment_id = due.payment_id
            AND p.organization_id = f.organization_id AND p.id = f.payment_id
          RETURNING f.organization_id, f.payment_id, f.provider, f.kind, f.tries, f.due_at, p.client_id,
            NOT o.is_sandbox AS livemode`
        return longestDueFirst(rows).map((row) => ({
          caller: callerOf(row),
          paymentId: row.payment_id,
          provider: row.provider,
          kind: row.kind,
          tries: row.tries,
          leaseUntil
        }))
      }, orUnavailable),
      release: Effect.fn("PgFollowUps.release")(function* ({ caller, leaseUntil, paymentId }, at, tries) {
        const mine = sql.and([
          sql`organization_id = ${caller.organizationId}`,
          sql`payment_id = ${paymentId}`,
          sql`lease_until = ${new Date(leaseUntil)}`
        ])
        yield* at === null
          ? sql`DELETE FROM payment_followups WHERE ${mine}`
          : sql`UPDATE payment_followups SET due_at = ${new Date(at)}, tries = ${tries}, lease_until = NULL WHERE ${mine}`
      }, orUnavailable),
      wake: Effect.fn("PgFollowUps.wake")(function* (provider, now, limit) {
        const some = limit === undefined ? sql.literal("ALL") : sql`${limit}`
        const tries = limit === undefined ? sql`1` : sql`f.tries`
        yield* sql`WITH woken AS MATERIALIZED (SELECT organization_id, payment_id FROM payment_followups
            WHERE provider = ${provider} AND kind = 'open' AND due_at > ${new Date(now)} AND tries > 0
            ORDER BY due_at LIMIT ${some} FOR UPDATE SKIP LOCKED)
          UPDATE payment_followups f SET due_at = ${new Date(now)}, tries = ${tries} FROM woken
          WHERE f.organization_id = woken.organization_id AND f.payment_id = woken.payment_id`
      }, orUnavailable),
      wakeAll: Effect.fn("PgFollowUps.wakeAll")(function* (now) {
        yield* sql`UPDATE payment_followups SET due_at = ${new Date(now)}, tries = 1
          WHERE kind = 'open' AND due_at > ${new Date(now)} AND tries > 0`
      }, orUnavailable),
      reviews: Effect.gen(function* () {
        const rows = yield* sql<OwnerRow>`
          SELECT f.organization_id, f.payment_id, p.client_id, NOT o.is_sandbox AS livemode
          FROM payment_followups f
          JOIN payments p ON p.organization_id = f.organization_id AND p.id = f.payment_id
          JOIN organizations o ON o.id = f.organization_id
          WHERE ${isServed} AND f.needs_review ORDER BY p.created_at LIMIT ${reviewsMax}`
        return rows.map((row) => ({ caller: callerOf(row), paymentId: row.payment_id }))
      }).pipe(orUnavailable)
    })
  })
)
