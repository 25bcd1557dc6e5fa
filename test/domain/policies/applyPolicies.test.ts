import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { needsOf } from "@sarraf/domain/policies/Condition"
import { type Applicable, applyPolicies } from "@sarraf/domain/policies/Policy"
import { demoPolicies, policyTemplates } from "@sarraf/domain/policies/templates"
import { Schema } from "effect"
import { abroad, lunch, policyOf, read, unconverted } from "./support/facts.ts"
import { factsOf, SampleCondition, SampleFacts, SamplePolicies } from "./support/samples.ts"

const amountOver = (value: unknown) => ({ field: "amount", op: "gt", value })
const noReceipt = { field: "receipt", op: "eq", value: false }
const meals = { field: "category", op: "eq", value: "Meals" }

const said = (conditions: unknown, facts = lunch, policy: Partial<Applicable> = {}) =>
  applyPolicies([policyOf(conditions, policy)], facts).results[0]

describe("The sentence", () => {
  it("is the policy's own where it is met, and tells the facts where it is not", () => {
    const message = "Meals over 500 TRY need a receipt: this has none."
    const conditions = { all: [meals, amountOver(500), noReceipt] }
    assert.deepInclude(said(conditions, lunch, { message }), { met: true, message })
    assert.deepInclude(said(conditions, { ...lunch, hasReceipt: true }, { message }), {
      met: false,
      message: "Meals: there is a receipt."
    })
  })

  it.each([
    [
      { all: [noReceipt, amountOver(500), meals] },
      'Meals: the amount 620 TRY is over 500 TRY, the category is "Meals" and there is no receipt.'
    ],
    [{ any: [amountOver(5_000), noReceipt] }, "Meals: there is no receipt."],
    [{ not: amountOver(5_000) }, "Meals: the amount 620 TRY is not over 5000 TRY."],
    [{ not: { all: [meals, amountOver(1_000.5)] } }, "Meals: the amount 620 TRY is not over 1000.50 TRY."],
    [{ field: "weekday", op: "in", value: ["SUNDAY"] }, "Meals: the weekday is SUNDAY."],
    [
      { field: "spend_month", op: "gte", value: 10_000 },
      "Meals: the spend of the month 12000 TRY is at least 10000 TRY."
    ],
    [{ field: "date", op: "lte", value: "2026-03-31" }, "Meals: the date 2026-03-01 is on or before 2026-03-31."],
    [{ field: "merchant", op: "contains", value: "KEBAP" }, 'Meals: the merchant "Kebapçı İskender" contains "KEBAP".'],
    [
      { field: "category", op: "not_in", value: ["Travel", "Hotel"] },
      'Meals: the category "Meals" is not "Travel" or "Hotel".'
    ],
    [{ field: "department_id", op: "exists", value: false }, "Meals: there is no department."],
    [
      { field: "amount", op: "between", value: [500, 700] },
      "Meals: the amount 620 TRY is between 500 TRY and 700 TRY."
    ],
    [{ all: [] }, "Meals: it applies to every request."]
  ])("of %j is made of the name and the facts", (conditions, message) => {
    assert.deepInclude(said(conditions), { met: true, message })
  })

  it("gives an amount as it was paid and in the base currency", () => {
    assert.strictEqual(said(amountOver(500), abroad)?.message, "Meals: the amount 20 EUR (824 TRY) is over 500 TRY.")
    assert.strictEqual(
      said(amountOver({ amount: 15, currency: "EUR" }), unconverted)?.message,
      "Meals: the amount 20 EUR is over 15 EUR."
    )
  })

  it("says which rate is missing, where a condition counts as met for lack of it", () => {
    const missing = "no EUR rate is known for 2026-03-01, so this counts as met."
    for (const conditions of [amountOver(500), { not: amountOver(500) }, { field: "spend_day", op: "lt", value: 1 }]) {
      assert.deepInclude(said(conditions, unconverted), { met: true, message: `Meals: ${missing}` })
    }
    assert.deepInclude(said({ all: [meals, amountOver(500)] }, unconverted), {
      met: true,
      message: `Meals: the category is "Meals" and ${missing}`
    })
    for (const message of ["Too much.", "Too much"]) {
      assert.deepInclude(said(amountOver(500), unconverted, { message }), {
        met: true,
        message: `Too much. N${missing.slice(1)}`
      })
    }
    assert.strictEqual(
      said(amountOver({ amount: 10, currency: "USD" }))?.message,
      "Meals: no USD rate is known for 2026-03-01, so this counts as met."
    )
    assert.deepInclude(said({ all: [amountOver(500), noReceipt] }, { ...unconverted, hasReceipt: true }), {
      met: false,
      message: "Meals: there is a receipt."
    })
  })

  it("ends, however long the condition is", () => {
    const any = Array.from({ length: 100 }, (_, index) => ({
      field: "category",
      op: "ne",
      value: `${index} `.repeat(40)
    }))
    const sentence = said({ all: any })?.message ?? ""
    assert.isBelow(sentence.length, 800)
    assert.include(sentence, "95 more reasons")
  })
})

