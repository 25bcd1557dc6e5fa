import { assert, describe, it } from "@effect/vitest"
import type { PolicyContent } from "@sarraf/domain/policies/Policy"
import { conditionWords, deciderWords, policyWords } from "@sarraf/domain/policies/policyWords"
import { readCondition } from "@sarraf/domain/policies/readCondition"
import { policyTemplates } from "@sarraf/domain/policies/templates"

const conditionOf = (json: unknown) => {
  const { condition, faults } = readCondition(json)
  if (condition === undefined) throw new Error(faults[0]?.message)
  return condition
}
const words = (json: unknown, nameOf?: (id: string) => string | undefined) =>
  conditionWords(conditionOf(json), "TRY", nameOf)

describe("A condition in words", () => {
  const sales = "dep_01h455vb4pex5vsknk084sn02q"
  const cases: ReadonlyArray<readonly [unknown, string]> = [
    [{ field: "amount", op: "gt", value: 500 }, "the amount is over 500 TRY"],
    [{ field: "amount", op: "lte", value: { amount: 10.5, currency: "EUR" } }, "the amount is at most 10.50 EUR"],
    [{ field: "amount", op: "between", value: [100, 200] }, "the amount is between 100 TRY and 200 TRY"],
    [{ field: "category", op: "eq", value: "Meals" }, 'the category is "Meals"'],
    [{ field: "category", op: "in", value: ["Meals", "Taxi"] }, 'the category is "Meals" or "Taxi"'],
    [{ field: "category", op: "not_in", value: ["Meals", "Taxi"] }, 'the category is not "Meals" or "Taxi"'],
    [{ field: "merchant", op: "contains", value: "casino" }, 'the merchant contains "casino"'],
    [{ field: "merchant", op: "exists", value: true }, "there is a merchant"],
    [{ field: "merchant", op: "exists", value: false }, "there is no merchant"],
    [{ field: "receipt", op: "eq", value: false }, "there is no receipt"],
    [{ field: "receipt", op: "eq", value: true }, "there is a receipt"],
    [{ field: "date", op: "gt", value: "2026-01-31" }, "the date is after 2026-01-31"],
    [{ field: "weekday", op: "eq", value: "SUNDAY" }, "the weekday is SUNDAY"],
    [{ all: [] }, "anything is the case"],
    [{ any: [] }, "nothing is the case"],
    [{ not: { field: "receipt", op: "eq", value: true } }, "it is not so that there is a receipt"],
    [
      {
        all: [
          { field: "category", op: "eq", value: "Meals" },
          {
            any: [
              { field: "amount", op: "gt", value: 500 },
              { field: "receipt", op: "eq", value: false }
            ]
          }
        ]
      },
      'the category is "Meals" and (the amount is over 500 TRY or there is no receipt)'
    ]
  ]
  for (const [json, expected] of cases) {
    it(`says ${expected}`, () => assert.strictEqual(words(json), expected))
  }

  it("calls departments by their names, where they are known", () => {
    const json = { field: "department", op: "eq", value: sales }
    assert.strictEqual(words(json), `the department is ${sales}`)
    assert.strictEqual(
      words(json, (id) => (id === sales ? "Sales" : undefined)),
      "the department is Sales"
    )
  })

  it("cuts what a person wrote, so that no text takes over the sentence", () => {
    assert.isBelow(words({ field: "merchant", op: "eq", value: "x".repeat(200) }).length, 100)
  })
})

describe("A policy in words", () => {
  const policy: PolicyContent = {
    name: "Large amounts",
    scope: "expense",
    enforcement: "REQUIRE_APPROVAL",
    message: null,
    conditions: conditionOf({ field: "amount", op: "gte", value: 25_000 }),
    approvalSteps: [
      { manager: true, mode: "any" },
      { roles: ["ADMIN"], users: ["usr_1"], mode: "all", escalateAfterHours: 24 }
    ],
    active: true
  }

  it("says what is asked for, of whom and when", () => {
    assert.strictEqual(
      policyWords(policy, "TRY", () => "Ada"),
      "An expense needs the approval of the submitter's manager (after 72 hours ADMINs and OWNERs too), then of each of an ADMIN or above and Ada (after 24 hours ADMINs and OWNERs too) when the amount is at least 25000 TRY."
    )
    assert.strictEqual(
      policyWords({ ...policy, approvalSteps: [] }, "TRY"),
      "An expense needs the approval of an APPROVER or above when the amount is at least 25000 TRY."
    )
    assert.strictEqual(
      policyWords({ ...policy, scope: "bill", enforcement: "BLOCK", approvalSteps: [] }, "EUR"),
      "A bill is refused when the amount is at least 25000 EUR."
    )
  })

  it("names roles with the article that they take, and no role above the highest", () => {
    assert.strictEqual(deciderWords({ roles: ["MEMBER"], mode: "any" }), "a MEMBER or above")
    assert.strictEqual(deciderWords({ roles: ["OWNER", "AUDITOR"], mode: "any" }), "an OWNER or an AUDITOR")
    assert.strictEqual(deciderWords({ users: ["usr_1"], mode: "all" }), "usr_1")
  })

  it("has a sentence for every usual policy", () => {
    for (const { policy: usual } of policyTemplates("TRY", 2026)) {
      const { enforcement, name } = usual
      const conditions = conditionOf(usual.conditions)
      const said = policyWords({ ...policy, name, enforcement, conditions, approvalSteps: [] }, "TRY")
      assert.match(said, /^An expense .* when .*\.$/u)
      assert.notMatch(said, /undefined|\[object| {2}/u)
    }
  })
})
