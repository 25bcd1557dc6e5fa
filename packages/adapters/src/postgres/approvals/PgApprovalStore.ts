import type { Approval, ApprovalDecision, ApprovalStatus } from "@sarraf/domain/approvals/Approval"
import type { ApprovalSubject } from "@sarraf/domain/approvals/ApprovalEngine"
import type { ApprovalStepRule } from "@sarraf/domain/approvals/ApprovalStep"
import { type ApprovalFilter, type ApprovalPart, ApprovalStore } from "@sarraf/domain/approvals/ApprovalStore"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import { orUnavailable } from "../orUnavailable.ts"

interface DecisionRow extends Omit<ApprovalDecision, "at"> {
  /** As epoch milliseconds. */
  readonly at: number
}

interface ApprovalRow {
  readonly id: string
  readonly version: number
  readonly subject_type: ApprovalSubject["type"]
  readonly subject_id: string
  readonly subject_version: number
  readonly concerned: ReadonlyArray<string>
  readonly submitter_id: string | null
  readonly opened_by: string
  readonly summary: string
  readonly status: ApprovalStatus
  readonly steps: ReadonlyArray<ApprovalStepRule>
  readonly step: number
  readonly due_at: Date
  readonly escalated_at: Date | null
  readonly opened_at: Date
  readonly ended_at: Date | null
  readonly updated_at: Date
  readonly decisions: ReadonlyArray<DecisionRow>
}

const approvalOf = (row: ApprovalRow): Approval => ({
  id: row.id,
  version: row.version,
  subject: { type: row.subject_type, id: row.subject_id, version: row.subject_version },
  concerned: row.concerned,
  submitterId: row.submitter_id,
  openedBy: row.opened_by,
  summary: row.summary,
  status: row.status,
  steps: row.steps,
  step: row.step,
  decisions: row.decisions,
  dueAt: row.due_at.getTime(),
  escalatedAt: row.escalated_at?.getTime() ?? null,
  openedAt: row.opened_at.getTime(),
  endedAt: row.ended_at?.getTime() ?? null,
  updatedAt: row.updated_at.getTime()
})

const timeOrNull = (instant: number | null): Date | null => (instant === null ? null : new Date(instant))

