import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { judge } from "@sarraf/domain/policies/evaluateCondition"
import { fold } from "@sarraf/domain/policies/folding"
import type { PolicyFacts } from "@sarraf/domain/policies/PolicyFacts"
import { weekdayOf, weekdays } from "@sarraf/domain/policies/Weekday"
import { Schema } from "effect"
import { abroad, lunch, rateOf, read, truthOf, unconverted } from "./support/facts.ts"
import { factsOf, SampleCondition, SampleFacts } from "./support/samples.ts"

const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })
const spentByMonth = (minor: bigint): PolicyFacts => ({ ...lunch, spent: { ...lunch.spent, month: minor } })

describe("Comparing", () => {
  it.each([
    ["gt", 620, "unmet"],
    ["gt", 619.99, "met"],
    ["gte", 620, "met"],
    ["lt", 620.01, "met"],
    ["lt", 620, "unmet"],
    ["lte", 620, "met"],
    ["eq", 620, "met"],
    ["ne", 620, "unmet"],
    ["in", [1, 620], "met"],
    ["not_in", [1, 620], "unmet"],
    ["between", [620, 621], "met"],
    ["between", [621, 700], "unmet"],
    ["between", [600, 620], "met"]
  ])("an amount of 620 TRY %s %s is %s", (op, value, truth) => {
    assert.strictEqual(truthOf(leaf("amount", op, value), lunch), truth)
  })

  it("of texts does not mind case or spaces, in Turkish and in English", () => {
    const merchant = (op: string, value: unknown, name: string) =>
      truthOf(leaf("merchant", op, value), { ...lunch, merchant: name })
    assert.strictEqual(merchant("eq", "istanbul kitap", "İSTANBUL  KİTAP "), "met")
    assert.strictEqual(merchant("contains", "ISPARTA", "Yeni ısparta halı"), "met")
    assert.strictEqual(merchant("starts_with", "istanbul", "I\u0307stanbul Havalimanı"), "met")
    assert.strictEqual(merchant("contains", "TAXI", "taxi ride"), "met")
    assert.strictEqual(merchant("contains", "taksi", "taxi ride"), "unmet")
    assert.strictEqual(merchant("starts_with", "ride", "taxi ride"), "unmet")
    assert.strictEqual(merchant("in", ["uber", "CAFÉ"], "Cafe\u0301"), "met")
    assert.strictEqual(merchant("not_in", ["uber", "bolt"], "Uber"), "unmet")
  })

  it.prop("of a text with itself in capitals or small letters is equal", [Schema.String], ([text]) => {
    assert.strictEqual(fold(text.toLocaleUpperCase("tr")), fold(text.toLocaleUpperCase("tr").toLocaleLowerCase("tr")))
    assert.strictEqual(fold(` ${text}  `), fold(text))
  })

  it("of what is not there is only ever unequal", () => {
    const nothing = { ...lunch, category: null, vendorRisk: null, submitterRole: null, merchant: " " }
    for (const [field, value] of [
      ["category", "Meals"],
      ["vendor_risk", 5],
      ["submitter_role", "ADMIN"],
      ["merchant", "x"]
    ]) {
      const name = String(field)
      assert.strictEqual(truthOf(leaf(name, "eq", value), nothing), "unmet")
      assert.strictEqual(truthOf(leaf(name, "ne", value), nothing), "met")
      assert.strictEqual(truthOf(leaf(name, "in", [value]), nothing), "unmet")
      assert.strictEqual(truthOf(leaf(name, "not_in", [value]), nothing), "met")
      assert.strictEqual(truthOf(leaf(name, "exists", false), nothing), "met")
      assert.strictEqual(truthOf({ field: name, op: "exists" }, nothing), "unmet")
    }
    for (const op of ["gt", "gte", "lt", "lte"]) {
      assert.strictEqual(truthOf(leaf("vendor_risk", op, 5), nothing), "unmet")
    }
    assert.strictEqual(truthOf({ not: leaf("vendor_risk", "gt", 5) }, nothing), "met")
  })

  it("asks of a receipt whether there is one", () => {
    const withReceipt = { ...lunch, hasReceipt: true }
    for (const name of ["receipt", "has_receipt", "receipt_present"]) {
      assert.strictEqual(truthOf(leaf(name, "exists", true), withReceipt), "met")
      assert.strictEqual(truthOf(leaf(name, "exists", true), lunch), "unmet")
      assert.strictEqual(truthOf(leaf(name, "exists", false), lunch), "met")
      assert.strictEqual(truthOf(leaf(name, "eq", false), lunch), "met")
      assert.strictEqual(truthOf(leaf(name, "ne", false), lunch), "unmet")
    }
  })

  it("knows the weekday, the date, the role and what was spent", () => {
    assert.strictEqual(truthOf(leaf("weekday", "in", ["saturday", "Sunday"]), lunch), "met")
    assert.strictEqual(truthOf(leaf("date", "between", ["2026-03-01", "2026-03-01"]), lunch), "met")
    assert.strictEqual(truthOf(leaf("date", "lt", "2026-03-01"), lunch), "unmet")
    assert.strictEqual(truthOf(leaf("submitter_role", "eq", "member"), lunch), "met")
    assert.strictEqual(truthOf(leaf("spend_month", "gt", 12_000), lunch), "unmet")
    assert.strictEqual(truthOf(leaf("spend_month", "gt", 12_000), spentByMonth(1_200_001n)), "met")
    assert.strictEqual(truthOf(leaf("currency", "ne", "try"), abroad), "met")
    assert.strictEqual(truthOf(leaf("department", "eq", "dep_1"), { ...lunch, departmentId: "dep_1" }), "met")
  })

  it("finds the weekday of every day of four hundred years", () => {
    const day = new Date(Date.UTC(1900, 0, 1))
    for (let index = 0; day.getUTCFullYear() < 2301; index++, day.setUTCDate(day.getUTCDate() + 1)) {
      assert.strictEqual(weekdayOf(day.toISOString().slice(0, 10)), weekdays[index % 7])
    }
  })
})

