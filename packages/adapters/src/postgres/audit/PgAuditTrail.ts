import { chainStart } from "@sarraf/domain/audit/AuditChain"
import { type AuditEntry, type AuditRecord, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { RequestOrigin } from "@sarraf/domain/organizations/RequestOrigin"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"

interface AuditRow {
  readonly id: bigint
  readonly at: Date
  readonly actor: string
  readonly request_id: string
  readonly address: string | null
  readonly action: string
  readonly subject: string
  readonly subject_id: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly sequence: bigint | null
  readonly hash: string | null
}

/** The gateway's older entries name a payment or a client as the subject itself. */
const recordOf = (row: AuditRow): AuditRecord => ({
  action: row.action,
  subject: { type: row.subject_id === null ? "" : row.subject, id: row.subject_id ?? row.subject },
  ...(row.before === null ? {} : { before: row.before }),
  ...(row.after === null ? {} : { after: row.after }),
  detail: row.detail,
  sequence: row.sequence === null ? null : Number(row.sequence),
  hash: row.hash,
  at: row.at.getTime(),
  actor: row.actor,
  requestId: row.request_id,
  address: row.address,
  position: String(row.id)
})

const json = (value: Readonly<Record<string, unknown>> | undefined) =>
  value === undefined ? null : JSON.stringify(value)

/** The audit trail in PostgreSQL. */
export const layer = Layer.effect(
  AuditTrail,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin

    const append = Effect.fn("PgAuditTrail.append")(function* (entry: AuditEntry) {
      const { name, organizationId } = yield* Caller
      const { address, requestId } = yield* RequestOrigin
      const at = new Date(yield* Clock.currentTimeMillis)
      yield* sql`INSERT INTO audit_log
        (organization_id, at, actor, request_id, address, action, subject, subject_id, before, after, detail)
        VALUES (${organizationId}, ${at}, ${name}, ${requestId}, ${address}, ${entry.action}, ${entry.subject.type},
          ${entry.subject.id}, ${json(entry.before)}::jsonb, ${json(entry.after)}::jsonb, ${json(entry.detail ?? {})}::jsonb)`
    }, within)

    return AuditTrail.of({
      append,
      head: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const [head] = yield* sql<Pick<AuditRow, "at" | "hash" | "sequence">>`SELECT sequence, hash, at FROM audit_log
            WHERE organization_id = ${organizationId} AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1`
          return head === undefined
            ? { ...chainStart, at: null }
            : { sequence: Number(head.sequence), hash: head.hash ?? chainStart.hash, at: head.at.getTime() }
        })
      ),
      list: Effect.fn("PgAuditTrail.list")(function* (filter, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          ...(filter.actor === undefined ? [] : [sql`actor = ${filter.actor}`]),
          ...(filter.action === undefined ? [] : [sql`action = ${filter.action}`]),
          ...(filter.subjectType === undefined ? [] : [sql`subject = ${filter.subjectType}`]),
          ...(filter.subjectId === undefined ? [] : [sql`coalesce(subject_id, subject) = ${filter.subjectId}`]),
          ...(filter.from === undefined ? [] : [sql`at >= ${new Date(filter.from)}`]),
          ...(filter.to === undefined ? [] : [sql`at < ${new Date(filter.to)}`]),
          ...(page.after === undefined ? [] : [sql`id < ${page.after}::bigint`])
        ]
        const rows = yield* sql<AuditRow>`SELECT * FROM audit_log WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(recordOf), page)
      }, within)
    })
  })
)