/** Approvals in PostgreSQL: a row each, and one for each decision. */
export const layer = Layer.effect(
  ApprovalStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin

    const columns = sql`approvals.*, (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'step', step, 'by', decided_by, 'persons', persons, 'onBehalfOf', on_behalf_of, 'places', places,
        'isSoleOwner', is_sole_owner, 'decision', decision, 'reason', reason,
        'at', (extract(epoch FROM decided_at) * 1000)::bigint) ORDER BY number), '[]')
      FROM approval_decisions AS decided
      WHERE decided.organization_id = approvals.organization_id AND decided.approval_id = approvals.id) AS decisions`

    /** What it read may be from before another's commit that it waited for; so rows are locked first and read then. */
    const read = Effect.fnUntraced(function* (id: string) {
      const { organizationId } = yield* Caller
      const [row] = yield* sql<ApprovalRow>`SELECT ${columns} FROM approvals
        WHERE organization_id = ${organizationId} AND id = ${id}`
      return row === undefined ? undefined : approvalOf(row)
    })

    const insertDecisions = Effect.fnUntraced(function* (id: string, decisions: Approval["decisions"], from: number) {
      const { organizationId } = yield* Caller
      for (const [index, made] of decisions.slice(from).entries()) {
        yield* sql`INSERT INTO approval_decisions (organization_id, approval_id, number, step, decided_by, persons,
            on_behalf_of, places, is_sole_owner, decision, reason, decided_at)
          VALUES (${organizationId}, ${id}, ${from + index}, ${made.step}, ${made.by}, ${[...made.persons]}::text[],
            ${made.onBehalfOf}, ${[...made.places]}::integer[], ${made.isSoleOwner}, ${made.decision}, ${made.reason},
            ${new Date(made.at)})`
      }
    })

    const partly = (part: ApprovalPart) => sql`(submitter_id = ANY(${[...part.persons]}::text[])
      OR concerned && ${[...part.persons]}::text[] OR opened_by = ${part.name}
      OR id = ANY(${[...part.decidable]}::text[])
      OR (${part.seesAsked} AND (jsonb_path_exists(steps, '$[*].roles[*]') OR EXISTS (
        SELECT FROM unnest(${[...part.persons]}::text[]) AS person
        WHERE jsonb_path_exists(steps, '$[*].users[*] ? (@ == $person)', jsonb_build_object('person', person)))))
      OR EXISTS (SELECT FROM approval_decisions AS decided
        WHERE decided.organization_id = approvals.organization_id AND decided.approval_id = approvals.id
          AND (decided_by = ${part.name} OR on_behalf_of = ANY(${[...part.persons]}::text[]))))`

    const conditionsOf = (filter: ApprovalFilter) => [
      ...(filter.id === undefined ? [] : [sql`id = ${filter.id}`]),
      ...(filter.statuses === undefined ? [] : [sql`status = ANY(${[...filter.statuses]}::text[])`]),
      ...(filter.subjectType === undefined ? [] : [sql`subject_type = ${filter.subjectType}`]),
      ...(filter.subjectId === undefined ? [] : [sql`subject_id = ${filter.subjectId}`])
    ]

    return ApprovalStore.of({
      find: Effect.fn("PgApprovalStore.find")(read, within),
      lockOpen: Effect.fn("PgApprovalStore.lockOpen")(function* ({ id, type }) {
        const { organizationId } = yield* Caller
        const [held] = yield* sql<{ id: string }>`SELECT id FROM approvals
          WHERE organization_id = ${organizationId} AND subject_type = ${type} AND subject_id = ${id} AND status = 'OPEN'
          FOR UPDATE`
        return held === undefined ? undefined : yield* read(held.id)
      }, within),
      insert: Effect.fn("PgApprovalStore.insert")(function* (approval) {
        const { organizationId } = yield* Caller
        const { subject } = approval
        yield* sql`INSERT INTO approvals (organization_id, id, version, subject_type, subject_id, subject_version, concerned,
            submitter_id, opened_by, summary, status, steps, step, due_at, escalated_at, opened_at, ended_at, updated_at)
          VALUES (${organizationId}, ${approval.id}, ${approval.version}, ${subject.type}, ${subject.id}, ${subject.version},
            ${[...approval.concerned]}::text[], ${approval.submitterId}, ${approval.openedBy}, ${approval.summary},
            ${approval.status}, ${JSON.stringify(approval.steps)}::jsonb, ${approval.step}, ${new Date(approval.dueAt)},
            ${timeOrNull(approval.escalatedAt)}, ${new Date(approval.openedAt)}, ${timeOrNull(approval.endedAt)},
            ${new Date(approval.updatedAt)})`
        yield* insertDecisions(approval.id, approval.decisions, 0)
      }, within),
      save: Effect.fn("PgApprovalStore.save")(function* (before, after) {
        const { organizationId } = yield* Caller
        yield* sql`UPDATE approvals SET version = ${after.version}, status = ${after.status}, step = ${after.step},
            due_at = ${new Date(after.dueAt)}, escalated_at = ${timeOrNull(after.escalatedAt)},
            ended_at = ${timeOrNull(after.endedAt)}, updated_at = ${new Date(after.updatedAt)}
          WHERE organization_id = ${organizationId} AND id = ${after.id} AND version = ${before.version}`
        yield* insertDecisions(after.id, after.decisions, before.decisions.length)
      }, within),
      list: Effect.fn("PgApprovalStore.list")(function* (filter, part, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          ...conditionsOf(filter),
          ...(part === undefined ? [] : [partly(part)]),
          ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
        ]
        const rows = yield* sql<ApprovalRow>`SELECT ${columns} FROM approvals WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(approvalOf), page)
      }, within),
      open: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const rows = yield* sql<ApprovalRow>`SELECT ${columns} FROM approvals
            WHERE organization_id = ${organizationId} AND status = 'OPEN' ORDER BY id DESC`
          return rows.map(approvalOf)
        })
      ),
      lockDue: Effect.fn("PgApprovalStore.lockDue")(function* (by) {
        const { organizationId } = yield* Caller
        const [held] = yield* sql<{ id: string }>`SELECT id FROM approvals
          WHERE organization_id = ${organizationId} AND status = 'OPEN' AND escalated_at IS NULL AND due_at <= ${new Date(by)}
          ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`
        return held === undefined ? undefined : yield* read(held.id)
      }, within),
      organizationsDue: Effect.fn("PgApprovalStore.organizationsDue")(function* (by) {
        const rows = yield* sql<{ organization_id: string }>`SELECT DISTINCT organization_id FROM approvals
          WHERE status = 'OPEN' AND escalated_at IS NULL AND due_at <= ${new Date(by)}`
        return rows.map(({ organization_id }) => organization_id)
      }, orUnavailable)
    })
  })
)