describe("Amounts of other currencies", () => {
  it("are compared in the base currency, exactly", () => {
    assert.strictEqual(truthOf(leaf("amount", "eq", 824), abroad), "met")
    assert.strictEqual(truthOf(leaf("amount", "gt", 824), abroad), "unmet")
    // 0.30 USD at 1/3 TRY are exactly 0.10 TRY, which no decimal rate would give.
    const facts = {
      ...lunch,
      baseMinor: 10n,
      amount: new Money({ currency: "TRY", minor: 10n }),
      rates: new Map([rateOf("USD", 1n, 3n)])
    }
    assert.strictEqual(truthOf(leaf("amount", "eq", { amount: 0.3, currency: "USD" }), facts), "met")
    assert.strictEqual(truthOf(leaf("amount", "gt", { amount: 0.29, currency: "USD" }), facts), "met")
    assert.strictEqual(truthOf(leaf("amount", "lt", { amount: 0.31, currency: "USD" }), facts), "met")
  })

  it("know that yen have no decimals and dinars three", () => {
    const facts = { ...lunch, rates: new Map([rateOf("JPY", 31n, 100n), rateOf("KWD", 124n)]) }
    assert.strictEqual(truthOf(leaf("amount", "eq", { amount: 2_000, currency: "JPY" }), facts), "met")
    assert.strictEqual(truthOf(leaf("amount", "eq", { amount: 5, currency: "KWD" }), facts), "met")
    assert.strictEqual(truthOf(leaf("amount", "lt", { amount: 5.001, currency: "KWD" }), facts), "met")
  })

  it("need no rate where the condition names the currency of the amount", () => {
    for (const facts of [abroad, unconverted]) {
      assert.strictEqual(truthOf(leaf("amount", "gte", { amount: 20, currency: "EUR" }), facts), "met")
      assert.strictEqual(truthOf(leaf("amount", "gt", { amount: 20, currency: "EUR" }), facts), "unmet")
    }
  })
})