describe("The verdict", () => {
  const admin = { roles: ["ADMIN"], mode: "any" } as const
  const owner = { roles: ["OWNER"], mode: "any" } as const
  const manager = { manager: true, mode: "any" } as const
  const met = (id: string, enforcement: Applicable["enforcement"], approvalSteps: Applicable["approvalSteps"] = []) =>
    policyOf({ all: [] }, { id, enforcement, approvalSteps, version: 3 })

  it("puts BLOCK before REQUIRE_APPROVAL before WARN, and chains the steps by policy", () => {
    const policies = [
      met("pol_4", "WARN"),
      met("pol_3", "REQUIRE_APPROVAL", [manager]),
      met("pol_1", "REQUIRE_APPROVAL", [admin, owner]),
      met("pol_2", "BLOCK"),
      policyOf({ any: [] }, { id: "pol_0" })
    ]
    const { results, verdict } = applyPolicies(policies, lunch)
    assert.deepStrictEqual(
      results.map(({ policyId }) => policyId),
      ["pol_0", "pol_2", "pol_1", "pol_3", "pol_4"]
    )
    assert.deepStrictEqual(
      verdict.violations.map(({ policyId }) => policyId),
      ["pol_2", "pol_1", "pol_3", "pol_4"]
    )
    assert.strictEqual(verdict.violations[0]?.policyVersion, 3)
    assert.strictEqual(verdict.strongest, "BLOCK")
    assert.deepStrictEqual(verdict.steps, [admin, owner, manager])
  })

  it("asks once for a step that two policies ask for, and twice where one policy does", () => {
    const stepsOf = (...chains: ReadonlyArray<Applicable["approvalSteps"]>) =>
      applyPolicies(
        chains.map((chain, index) => met(`pol_${index}`, "REQUIRE_APPROVAL", chain)),
        lunch
      ).verdict.steps
    assert.deepStrictEqual(stepsOf([admin], [admin]), [admin])
    assert.deepStrictEqual(stepsOf([admin, admin]), [admin, admin])
    assert.deepStrictEqual(stepsOf([admin], [owner, admin, admin]), [admin, owner, admin])
    const sooner = { ...admin, escalateAfterHours: 24 }
    assert.deepStrictEqual(stepsOf([admin], [sooner]), [admin, sooner])
  })

  it("of no policies is that nothing is wrong", () => {
    assert.deepStrictEqual(applyPolicies([], lunch).verdict, { violations: [], strongest: null, steps: [] })
  })

  const policiesOf = (samples: typeof SamplePolicies.Type) =>
    samples.map(({ conditions, enforcement }, index) => policyOf(conditions, { id: `pol_${index}`, enforcement }))

  it.prop(
    "is total, and does not depend on the order of policies",
    [SamplePolicies, SampleFacts],
    ([samples, sample]) => {
      const policies = policiesOf(samples)
      const facts = factsOf(sample)
      const { results, verdict } = applyPolicies(policies, facts)
      assert.lengthOf(results, policies.length)
      for (const { message } of results) assert.match(message, /\S\.$/u)
      assert.deepStrictEqual(applyPolicies(policies.toReversed(), facts), { results, verdict })
      assert.deepStrictEqual(applyPolicies([...policies.slice(2), ...policies.slice(0, 2)], facts), {
        results,
        verdict
      })
    }
  )

  it.prop(
    "and its sentences do not depend on the order of members",
    [Schema.Array(SampleCondition).check(Schema.isMaxLength(4)), SampleFacts],
    ([members, sample]) => {
      const facts = factsOf(sample)
      for (const kind of ["all", "any"]) {
        assert.deepStrictEqual(
          applyPolicies([policyOf({ [kind]: members.toReversed() })], facts),
          applyPolicies([policyOf({ [kind]: members })], facts)
        )
      }
    }
  )

  const strengths = ["WARN", "REQUIRE_APPROVAL", "BLOCK"]
  const strengthOf = (enforcement: string | null) => strengths.indexOf(enforcement ?? "")

  it.prop(
    "never becomes milder by one more policy",
    [SamplePolicies, SampleCondition, SampleFacts],
    ([samples, more, sample]) => {
      const facts = factsOf(sample)
      const policies = policiesOf(samples)
      const before = applyPolicies(policies, facts).verdict
      for (const enforcement of ["BLOCK", "REQUIRE_APPROVAL", "WARN"] as const) {
        const { verdict } = applyPolicies([...policies, policyOf(more, { id: "pol_more", enforcement })], facts)
        assert.isAtLeast(strengthOf(verdict.strongest), strengthOf(before.strongest))
        const ids = verdict.violations.map(({ policyId }) => policyId)
        assert.includeMembers(
          ids,
          before.violations.map(({ policyId }) => policyId)
        )
      }
    }
  )
})

