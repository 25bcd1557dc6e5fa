import { assert, describe, it } from "@effect/vitest"
import {
  onlyInstallmentsMissing,
  type RoutingCandidate,
  type RoutingQuestion,
  route
} from "@sarraf/domain/routing/Route"
import {
  automatic,
  type RoutingAction,
  type RoutingCondition,
  type RoutingPolicy
} from "@sarraf/domain/routing/RoutingPolicy"
import { Schema } from "effect"
import { Action, Candidates, candidate, candidatesOf, Question, question } from "./support/SampleCandidates.ts"

const policy = (action: RoutingAction, when: RoutingCondition = {}): RoutingPolicy => ({
  version: 7,
  rules: [{ name: "mine", when, action }]
})

const Policy = Schema.NullOr(Action)
const policyOf = (action: typeof Policy.Type): RoutingPolicy => (action === null ? automatic : policy(action))

/** Whether a provider can take a payment, stated apart from the source. */
const isEligible = (asked: RoutingQuestion, { capabilities: can }: RoutingCandidate): boolean =>
  [
    can.currencies.includes(asked.currency),
    can.brands.includes(asked.brand),
    can.amount?.minMinor === undefined || can.amount.minMinor <= asked.minor,
    can.amount?.maxMinor === undefined || can.amount.maxMinor >= asked.minor,
    !asked.is3DS || can.threeDS !== undefined,
    can.requires.every((field) => asked.present.includes(field)),
    asked.installment === 1 || can.installments?.currencies.includes(asked.currency) === true,
    asked.installment === 1 || (can.installments?.max ?? 1) >= asked.installment
  ].every(Boolean)

const rotations = <A>(items: ReadonlyArray<A>) =>
  items.map((_, index) => [...items.slice(index), ...items.slice(0, index)])

describe("route", () => {
  it.prop(
    "gives the same answer in whatever order the candidates come",
    [Policy, Question, Candidates],
    ([action, asked, drawn]) => {
      const candidates = candidatesOf(drawn)
      const expected = route(policyOf(action), asked, candidates)
      for (const other of [...rotations(candidates), [...candidates].reverse()]) {
        assert.deepStrictEqual(route(policyOf(action), asked, other), expected)
      }
    }
  )

  it.prop(
    "names only providers that can take the payment and that the rule allows, each once",
    [Policy, Question, Candidates],
    ([action, asked, drawn]) => {
      const candidates = candidatesOf(drawn)
      const { order } = route(policyOf(action), asked, candidates)
      const eligible = candidates.filter((one) => isEligible(asked, one)).map(({ provider }) => provider)
      assert.strictEqual(new Set(order).size, order.length)
      for (const provider of order) {
        assert.include(eligible, provider)
        if (action?.type === "only") assert.include([...action.providers], provider)
        if (action?.type === "exclude") assert.notInclude([...action.providers], provider)
      }
    }
  )

  it.prop(
    "leaves an open breaker out while another is able, and never leaves nobody",
    [Policy, Question, Candidates],
    ([action, asked, drawn]) => {
      const candidates = candidatesOf(drawn)
      const { order } = route(policyOf(action), asked, candidates)
      const able = candidates.filter(
        (one) =>
          isEligible(asked, one) &&
          (action?.type !== "only" || action.providers.some((name) => name === one.provider)) &&
          (action?.type !== "exclude" || !action.providers.some((name) => name === one.provider))
      )
      const healthy = able.filter(({ health }) => health !== "open")
      const expected = healthy.length > 0 ? healthy : able
      assert.deepStrictEqual([...order].sort(), expected.map(({ provider }) => provider).sort())
    }
  )

  it.prop("says of each candidate why", [Policy, Question, Candidates], ([action, asked, drawn]) => {
    const candidates = candidatesOf(drawn)
    const { reasons } = route(policyOf(action), asked, candidates)
    assert.deepStrictEqual(Object.keys(reasons).sort(), candidates.map(({ provider }) => provider).sort())
    for (const reason of Object.values(reasons)) assert.isAbove(reason.length, 10)
    assert.notMatch(JSON.stringify(reasons), /cost|rate|\d\.\d/iu)
  })
})

