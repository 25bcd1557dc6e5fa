import { ApprovalStepRule } from "@sarraf/domain/approvals/ApprovalStep"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { writeCondition } from "@sarraf/domain/policies/Condition"
import type { Policy } from "@sarraf/domain/policies/Policy"
import type { PolicyScope } from "@sarraf/domain/policies/PolicyEvaluator"
import { PolicyStore } from "@sarraf/domain/policies/PolicyStore"
import { readCondition } from "@sarraf/domain/policies/readCondition"
import type { Enforcement } from "@sarraf/domain/policies/Violation"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"

interface PolicyRow {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly scope: PolicyScope
  readonly enforcement: Enforcement
  readonly message: string | null
  readonly conditions: unknown
  readonly approval_steps: unknown
  readonly active: boolean
  readonly deleted: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

interface VersionRow extends PolicyRow {
  readonly changed_by: string
}

const decodeSteps = Schema.decodeUnknownSync(Schema.Array(ApprovalStepRule))

/** Throws where conditions or steps do not decode, which is a defect: they were checked before they were written. */
const policyOf = (row: PolicyRow): Policy => {
  const { condition, faults } = readCondition(row.conditions)
  if (condition === undefined) throw new Error(`The policy ${row.id} does not decode: ${faults[0]?.message}`)
  return {
    id: row.id,
    version: row.version,
    name: row.name,
    scope: row.scope,
    enforcement: row.enforcement,
    message: row.message,
    conditions: condition,
    approvalSteps: decodeSteps(row.approval_steps),
    active: row.active,
    isDeleted: row.deleted,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime()
  }
}

const conditionsJson = ({ conditions }: Policy): string => JSON.stringify(writeCondition(conditions))
const stepsJson = ({ approvalSteps }: Policy): string => JSON.stringify(approvalSteps)

/** Policies in PostgreSQL: one row each as it is now, and one row a version. */
export const layer = Layer.effect(
  PolicyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin

    const keepVersion = Effect.fnUntraced(function* ({ id }: Policy) {
      const { name, organizationId } = yield* Caller
      yield* sql`INSERT INTO policy_versions
        SELECT policies.*, ${name} FROM policies WHERE organization_id = ${organizationId} AND id = ${id}`
    })

    const read = (id: string, ending: string) =>
      Effect.gen(function* () {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<PolicyRow>`SELECT * FROM policies
          WHERE organization_id = ${organizationId} AND id = ${id} ${sql.literal(ending)}`
        return row === undefined ? undefined : policyOf(row)
      })

    return PolicyStore.of({
      find: Effect.fn("PgPolicyStore.find")((id: string) => read(id, ""), within),
      lock: Effect.fn("PgPolicyStore.lock")((id: string) => read(id, "FOR UPDATE"), within),
      insert: Effect.fn("PgPolicyStore.insert")(function* (policy) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO policies (organization_id, id, version, name, scope, enforcement, message, conditions,
            approval_steps, active, deleted, created_at, updated_at)
          VALUES (${organizationId}, ${policy.id}, ${policy.version}, ${policy.name}, ${policy.scope},
            ${policy.enforcement}, ${policy.message}, ${conditionsJson(policy)}::jsonb, ${stepsJson(policy)}::jsonb,
            ${policy.active}, ${policy.isDeleted}, ${new Date(policy.createdAt)}, ${new Date(policy.updatedAt)})`
        yield* keepVersion(policy)
      }, within),
      save: Effect.fn("PgPolicyStore.save")(function* (policy) {
        const { organizationId } = yield* Caller
        yield* sql`UPDATE policies SET version = ${policy.version}, name = ${policy.name}, scope = ${policy.scope},
            enforcement = ${policy.enforcement}, message = ${policy.message},
            conditions = ${conditionsJson(policy)}::jsonb, approval_steps = ${stepsJson(policy)}::jsonb,
            active = ${policy.active}, deleted = ${policy.isDeleted}, updated_at = ${new Date(policy.updatedAt)}
          WHERE organization_id = ${organizationId} AND id = ${policy.id}`
        yield* keepVersion(policy)
      }, within),
      list: Effect.fn("PgPolicyStore.list")(function* (filter, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId} AND NOT deleted`,
          ...(filter.scope === undefined ? [] : [sql`scope = ${filter.scope}`]),
          ...(filter.enforcement === undefined ? [] : [sql`enforcement = ${filter.enforcement}`]),
          ...(filter.active === undefined ? [] : [sql`active = ${filter.active}`]),
          ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
        ]
        const rows = yield* sql<PolicyRow>`SELECT * FROM policies WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(policyOf), page)
      }, within),
      count: within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const [row] = yield* sql<{ readonly number: number }>`SELECT count(*)::int AS number FROM policies
            WHERE organization_id = ${organizationId} AND NOT deleted`
          return row?.number ?? 0
        })
      ),
      active: Effect.fn("PgPolicyStore.active")(function* (scope) {
        const { organizationId } = yield* Caller
        const rows = yield* sql<PolicyRow>`SELECT * FROM policies
          WHERE organization_id = ${organizationId} AND scope = ${scope} AND active ORDER BY id`
        return rows.map(policyOf)
      }, within),
      versions: Effect.fn("PgPolicyStore.versions")(function* (id, page) {
        const { organizationId } = yield* Caller
        const after = page.after === undefined ? sql`` : sql`AND version < ${Number(page.after)}`
        const rows = yield* sql<VersionRow>`SELECT * FROM policy_versions
          WHERE organization_id = ${organizationId} AND id = ${id} ${after}
          ORDER BY version DESC LIMIT ${page.limit + 1}`
        return pageOf(
          rows.map((row) => ({ policy: policyOf(row), changedBy: row.changed_by })),
          page
        )
      }, within)
    })
  })
)
