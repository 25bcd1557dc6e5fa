import {
  RoutingPolicies,
  RoutingPolicyChanged,
  type SavedRoutingPolicy,
  unsaved
} from "@sarraf/domain/routing/RoutingPolicies"
import { RoutingRules } from "@sarraf/domain/routing/RoutingPolicy"
import { Cache, Duration, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../orUnavailable.ts"

/** A change is seen by every other process within this time, and at once by the one that made it. */
const rememberedFor = Duration.seconds(2)

const RulesJson = Schema.toCodecJson(RoutingRules)
const decodeRules = Schema.decodeUnknownSync(RulesJson)
const encodeRules = Schema.encodeSync(RulesJson)

interface PolicyRow {
  readonly version: number
  readonly rules: unknown
  readonly changed_by: string
  readonly changed_at: Date
}

/** Throws where the rules do not decode, which is a defect: they were checked before they were written. */
const policyOf = ({ changed_at, changed_by, rules, version }: PolicyRow): SavedRoutingPolicy => ({
  version,
  rules: decodeRules(rules),
  changedBy: changed_by,
  changedAt: changed_at.getTime()
})

/** Routing policies in PostgreSQL, one row a version. */
export const layer = Layer.effect(
  RoutingPolicies,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = Effect.fn("PgRoutingPolicies.find")(function* (organizationId: string) {
      const [row] = yield* sql<PolicyRow>`SELECT version, rules, changed_by, changed_at FROM routing_policies
        WHERE organization_id = ${organizationId} ORDER BY version DESC LIMIT 1`
      return row === undefined ? unsaved : policyOf(row)
    }, orUnavailable)

    const cache = yield* Cache.makeWith(find, {
      capacity: 10_000,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero)
    })

    return RoutingPolicies.of({
      current: (organizationId) => Cache.get(cache, organizationId),
      find,
      save: Effect.fn("PgRoutingPolicies.save")(function* ({ actor, at, expected, organizationId, rules }) {
        const written = JSON.stringify(encodeRules(rules))
        const [row] = yield* sql<PolicyRow>`WITH present AS (
            SELECT coalesce(max(version), 0) AS version FROM routing_policies WHERE organization_id = ${organizationId}),
          saved AS (
            INSERT INTO routing_policies (organization_id, version, rules, changed_by, changed_at)
            SELECT ${organizationId}, version + 1, ${written}::jsonb, ${actor.name}, ${new Date(at)}
            FROM present WHERE version = ${expected}
            ON CONFLICT DO NOTHING RETURNING version, rules, changed_by, changed_at),
          audited AS (
            INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, detail)
            SELECT ${organizationId}, changed_at, changed_by, ${actor.requestId}, 'routing_policy.changed', 'routing_policy',
              jsonb_build_object('version', version, 'rules', rules) FROM saved)
          SELECT * FROM saved`
        if (row === undefined) {
          const { version } = yield* find(organizationId)
          return yield* new RoutingPolicyChanged({ version })
        }
        // Not set: of two changes that end here at once, the later to arrive may be the earlier one.
        yield* Cache.invalidate(cache, organizationId)
        return policyOf(row)
      }, orUnavailable)
    })
  })
)
