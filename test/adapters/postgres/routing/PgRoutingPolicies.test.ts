import { assert, layer } from "@effect/vitest"
import * as PgRoutingPolicies from "@sarraf/adapters/postgres/routing/PgRoutingPolicies"
import { RoutingPolicies } from "@sarraf/domain/routing/RoutingPolicies"
import { automatic, type RoutingRule } from "@sarraf/domain/routing/RoutingPolicy"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../../support/Database.ts"

/** A process that has read nothing yet. */
const freshPolicies = Effect.provide(
  Effect.gen(function* () {
    return yield* RoutingPolicies
  }),
  Layer.fresh(PgRoutingPolicies.layer)
)

const addOrganization = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO organizations (id, name, base_currency, timezone, verification, is_sandbox)
    VALUES (${id}, 'Shop', 'TRY', 'Europe/Istanbul', 'VERIFIED', true)`
})

const noon = Date.UTC(2026, 10, 1, 12)

const rules: ReadonlyArray<RoutingRule> = [
  {
    name: 'Çay & "simit"',
    when: {
      currencies: ["TRY", "EUR"],
      countries: ["TR"],
      brands: ["troy", "unknown"],
      minMinor: 9_999_999_999n,
      maxMinor: 2n ** 60n,
      minInstallment: 2,
      maxInstallment: 12,
      is3DS: false
    },
    action: { type: "split", weights: { isbank: 3, stripe: 0.5 } }
  },
  { name: "else", when: {}, action: { type: "only", providers: ["stripe"] } }
]

const change = (organizationId: string, expected: number, by = "key:sandbox") => ({
  organizationId,
  expected,
  rules,
  actor: { name: by, requestId: `request of ${by}` },
  at: noon + expected
})

layer(Database.layer)("PgRoutingPolicies", (it) => {
  it.effect("has no rules and version 0 for an organization that saved none", () =>
    Effect.gen(function* () {
      const policies = yield* freshPolicies
      const none = { ...automatic, changedAt: null, changedBy: null }
      assert.deepStrictEqual(yield* policies.find("org_nobody"), none)
      assert.deepStrictEqual(yield* policies.current("org_nobody"), none)
    })
  )

  it.effect("finds in another process what was saved in one, each organization its own", () =>
    Effect.gen(function* () {
      yield* addOrganization("org_a")
      yield* addOrganization("org_b")
      const saved = yield* (yield* freshPolicies).save(change("org_a", 0))
      assert.deepStrictEqual(saved, { version: 1, rules, changedAt: noon, changedBy: "key:sandbox" })
      const other = yield* freshPolicies
      assert.deepStrictEqual(yield* other.find("org_a"), saved)
      assert.deepStrictEqual(yield* other.current("org_a"), saved)
      assert.strictEqual((yield* other.find("org_b")).version, 0)
    })
  )

  it.effect("keeps every version, and says in the audit trail who made it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* addOrganization("org_kept")
      const policies = yield* freshPolicies
      yield* policies.save(change("org_kept", 0, "key:first"))
      yield* policies.save({ ...change("org_kept", 1, "key:second"), rules: [] })
      const kept = yield* sql`SELECT version, changed_by, jsonb_array_length(rules) AS rules FROM routing_policies
        WHERE organization_id = 'org_kept' ORDER BY version`
      assert.deepStrictEqual(kept, [
        { version: 1, changed_by: "key:first", rules: 2 },
        { version: 2, changed_by: "key:second", rules: 0 }
      ])
      const trail = yield* sql`SELECT actor, request_id, action, subject, detail ->> 'version' AS version
        FROM audit_log WHERE organization_id = 'org_kept' ORDER BY id`
      const row = { action: "routing_policy.changed", subject: "routing_policy" }
      assert.deepStrictEqual(trail, [
        { actor: "key:first", request_id: "request of key:first", ...row, version: "1" },
        { actor: "key:second", request_id: "request of key:second", ...row, version: "2" }
      ])
    })
  )

  it.effect("refuses a change of another version than the present one, and writes nothing of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* addOrganization("org_behind")
      const policies = yield* freshPolicies
      yield* policies.save(change("org_behind", 0))
      for (const expected of [0, 2]) {
        const refused = yield* Effect.flip(policies.save(change("org_behind", expected)))
        assert.deepInclude(refused, { _tag: "RoutingPolicyChanged", version: 1 })
      }
      const [audited] = yield* sql`SELECT count(*)::int AS count FROM audit_log WHERE organization_id = 'org_behind'`
      assert.deepStrictEqual(audited, { count: 1 })
    })
  )

  it.effect("lets one of eight concurrent changes through", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* addOrganization("org_raced")
      const processes = yield* Effect.all(Array.from({ length: 8 }, () => freshPolicies))
      const results = yield* Effect.forEach(
        processes,
        (policies, index) => Effect.result(policies.save(change("org_raced", 0, `key:${index}`))),
        { concurrency: "unbounded" }
      )
      const tags = results.map((result) => (result._tag === "Success" ? "saved" : result.failure._tag)).sort()
      assert.deepStrictEqual(tags, [...Array.from({ length: 7 }, () => "RoutingPolicyChanged"), "saved"])
      const [rows] =
        yield* sql`SELECT (SELECT count(*)::int FROM routing_policies WHERE organization_id = 'org_raced') AS kept,
        (SELECT count(*)::int FROM audit_log WHERE organization_id = 'org_raced') AS audited`
      assert.deepStrictEqual(rows, { kept: 1, audited: 1 })
    })
  )

  it.effect("shows routing a change at once in its own process, and within two seconds in another", () =>
    Effect.gen(function* () {
      yield* addOrganization("org_noticed")
      const [mine, other] = [yield* freshPolicies, yield* freshPolicies]
      const seen = Effect.all([mine.current("org_noticed"), other.current("org_noticed")]).pipe(
        Effect.map((found) => found.map(({ version }) => version))
      )
      assert.deepStrictEqual(yield* seen, [0, 0])
      yield* mine.save(change("org_noticed", 0))
      assert.deepStrictEqual(yield* seen, [1, 0])
      yield* TestClock.adjust("1999 millis")
      assert.deepStrictEqual(yield* seen, [1, 0])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* seen, [1, 1])
    })
  )
})