describe("The order of providers", () => {
  const order = (candidates: ReadonlyArray<RoutingCandidate>, asked = question()) =>
    route(automatic, asked, candidates).order

  it("puts health before all else", () => {
    const weak = candidate(
      "a",
      { acquiringCountries: ["TR"], costBasisPoints: 1 },
      { health: "halfOpen", successRate: 1 }
    )
    const sound = candidate("b", { acquiringCountries: [], costBasisPoints: 900 }, { successRate: 0.1 })
    assert.deepStrictEqual(order([weak, sound]), ["b", "a"])
  })

  it("puts the billing country's own acquirers before success", () => {
    const abroad = candidate("a", { acquiringCountries: ["DE"] }, { successRate: 1 })
    const local = candidate("b", { acquiringCountries: ["GB", "TR"] }, { successRate: 0.1 })
    assert.deepStrictEqual(order([abroad, local]), ["b", "a"])
  })

  it("puts success before cost, in steps of one percent", () => {
    const dear = candidate("a", { costBasisPoints: 300 }, { successRate: 0.95 })
    const cheap = candidate("b", { costBasisPoints: 100 }, { successRate: 0.9 })
    const almost = candidate("c", { costBasisPoints: 100 }, { successRate: 0.946 })
    assert.deepStrictEqual(order([dear, cheap]), ["a", "b"])
    assert.deepStrictEqual(order([dear, almost]), ["c", "a"])
  })

  it("decides by the name where all else is equal", () => {
    assert.deepStrictEqual(order([candidate("b"), candidate("c"), candidate("a")]), ["a", "b", "c"])
  })
})

describe("A provider is left out", () => {
  it.each([
    ["whose currencies lack it", { currencies: ["EUR"] }, {}, "does not take TRY"],
    ["that does not acquire the brand", { brands: ["amex"] }, {}, "does not take cards of the brand visa"],
    ["when the amount is too small", { amount: { minMinor: 14_991n } }, {}, "below its smallest"],
    ["when the amount is too large", { amount: { maxMinor: 14_989n } }, {}, "above its largest"],
    ["without 3D Secure where it is asked for", { threeDS: undefined }, { is3DS: true }, "has no 3D Secure"],
    [
      "whose mandatory fields are missing",
      { requires: ["buyer.ip", "buyer.phone"] },
      {},
      "needs buyer.ip and buyer.phone"
    ],
    [
      "without that many installments",
      { installments: { currencies: ["TRY"], max: 3 } },
      { installment: 6 },
      "has no installments"
    ],
    [
      "without installments in that currency",
      { installments: { currencies: ["TRY"], max: 12 } },
      { installment: 6, currency: "EUR" },
      "has no installments"
    ],
    [
      "without installments for that brand",
      { installments: { currencies: ["TRY"], max: 12, brands: ["troy"] } },
      { installment: 6 },
      "has no installments"
    ]
  ] as const)("%s", (_, capabilities, changes, reason) => {
    const { threeDS, ...rest } = { ...candidate("a").capabilities, ...capabilities }
    const unable: RoutingCandidate = {
      ...candidate("a"),
      capabilities: threeDS === undefined ? rest : { ...rest, threeDS }
    }
    const { order, reasons } = route(automatic, question(changes), [
      unable,
      candidate("b", { installments: { currencies: ["TRY", "EUR"], max: 12 } })
    ])
    assert.deepStrictEqual(order, ["b"])
    assert.include(reasons.a, reason)
  })

  it("by the rule, which the reason names", () => {
    const { order, reasons, rule } = route(policy({ type: "exclude", providers: ["a"] }), question(), [
      candidate("a"),
      candidate("b")
    ])
    assert.deepStrictEqual([order, rule], [["b"], "mine"])
    assert.include(reasons.a, '"mine"')
  })

  it("at the bounds of its amounts not", () => {
    const bounded = candidate("a", { amount: { minMinor: 14_990n, maxMinor: 14_990n } })
    assert.deepStrictEqual(route(automatic, question(), [bounded]).order, ["a"])
  })
})