describe("Without a rate", () => {
  const usd = { amount: 10, currency: "USD" }

  it("a condition on money is neither met nor unmet, and stays so under not", () => {
    assert.strictEqual(truthOf(leaf("amount", "gt", 500), unconverted), "unknown")
    assert.strictEqual(truthOf({ not: leaf("amount", "gt", 500) }, unconverted), "unknown")
    assert.strictEqual(truthOf(leaf("amount", "lte", usd), lunch), "unknown")
    assert.strictEqual(truthOf(leaf("amount", "ne", usd), lunch), "unknown")
    assert.strictEqual(truthOf(leaf("amount", "not_in", [usd]), lunch), "unknown")
  })

  it("the sum of a period is not known either, since it holds this amount", () => {
    assert.strictEqual(truthOf(leaf("spend_month", "gt", 5), unconverted), "unknown")
    assert.strictEqual(truthOf(leaf("spend_month", "gt", usd), lunch), "unknown")
    assert.strictEqual(truthOf(leaf("spend_month", "gt", 5), abroad), "met")
  })

  it("what is certain all the same decides", () => {
    assert.strictEqual(
      truthOf({ all: [leaf("amount", "gt", 500), leaf("category", "eq", "Travel")] }, unconverted),
      "unmet"
    )
    assert.strictEqual(
      truthOf({ all: [leaf("amount", "gt", 500), leaf("category", "eq", "Meals")] }, unconverted),
      "unknown"
    )
    assert.strictEqual(
      truthOf({ any: [leaf("amount", "gt", 500), leaf("category", "eq", "Meals")] }, unconverted),
      "met"
    )
    assert.strictEqual(
      truthOf({ any: [leaf("amount", "gt", 500), leaf("category", "eq", "Travel")] }, unconverted),
      "unknown"
    )
    assert.strictEqual(truthOf(leaf("amount", "in", [usd, 620]), lunch), "met")
    assert.strictEqual(truthOf(leaf("amount", "between", [600, usd]), lunch), "unknown")
    assert.strictEqual(truthOf(leaf("amount", "between", [usd, 600]), lunch), "unmet")
    assert.strictEqual(truthOf(leaf("amount", "exists", true), unconverted), "met")
  })

  it("other fields are as they are", () => {
    assert.strictEqual(truthOf(leaf("category", "eq", "meals"), unconverted), "met")
    assert.strictEqual(truthOf({ not: leaf("receipt", "eq", true) }, unconverted), "met")
  })
})

describe("Combining", () => {
  it("nothing with all is met, with any unmet", () => {
    assert.strictEqual(truthOf({ all: [] }, lunch), "met")
    assert.strictEqual(truthOf({ any: [] }, lunch), "unmet")
    assert.strictEqual(truthOf({ not: { any: [] } }, lunch), "met")
  })

  it.prop(
    "does not depend on the order of members",
    [SampleCondition, SampleCondition, SampleCondition, SampleFacts],
    ([one, two, three, sample]) => {
      const facts = factsOf(sample)
      for (const kind of ["all", "any"]) {
        const forward = judge(read({ [kind]: [one, two, three] }), facts)
        for (const members of [
          [three, two, one],
          [two, one, three],
          [one, one, three, two]
        ]) {
          assert.strictEqual(judge(read({ [kind]: members }), facts).truth, forward.truth)
        }
      }
    }
  )

  it.prop(
    "obeys De Morgan, and not twice is not at all",
    [SampleCondition, SampleCondition, SampleCondition, SampleFacts],
    ([one, two, three, sample]) => {
      const facts = factsOf(sample)
      const members = [one, two, three]
      const negated = members.map((member) => ({ not: member }))
      assert.strictEqual(truthOf({ not: { all: members } }, facts), truthOf({ any: negated }, facts))
      assert.strictEqual(truthOf({ not: { any: members } }, facts), truthOf({ all: negated }, facts))
      assert.strictEqual(truthOf({ not: { not: one } }, facts), truthOf(one, facts))
    }
  )

  it.prop("is certain where every rate is known", [SampleCondition, SampleFacts], ([condition, sample]) => {
    const facts = factsOf({ ...sample, hasRate: true, knownRates: ["EUR", "KWD", "JPY"] })
    assert.notStrictEqual(truthOf(condition, facts), "unknown")
  })

  it.prop(
    "says nothing for certain that a rate could refute",
    [SampleCondition, SampleFacts],
    ([condition, sample]) => {
      const known = truthOf(condition, factsOf({ ...sample, hasRate: true, knownRates: ["EUR", "KWD", "JPY"] }))
      const missing = truthOf(condition, factsOf({ ...sample, hasRate: false, knownRates: [] }))
      assert.include(["unknown", known], missing)
    }
  )
})
