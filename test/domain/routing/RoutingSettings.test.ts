import { assert, describe, it } from "@effect/vitest"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { ProviderHealth } from "@sarraf/domain/routing/ProviderHealth"
import {
  RoutingPolicies,
  RoutingPolicyChanged,
  type SavedRoutingPolicy,
  unsaved
} from "@sarraf/domain/routing/RoutingPolicies"
import type { RoutingRule } from "@sarraf/domain/routing/RoutingPolicy"
import { RoutingSettings } from "@sarraf/domain/routing/RoutingSettings"
import { SuccessRates } from "@sarraf/domain/routing/SuccessRates"
import { Effect, Layer } from "effect"
import { type ScriptedProvider, scriptedProvider } from "../payments/support/ScriptedProvider.ts"
import { question } from "./support/SampleCandidates.ts"

const only = (provider: string): ReadonlyArray<RoutingRule> => [
  { name: `only ${provider}`, when: {}, action: { type: "only", providers: [provider] } }
]

/** Policies in memory; `meanwhile` runs once between the reading and the writing of a change. */
const policies = (meanwhile: () => void = () => {}) => {
  const versions: Array<SavedRoutingPolicy> = []
  let isFirst = true
  const present = () => versions.at(-1) ?? unsaved
  const add = (rules: ReadonlyArray<RoutingRule>, by: string) => {
    versions.push({ version: present().version + 1, rules, changedAt: 0, changedBy: by })
    return present()
  }
  const service: RoutingPolicies = {
    current: () => Effect.sync(present),
    find: () => Effect.sync(present),
    save: ({ actor, expected, rules }) =>
      Effect.suspend(() => {
        if (isFirst) meanwhile()
        isFirst = false
        const { version } = present()
        return version === expected
          ? Effect.succeed(add(rules, `${actor.name} ${actor.requestId}`))
          : Effect.fail(new RoutingPolicyChanged({ version }))
      })
  }
  return { add, versions, layer: Layer.succeed(RoutingPolicies, service) }
}

const identifiers = Layer.succeed(
  Identifiers,
  Identifiers.of({ next: (prefix) => Effect.succeed(`${prefix}_next`), randomBytes: () => Effect.die("unused") })
)
const providers = Layer.sync(
  PaymentProviders,
  () => new Map(["akbank", "isbank"].map((id): [string, ScriptedProvider] => [id, scriptedProvider(id, [])]))
)

const settings = (store: ReturnType<typeof policies>) =>
  RoutingSettings.pipe(Effect.provide(RoutingSettings.layer.pipe(Layer.provide([store.layer, identifiers, providers]))))

const as = (role: Role) =>
  Effect.provideService(Caller, {
    organizationId: "org_1",
    role,
    name: `key:${role.toLowerCase()}`,
    kind: "key",
    userId: null,
    createdBy: null
  })

const change = { rules: only("akbank"), expected: undefined, requestId: "request-1" }

describe("RoutingSettings.change", () => {
  it.effect("saves the next version, and who made it", () =>
    Effect.gen(function* () {
      const store = policies()
      const routing = yield* settings(store)
      const saved = yield* as("ADMIN")(routing.change(change))
      assert.deepInclude(saved, { version: 1, rules: only("akbank"), changedBy: "key:admin request-1" })
      assert.deepStrictEqual(yield* as("OWNER")(routing.find), saved)
    })
  )

  it.effect("takes the place of the versions it names only", () =>
    Effect.gen(function* () {
      const store = policies()
      store.add([], "first")
      const routing = yield* settings(store)
      const refused = yield* Effect.flip(as("OWNER")(routing.change({ ...change, expected: [0, 2] })))
      assert.deepInclude(refused, { _tag: "RoutingPolicyChanged", version: 1 })
      assert.strictEqual(
        (yield* Effect.flip(as("OWNER")(routing.change({ ...change, expected: [] }))))._tag,
        refused._tag
      )
      assert.strictEqual((yield* as("OWNER")(routing.change({ ...change, expected: [0, 1] }))).version, 2)
    })
  )

  it.effect("loses to a change that came in between, where it names a version", () =>
    Effect.gen(function* () {
      const store = policies(() => store.add([], "other"))
      const routing = yield* settings(store)
      const refused = yield* Effect.flip(as("OWNER")(routing.change({ ...change, expected: [0] })))
      assert.deepInclude(refused, { _tag: "RoutingPolicyChanged", version: 1 })
      assert.deepStrictEqual(
        store.versions.map(({ changedBy }) => changedBy),
        ["other"]
      )
    })
  )

  it.effect("comes after it, where it names none", () =>
    Effect.gen(function* () {
      const store = policies(() => store.add([], "other"))
      const routing = yield* settings(store)
      assert.strictEqual((yield* as("OWNER")(routing.change(change))).version, 2)
    })
  )
})

describe("Roles", () => {
  const allowed = { read: ["APPROVER", "ADMIN", "OWNER", "AUDITOR"], write: ["ADMIN", "OWNER"] }
  for (const role of ["MEMBER", "APPROVER", "ADMIN", "OWNER", "AUDITOR"] as const) {
    it.effect(`decide what ${role} may do`, () =>
      Effect.gen(function* () {
        const routing = yield* settings(policies())
        const isAllowed = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E, Caller>) =>
          Effect.match(as(role)(effect), { onSuccess: () => true, onFailure: ({ _tag }) => _tag !== "RoleMissing" })
        assert.strictEqual(yield* isAllowed(routing.find), allowed.read.includes(role))
        assert.strictEqual(yield* isAllowed(routing.simulate(question())), allowed.read.includes(role))
        assert.strictEqual(yield* isAllowed(routing.change(change)), allowed.write.includes(role))
      })
    )
  }
})

describe("RoutingSettings.simulate", () => {
  const simulate = Effect.fnUntraced(function* (rules?: ReadonlyArray<RoutingRule>, paymentId?: string) {
    const store = policies()
    store.add(only("isbank"), "somebody")
    const routing = yield* settings(store)
    const { paymentId: _, ...imagined } = question()
    return yield* as("AUDITOR")(
      routing.simulate(paymentId === undefined ? imagined : { ...imagined, paymentId }, rules)
    )
  })

  it.effect("routes by the organization's policy", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* simulate(), { order: ["isbank"], rule: "only isbank", policyVersion: 1 })
    })
  )

  it.effect("routes by rules that are saved nowhere", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* simulate(only("akbank")), { order: ["akbank"], rule: "only akbank" })
      assert.deepInclude(yield* simulate([]), { order: ["akbank", "isbank"], rule: null })
    })
  )

  it.effect("decides with the identifier it is given, else with a new one", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* simulate([], "txn_mine")).paymentId, "txn_mine")
      assert.strictEqual((yield* simulate([])).paymentId, "txn_next")
    })
  )

  it.effect("knows health and success as a payment's routing does", () =>
    Effect.gen(function* () {
      const known = Layer.mergeAll(
        Layer.succeed(ProviderHealth, {
          snapshot: Effect.succeed(new Map([["akbank", "open" as const]])),
          record: () => Effect.void
        }),
        Layer.succeed(SuccessRates, { of: (id) => Effect.succeed(new Map([["isbank", id === "org_1" ? 0.5 : 0]])) })
      )
      const routed = yield* simulate([]).pipe(Effect.provide(known))
      assert.deepStrictEqual(routed.order, ["isbank"])
      const figures = routed.decidedBy?.map(({ health, provider, successRate }) => [provider, health, successRate])
      assert.deepStrictEqual(figures, [
        ["akbank", "open", 0.95],
        ["isbank", "closed", 0.5]
      ])
    })
  )
})
