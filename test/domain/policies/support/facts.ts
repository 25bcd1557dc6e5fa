import { Money } from "@sarraf/domain/money/Money"
import type { Condition } from "@sarraf/domain/policies/Condition"
import { judge } from "@sarraf/domain/policies/evaluateCondition"
import type { Applicable } from "@sarraf/domain/policies/Policy"
import type { PolicyFacts } from "@sarraf/domain/policies/PolicyFacts"
import { readCondition } from "@sarraf/domain/policies/readCondition"

/** A lunch of 620 TRY on a Sunday, without a receipt. */
export const lunch: PolicyFacts = {
  amount: new Money({ currency: "TRY", minor: 62_000n }),
  baseMinor: 62_000n,
  baseCurrency: "TRY",
  date: "2026-03-01",
  merchant: "Kebapçı İskender",
  category: "Meals",
  departmentId: null,
  hasReceipt: false,
  submitterRole: "MEMBER",
  vendorRisk: null,
  duplicateLikelihood: 0,
  spent: { day: 62_000n, week: 62_000n, month: 1_200_000n, quarter: 1_200_000n, year: 1_200_000n },
  rates: new Map()
}

/** What one unit costs in TRY, as a fraction. */
export const rateOf = (from: string, numerator: bigint, denominator = 1n) =>
  [from, { from, to: "TRY", numerator, denominator, date: "2026-02-27", source: "operator" }] as const

/** The same in euros: 20 EUR at 41.20 TRY. */
export const abroad: PolicyFacts = {
  ...lunch,
  amount: new Money({ currency: "EUR", minor: 2_000n }),
  baseMinor: 82_400n,
  rates: new Map([rateOf("EUR", 412n, 10n)])
}

/** In euros, and nobody knows what a euro costs. */
export const unconverted: PolicyFacts = { ...abroad, baseMinor: null, rates: new Map() }

/** A condition of JSON that has no faults. */
export const read = (json: unknown): Condition => {
  const { condition, faults } = readCondition(json)
  if (condition === undefined) throw new Error(JSON.stringify(faults))
  return condition
}

export const truthOf = (json: unknown, facts: PolicyFacts) => judge(read(json), facts).truth

export const policyOf = (conditions: unknown, said: Partial<Applicable> = {}): Applicable => ({
  id: "pol_1",
  version: 1,
  name: "Meals",
  enforcement: "BLOCK",
  message: null,
  approvalSteps: [],
  ...said,
  conditions: read(conditions)
})
