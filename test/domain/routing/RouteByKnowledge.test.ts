import { assert, describe, it } from "@effect/vitest"
import type { Health } from "@sarraf/domain/routing/ProviderHealth"
import { type RoutingCandidate, type RoutingQuestion, route } from "@sarraf/domain/routing/Route"
import { automatic, type RoutingAction, type RoutingPolicy } from "@sarraf/domain/routing/RoutingPolicy"
import { Schema } from "effect"
import { Action, Candidates, candidate, candidatesOf, Question, question } from "./support/SampleCandidates.ts"

const policy = (action: RoutingAction): RoutingPolicy => ({ version: 3, rules: [{ name: "mine", when: {}, action }] })
const Policy = Schema.NullOr(Action)
const policyOf = (action: typeof Policy.Type): RoutingPolicy => (action === null ? automatic : policy(action))

const withOneChanged = (
  candidates: ReadonlyArray<RoutingCandidate>,
  index: number,
  change: (one: RoutingCandidate) => RoutingCandidate
) => candidates.map((one, at) => (at === index ? change(one) : one))

const placeOf = (provider: string, order: ReadonlyArray<string>) => {
  const place = order.indexOf(provider)
  return place < 0 ? order.length : place
}

const ids = Array.from({ length: 4_000 }, (_, index) => `txn_01h455vb4pex5vsknk${index.toString(32).padStart(8, "0")}`)

describe("What routing knows of a provider", () => {
  const better: ReadonlyArray<readonly [string, (one: RoutingCandidate) => RoutingCandidate]> = [
    ["answers", (one) => ({ ...one, health: "closed" })],
    ["approves more", (one) => ({ ...one, successRate: 1 })],
    ["costs less", (one) => ({ ...one, capabilities: { ...one.capabilities, costBasisPoints: 1 } })],
    ["can be asked", (one) => ({ ...one, capabilities: { ...one.capabilities, query: { byReference: true } } })]
  ]
  for (const [what, improve] of better) {
    it.prop(`never moves it back when it ${what}`, [Policy, Question, Candidates], ([action, asked, drawn]) => {
      const candidates = candidatesOf(drawn)
      const before = route(policyOf(action), asked, candidates)
      for (const [index, { provider }] of candidates.entries()) {
        // A rule's own choice may fall on another one when more are sound.
        if (action?.type === "prefer" || action?.type === "split") continue
        const after = route(policyOf(action), asked, withOneChanged(candidates, index, improve))
        if (before.order.includes(provider)) {
          assert.isAtMost(placeOf(provider, after.order), placeOf(provider, before.order))
        }
      }
    })
  }

  it.prop(
    "is kept with the decision, so that the same decision can be made again",
    [Policy, Question, Candidates],
    ([action, asked, drawn]) => {
      const candidates = candidatesOf(drawn)
      const { decidedBy = [], order, reasons } = route(policyOf(action), asked, candidates)
      assert.includeMembers(
        decidedBy.map(({ provider }) => provider),
        [...order]
      )
      const known = new Map(candidates.map((one) => [one.provider, one.capabilities]))
      const again = decidedBy.flatMap(({ costBasisPoints, health, provider, successRate }) => {
        const capabilities = known.get(provider)
        return capabilities === undefined
          ? []
          : [{ provider, health, successRate, capabilities: { ...capabilities, costBasisPoints } }]
      })
      const second = route(policyOf(action), asked, again)
      assert.deepStrictEqual(second.order, order)
      for (const provider of order) assert.strictEqual(second.reasons[provider], reasons[provider])
    }
  )

  it("comes after a rule's choice, unless the chosen one does not answer", () => {
    const chosen = (health: Health) => [
      candidate("a", { costBasisPoints: 1 }, { successRate: 1 }),
      candidate("b", { costBasisPoints: 900, query: { byReference: false } }, { successRate: 0.1, health })
    ]
    const prefer = policy({ type: "prefer", providers: ["b"] })
    assert.deepStrictEqual(route(prefer, question(), chosen("closed")).order, ["b", "a"])
    assert.deepStrictEqual(route(prefer, question(), chosen("halfOpen")).order, ["a", "b"])
    assert.deepStrictEqual(route(prefer, question(), chosen("open")).order, ["a"])
  })
})

