import type { ApprovalStepRule } from "../approvals/ApprovalStep.ts"
import type { ConditionJson } from "./Condition.ts"
import type { PolicyScope } from "./PolicyEvaluator.ts"
import type { Enforcement } from "./Violation.ts"

/** A policy as it is sent to `POST /api/policies`. */
export interface ProposedPolicy {
  readonly name: string
  readonly scope: PolicyScope
  readonly enforcement: Enforcement
  readonly message: string | null
  readonly conditions: ConditionJson
  readonly approval_steps: ReadonlyArray<ApprovalStepRule>
}

/** A usual policy, ready to be sent; its amounts are there to be changed. */
export interface PolicyTemplate {
  readonly key: string
  readonly description: string
  readonly policy: ProposedPolicy
}

/** Roughly what a dollar costs, so that proposed amounts are of a size that the currency is used in. */
const sizes: Readonly<Record<string, number>> = { AED: 4, INR: 80, JPY: 150, KRW: 1_300, KWD: 0.4, SAR: 4, TRY: 40 }

const admin: ApprovalStepRule = { roles: ["ADMIN"], mode: "any" }
const manager: ApprovalStepRule = { manager: true, mode: "any" }

/** The parts that only some policies have. */
type Part = Partial<Pick<ProposedPolicy, "message" | "approval_steps">>

const proposed = (
  name: string,
  enforcement: Enforcement,
  conditions: ConditionJson,
  { approval_steps = [], message = null }: Part = {}
): ProposedPolicy => ({ name, scope: "expense", enforcement, message, conditions, approval_steps })

const weekend: ConditionJson = { field: "weekday", op: "in", value: ["SATURDAY", "SUNDAY"] }
const unwanted: ConditionJson = { field: "category", op: "in", value: ["Alcohol", "Gambling", "Alkol", "Kumar"] }
const travel: ConditionJson = { field: "category", op: "in", value: ["Travel", "Flights", "Hotel", "Seyahat"] }
const software: ConditionJson = { field: "category", op: "in", value: ["Software", "SaaS", "Subscriptions", "Yazılım"] }
const meals: ConditionJson = { field: "category", op: "in", value: ["Meals", "Restaurant", "Food", "Yemek"] }

/** A round amount in the currency that is about so many US dollars. */
const makeAbout =
  (baseCurrency: string) =>
  (dollars: number): number =>
    Math.round(dollars * (sizes[baseCurrency] ?? 1))

/** What is refused, or only warned of. */
const limits = (baseCurrency: string): ReadonlyArray<PolicyTemplate> => {
  const about = makeAbout(baseCurrency)
  return [
    {
      key: "receipt_above",
      description: "No expense above an amount without a receipt",
      policy: proposed(
        `Receipts above ${about(25)} ${baseCurrency}`,
        "BLOCK",
        {
          all: [
            { field: "amount", op: "gt", value: about(25) },
            { field: "receipt", op: "eq", value: false }
          ]
        },
        { message: `Expenses above ${about(25)} ${baseCurrency} need a receipt: this has none.` }
      )
    },
    {
      key: "meals_per_day",
      description: "A warning when a day with meals becomes expensive",
      policy: proposed("Meals per day", "WARN", { all: [meals, { field: "spend_day", op: "gt", value: about(50) }] })
    },
    {
      key: "weekend",
      description: "A warning about spending on Saturdays and Sundays",
      policy: proposed("Weekend spending", "WARN", weekend)
    },
    {
      key: "blocked_categories",
      description: "Nothing for alcohol or gambling",
      policy: proposed("Alcohol and gambling", "BLOCK", unwanted, {
        message: "Alcohol and gambling are not paid back."
      })
    },
    {
      key: "foreign_currency",
      description: "A warning about other currencies than the organization's",
      policy: proposed("Foreign currency", "WARN", { field: "currency", op: "ne", value: baseCurrency })
    }
  ]
}

