import { Money } from "@sarraf/domain/money/Money"
import { roles } from "@sarraf/domain/organizations/Caller"
import type { PolicyFacts } from "@sarraf/domain/policies/PolicyFacts"
import { Enforcement } from "@sarraf/domain/policies/Violation"
import { weekdays } from "@sarraf/domain/policies/Weekday"
import { Schema } from "effect"
import { rateOf } from "./facts.ts"

/** Small pools of values, so that conditions and facts often meet. */
const amounts = [0, 0.5, 499.99, 500, 620, 20, 1_000] as const
const currencies = ["TRY", "EUR", "KWD", "JPY"] as const
const texts = ["Meals", "MEALS ", "Travel", "İSTANBUL", "istanbul", "ıstanbul"] as const
const dates = ["2026-02-28", "2026-03-01", "2026-12-31"] as const

const Amount = Schema.Literals(amounts)
const Foreign = Schema.Struct({ amount: Schema.Literals([0, 5, 15, 20, 500]), currency: Schema.Literals(currencies) })
const several = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(3))

const whole = ["eq", "ne"] as const
const ordering = [...whole, "gt", "gte", "lt", "lte"] as const
const listing = Schema.Literals(["in", "not_in"])

const leavesOf = <F extends string, O extends string, S extends Schema.Constraint>(
  names: ReadonlyArray<F>,
  operators: ReadonlyArray<O>,
  value: S
) => [
  Schema.Struct({ field: Schema.Literals(names), op: Schema.Literals(operators), value }),
  Schema.Struct({ field: Schema.Literals(names), op: listing, value: several(value) }),
  Schema.Struct({ field: Schema.Literals(names), op: Schema.Literal("exists"), value: Schema.Boolean })
]

const Leaf = Schema.Union([
  ...leavesOf(["amount", "spend_day", "spend_month"], ordering, Schema.Union([Amount, Foreign])),
  ...leavesOf(["category", "merchant"], [...whole, "contains", "starts_with"], Schema.Literals(texts)),
  ...leavesOf(["currency"], whole, Schema.Literals(currencies)),
  ...leavesOf(["department_id", "department"], whole, Schema.Literals(["dep_1", "dep_2"])),
  ...leavesOf(["vendor_risk", "duplicate_likelihood"], ordering, Schema.Literals([0, 50, 80, 100])),
  ...leavesOf(["receipt", "has_receipt"], whole, Schema.Boolean),
  ...leavesOf(["weekday"], whole, Schema.Literals(weekdays)),
  ...leavesOf(["submitter_role"], whole, Schema.Literals(roles)),
  ...leavesOf(["date"], ordering, Schema.Literals(dates)),
  Schema.Struct({
    field: Schema.Literal("vendor_risk"),
    op: Schema.Literal("between"),
    value: Schema.Tuple([Schema.Literal(20), Schema.Literal(80)])
  }),
  Schema.Struct({
    field: Schema.Literals(["amount", "spend_day"]),
    op: Schema.Literal("between"),
    value: Schema.Tuple([Schema.Union([Schema.Literal(0), Foreign]), Schema.Literal(620)])
  })
])

const combined = <S extends Schema.Constraint>(inner: S) =>
  Schema.Union([
    inner,
    Schema.Struct({ all: Schema.Array(inner).check(Schema.isMaxLength(3)) }),
    Schema.Struct({ any: Schema.Array(inner).check(Schema.isMaxLength(3)) }),
    Schema.Struct({ not: inner })
  ])

/** JSON of a condition, three levels deep. */
export const SampleCondition = combined(combined(combined(Leaf)))

/** Facts with and without rates, categories, roles; `factsOf` makes them complete. */
export const SampleFacts = Schema.Struct({
  amount: Schema.Literals([0, 50, 2_000, 49_999, 50_000, 62_000]),
  currency: Schema.Literals(currencies),
  hasRate: Schema.Boolean,
  knownRates: Schema.Array(Schema.Literals(["EUR", "KWD", "JPY"])),
  category: Schema.NullOr(Schema.Literals([...texts, " "])),
  merchant: Schema.Literals([...texts, ""]),
  departmentId: Schema.NullOr(Schema.Literals(["dep_1", "dep_2"])),
  hasReceipt: Schema.Boolean,
  submitterRole: Schema.NullOr(Schema.Literals(roles)),
  vendorRisk: Schema.NullOr(Schema.Literals([0, 50, 100])),
  duplicateLikelihood: Schema.Literals([0, 50, 80, 100]),
  date: Schema.Literals(dates),
  spent: Schema.Literals([0, 50_000, 62_000, 10_000_000])
})

const numerators = { TRY: 1n, EUR: 412n, KWD: 1_333n, JPY: 3n } as const

export const factsOf = ({
  amount,
  currency,
  hasRate,
  knownRates,
  spent,
  ...plain
}: typeof SampleFacts.Type): PolicyFacts => ({
  ...plain,
  amount: new Money({ currency, minor: BigInt(amount) }),
  baseMinor: hasRate || currency === "TRY" ? (BigInt(amount) * numerators[currency]) / 10n : null,
  baseCurrency: "TRY",
  spent: { day: BigInt(spent), week: 0n, month: BigInt(spent) * 2n, quarter: 0n, year: 0n },
  rates: new Map(knownRates.map((code) => rateOf(code, numerators[code], 10n)))
})

/** Several policies. */
export const SamplePolicies = Schema.Array(
  Schema.Struct({ conditions: SampleCondition, enforcement: Enforcement })
).check(Schema.isMaxLength(5))