describe("A provider that was failing", () => {
  const pair = [
    candidate("a", { costBasisPoints: 1 }, { health: "halfOpen" }),
    candidate("b", { costBasisPoints: 900 })
  ] as const
  const firstFor = (paymentId: string) => route(automatic, question({ paymentId }), pair).order[0]

  it("is tried again with a tenth of the payments, in the place it had", () => {
    assert.approximately(ids.filter((id) => firstFor(id) === "a").length / ids.length, 0.1, 0.02)
  })

  it("is tried with other payments than another one that was failing", () => {
    const both = [...pair, candidate("c", { costBasisPoints: 1 }, { health: "halfOpen" })]
    const triedWith = (provider: string) =>
      new Set(
        ids.filter((paymentId) =>
          route(automatic, question({ paymentId }), both).reasons[provider]?.includes("is tried again")
        )
      )
    const [a, c] = [triedWith("a"), triedWith("c")]
    const shared = [...a].filter((paymentId) => c.has(paymentId))
    assert.isAbove(Math.min(a.size, c.size), 200)
    assert.isBelow(shared.length, 100)
  })

  it("says so", () => {
    for (const paymentId of ids.slice(0, 100)) {
      const { order, reasons } = route(automatic, question({ paymentId }), pair)
      const words = order[0] === "a" ? "was failing and is tried again" : "was failing, so it comes after the healthy"
      assert.include(reasons.a, words)
      assert.include(reasons.b, "healthy")
    }
  })

  it("is asked where no other can take the payment, and says that all fail", () => {
    const { order, reasons } = route(automatic, question(), [
      candidate("a", {}, { health: "open" }),
      candidate("b", {}, { health: "open" }),
      candidate("c", { currencies: ["EUR"] })
    ])
    assert.deepStrictEqual(order, ["a", "b"])
    assert.include(reasons.a, "its circuit breaker is open, as are all others'")
  })
})

describe("A provider that cannot be asked after a lost answer", () => {
  const unaskable = candidate("a", { query: { byReference: false }, costBasisPoints: 1 }, { successRate: 1 })

  it("comes after the others of its health, however good and cheap it is, and says why", () => {
    const { order, reasons } = route(automatic, question(), [
      unaskable,
      candidate("b", { acquiringCountries: [], costBasisPoints: 900 }, { successRate: 0.1 })
    ])
    assert.deepStrictEqual(order, ["b", "a"])
    assert.include(reasons.a, "cannot be asked after a lost answer")
    assert.notInclude(reasons.b, "cannot be asked")
  })

  it("comes before those of worse health", () => {
    const weak = candidate("b", {}, { health: "halfOpen" })
    assert.deepStrictEqual(route(automatic, question(), [weak, unaskable]).order, ["a", "b"])
  })
})

describe("The reasons", () => {
  it("tell success by comparison, to the percent", () => {
    const { reasons } = route(automatic, question(), [
      candidate("a", {}, { successRate: 0.954 }),
      candidate("b", {}, { successRate: 0.95 }),
      candidate("c", {}, { successRate: 0.94 })
    ])
    assert.include(reasons.a, "approves as often as the best")
    assert.include(reasons.b, "approves as often as the best")
    assert.include(reasons.c, "approves less often than the best")
  })
})

describe("A rule's conditions", () => {
  const cases: ReadonlyArray<readonly [object, Partial<RoutingQuestion>, boolean]> = [
    [{ minInstallment: 2 }, {}, false],
    [{ minInstallment: 2 }, { installment: 2 }, true],
    [{ maxInstallment: 1 }, {}, true],
    [{ maxInstallment: 1 }, { installment: 2 }, false],
    [{ is3DS: true }, {}, false],
    [{ is3DS: true }, { is3DS: true }, true],
    [{ is3DS: false }, {}, true],
    [{ is3DS: false }, { is3DS: true }, false]
  ]
  it.each(cases)("%o for %o: %s", (when, changes, applies) => {
    const rules = [{ name: "mine", when, action: { type: "prefer" as const, providers: ["a"] } }]
    const { rule } = route({ version: 1, rules }, question(changes), [candidate("a")])
    assert.strictEqual(rule, applies ? "mine" : null)
  })
})