/** What somebody has to approve. */
const chains = (baseCurrency: string, year: number): ReadonlyArray<PolicyTemplate> => {
  const about = makeAbout(baseCurrency)
  const lastDays = [`${year}-12-15`, `${year}-12-31`]
  return [
    {
      key: "monthly_cap",
      description: "An ADMIN approves what goes beyond a person's monthly sum",
      policy: proposed(
        "Monthly cap per person",
        "REQUIRE_APPROVAL",
        { field: "spend_month", op: "gt", value: about(2_000) },
        { approval_steps: [admin] }
      )
    },
    {
      key: "travel",
      description: "Travel is approved by the manager, then by an ADMIN",
      policy: proposed("Travel", "REQUIRE_APPROVAL", travel, { approval_steps: [manager, admin] })
    },
    {
      key: "likely_duplicate",
      description: "An ADMIN looks at what was probably entered before",
      policy: proposed(
        "Likely duplicate",
        "REQUIRE_APPROVAL",
        { field: "duplicate_likelihood", op: "gte", value: 80 },
        { approval_steps: [admin] }
      )
    },
    {
      key: "new_software",
      description: "New software needs an ADMIN",
      policy: proposed("New software", "REQUIRE_APPROVAL", software, { approval_steps: [admin] })
    },
    {
      key: "year_end",
      description: "Larger amounts in the last days of the year need an ADMIN",
      policy: proposed(
        `Year end ${year}`,
        "REQUIRE_APPROVAL",
        {
          all: [
            { field: "date", op: "between", value: lastDays },
            { field: "amount", op: "gte", value: about(250) }
          ]
        },
        { approval_steps: [admin] }
      )
    }
  ]
}

/** The usual policies, with amounts of the organization's currency and dates of this year. */
export const policyTemplates = (baseCurrency: string, year: number): ReadonlyArray<PolicyTemplate> => [
  ...limits(baseCurrency),
  ...chains(baseCurrency, year)
]

/** Currencies whose unit is worth more than the others' here. */
const strong = ["EUR", "GBP", "USD"]

/**
 * At least so many units, by the currency of the expense itself, so that no rate is needed. Amounts in a currency that
 * is not listed are never meant.
 */
const atLeast = (units: number, baseCurrency: string): ConditionJson => ({
  any: [...new Set([baseCurrency, ...(strong.includes(baseCurrency) ? [] : strong)])].map((currency) => ({
    all: [
      { field: "currency", op: "eq", value: currency },
      { field: "amount", op: "gte", value: { amount: units, currency } }
    ]
  }))
})

/**
 * The policies of the demo organization: they bite, but neither block nor ask for a chain of approvals below 1,000 of
 * what has an amount, a currency, a merchant and a category (contract section 6).
 */
export const demoPolicies = (baseCurrency: string): ReadonlyArray<ProposedPolicy> => {
  const large = atLeast(1_000, baseCurrency)
  return [
    proposed(
      "Receipts from 5,000",
      "BLOCK",
      { all: [atLeast(5_000, baseCurrency), { field: "receipt", op: "eq", value: false }] },
      { message: "Expenses of 5,000 and more need a receipt: this has none." }
    ),
    proposed(
      "Alcohol and gambling",
      "BLOCK",
      { all: [large, unwanted] },
      { message: "Alcohol and gambling of 1,000 and more are not paid back." }
    ),
    proposed("Travel", "REQUIRE_APPROVAL", { all: [large, travel] }, { approval_steps: [manager, admin] }),
    proposed("New software", "REQUIRE_APPROVAL", { all: [large, software] }, { approval_steps: [admin] }),
    proposed("Large amounts", "REQUIRE_APPROVAL", atLeast(25_000, baseCurrency), { approval_steps: [admin] }),
    proposed(
      "Likely duplicate",
      "REQUIRE_APPROVAL",
      { all: [large, { field: "duplicate_likelihood", op: "gte", value: 80 }] },
      { approval_steps: [admin] }
    ),
    proposed("Weekend spending", "WARN", weekend),
    proposed("Foreign currency", "WARN", { field: "currency", op: "ne", value: baseCurrency }),
    proposed("Meals without a receipt", "WARN", { all: [meals, { field: "receipt", op: "eq", value: false }] })
  ]
}