describe("The usual policies", () => {
  it("can be read, in every currency", () => {
    for (const currency of ["TRY", "EUR", "JPY", "KWD", "CHF"]) {
      const proposed = [...policyTemplates(currency, 2026).map(({ policy }) => policy), ...demoPolicies(currency)]
      for (const { approval_steps, conditions, enforcement } of proposed) {
        read(conditions)
        if (enforcement !== "REQUIRE_APPROVAL") assert.deepStrictEqual(approval_steps, [])
      }
    }
    const keys = policyTemplates("TRY", 2026).map(({ key }) => key)
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  const demo = (currency: string) =>
    demoPolicies(currency).map((policy, index) =>
      policyOf(policy.conditions, { id: `pol_${index}`, enforcement: policy.enforcement })
    )
  const categories = ["Gambling", "Alcohol", "Travel", "Software", "Meals", "Yazılım"] as const

  it.prop(
    "of the demo stop nothing below 1,000 that has amount, currency, merchant and category",
    [
      SampleFacts,
      Schema.Literals(categories),
      Schema.Literals(["TRY", "EUR", "USD", "GBP", "JPY"]),
      Schema.Literals([1n, 50_000n, 99_999n])
    ],
    ([sample, category, currency, minor]) => {
      const amount = new Money({ currency, minor: currency === "JPY" ? minor / 100n : minor })
      const facts = { ...factsOf(sample), category, merchant: "Casino", amount, duplicateLikelihood: 100 }
      const { strongest } = applyPolicies(demo("TRY"), facts).verdict
      assert.include([null, "WARN"], strongest)
    }
  )

  it("of the demo bite above", () => {
    const strongest = (changes: Partial<typeof lunch>) =>
      applyPolicies(demo("TRY"), { ...lunch, ...changes }).verdict.strongest
    const money = (minor: bigint) => ({ amount: new Money({ currency: "TRY", minor }), baseMinor: minor })
    assert.strictEqual(strongest(money(500_000n)), "BLOCK")
    assert.strictEqual(strongest({ ...money(500_000n), hasReceipt: true, category: "Travel" }), "REQUIRE_APPROVAL")
    assert.strictEqual(strongest({ ...money(100_000n), category: "Kumar" }), "BLOCK")
    assert.strictEqual(strongest({}), "WARN")
  })
})

describe("What policies need to know", () => {
  it("is the currencies of their operands, and sums of periods only where one asks for them", () => {
    const needsOfAll = (...conditions: ReadonlyArray<unknown>) => needsOf(conditions.map(read))
    assert.deepStrictEqual(needsOfAll(amountOver(5), noReceipt), { currencies: [], spending: false })
    const abroadOver = (currency: string) => amountOver({ amount: 5, currency })
    assert.deepStrictEqual(needsOfAll({ any: [abroadOver("USD"), { not: abroadOver("EUR") }] }, abroadOver("USD")), {
      currencies: ["EUR", "USD"],
      spending: false
    })
    const monthly = { field: "spend_month", op: "gt", value: 5 }
    assert.isTrue(needsOfAll(noReceipt, { all: [{ not: monthly }] }).spending)
  })
})