describe("A rule", () => {
  const both = [candidate("a", { costBasisPoints: 1 }), candidate("b"), candidate("c", { costBasisPoints: 999 })]

  it("that prefers puts its providers first, in its order, and keeps the others", () => {
    const { order, policyVersion } = route(
      policy({ type: "prefer", providers: ["c", "unconfigured", "b"] }),
      question(),
      both
    )
    assert.deepStrictEqual([order, policyVersion], [["c", "b", "a"], 7])
  })

  it("that names a provider twice asks it once", () => {
    assert.deepStrictEqual(route(policy({ type: "prefer", providers: ["c", "c"] }), question(), both).order, [
      "c",
      "a",
      "b"
    ])
  })

  it("that allows only others leaves nobody, and says so", () => {
    const { order, reasons } = route(policy({ type: "only", providers: ["d"] }), question(), both)
    assert.deepStrictEqual(order, [])
    assert.strictEqual(Object.keys(reasons).length, 3)
  })

  const conditions: ReadonlyArray<readonly [RoutingCondition, Partial<RoutingQuestion>, boolean]> = [
    [{}, {}, true],
    [{ currencies: ["TRY", "EUR"] }, {}, true],
    [{ currencies: ["EUR"] }, {}, false],
    [{ countries: ["TR"] }, {}, true],
    [{ countries: ["DE"] }, {}, false],
    [{ brands: ["visa"] }, {}, true],
    [{ brands: ["troy"] }, {}, false],
    [{ minMinor: 14_990n }, {}, true],
    [{ minMinor: 14_991n }, {}, false],
    [{ maxMinor: 14_990n }, {}, true],
    [{ maxMinor: 14_989n }, {}, false],
    [{ currencies: ["TRY"], countries: ["DE"] }, {}, false],
    [{ currencies: ["TRY"], countries: ["DE"] }, { billingCountry: "DE" }, true]
  ]
  it.each(conditions)("when %o applies to %o: %s", (when, changes, applies) => {
    assert.strictEqual(
      route(policy({ type: "prefer", providers: ["c"] }, when), question(changes), both).rule,
      applies ? "mine" : null
    )
  })

  it("is the first that matches", () => {
    const rules = [
      { name: "none", when: { currencies: ["EUR" as const] }, action: { type: "only" as const, providers: ["a"] } },
      { name: "first", when: {}, action: { type: "only" as const, providers: ["b"] } },
      { name: "second", when: {}, action: { type: "only" as const, providers: ["c"] } }
    ]
    const { order, rule } = route({ version: 1, rules }, question(), both)
    assert.deepStrictEqual([order, rule], [["b"], "first"])
  })
})

describe("A split by weight", () => {
  const split = policy({ type: "split", weights: { a: 1, b: 3, c: 0 } })
  const three = [candidate("a"), candidate("b"), candidate("c")]
  const firstFor = (paymentId: string) => route(split, question({ paymentId }), three).order[0]
  /** Identifiers as they come: alike in front, since they begin with the time. */
  const ids = Array.from(
    { length: 8_000 },
    (_, index) => `txn_01h455vb4pex5vsknk${index.toString(32).padStart(8, "0")}`
  )

  it("sends each provider its share of the payments, give or take a tenth", () => {
    const chosen = ids.map(firstFor)
    const count = (provider: string) => chosen.filter((one) => one === provider).length
    assert.approximately(count("a"), 2_000, 200)
    assert.approximately(count("b"), 6_000, 200)
    assert.strictEqual(count("c"), 0)
  })

  it("chooses the same for the same payment, and keeps the others for failover", () => {
    for (const id of ids.slice(0, 50)) {
      const { order } = route(split, question({ paymentId: id }), three)
      assert.deepStrictEqual(route(split, question({ paymentId: id }), [...three].reverse()).order, order)
      assert.deepStrictEqual([...order].sort(), ["a", "b", "c"])
    }
  })

  it("chooses the same when success and cost have changed meanwhile", () => {
    const changed = three.map((one, index) => ({ ...one, successRate: 0.5 + index / 10 }))
    for (const id of ids.slice(0, 200)) {
      assert.strictEqual(route(split, question({ paymentId: id }), changed).order[0], firstFor(id))
    }
  })

  it("goes on by itself where none of its providers is able", () => {
    assert.deepStrictEqual(route(policy({ type: "split", weights: { d: 1 } }), question(), three).order, [
      "a",
      "b",
      "c"
    ])
  })
})

describe("onlyInstallmentsMissing", () => {
  const without = candidate("a", { installments: { currencies: ["EUR"], max: 2 } })
  const asked = question({ installment: 6 })

  it("is so when a provider lacked nothing else", () => {
    assert.isTrue(
      onlyInstallmentsMissing(asked, route(automatic, asked, [without, candidate("b", { currencies: [] })]))
    )
  })

  it("is not so when another can take it, when all lacked something else, or when none was asked for", () => {
    assert.isFalse(onlyInstallmentsMissing(asked, route(automatic, asked, [without, candidate("b")])))
    assert.isFalse(onlyInstallmentsMissing(asked, route(automatic, asked, [candidate("b", { currencies: [] })])))
    assert.isFalse(
      onlyInstallmentsMissing(question(), route(automatic, question(), [candidate("b", { currencies: [] })]))
    )
  })
})
