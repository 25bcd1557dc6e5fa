import { Struct } from "effect"
import { currencyCodes } from "../money/Currency.ts"
import { roles } from "../organizations/Caller.ts"
import type { FieldType } from "./operators.ts"
import type { PolicyFacts, SpendPeriod } from "./PolicyFacts.ts"
import { weekdayOf, weekdays } from "./Weekday.ts"

/**
 * What a field has in one request. Money: in its own currency where it is one amount and no sum, and in the base currency
 * where a rate is known.
 */
export type Fact =
  | {
      readonly type: "money"
      readonly own?: { readonly minor: bigint; readonly currency: string }
      readonly baseMinor: bigint | null
    }
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "text" | "date" | "choice" | "id"; readonly value: string }

export interface Field {
  readonly type: FieldType
  /** Other names by which a condition may call it. */
  readonly aliases: ReadonlyArray<string>
  /** In the middle of a sentence: "the category", "the spend of the month". */
  readonly noun: string
  /** What may be asked for, where that is a closed list. */
  readonly choices?: ReadonlyArray<string>
  /** Smallest and largest value that a condition may compare with, where the scale is closed. */
  readonly range?: readonly [number, number]
  /** Undefined where the request has nothing there. */
  read(facts: PolicyFacts): Fact | undefined
}

/** A text of blanks alone is nothing. */
const textFact = (type: "text" | "id" | "choice", value: string | null): Fact | undefined =>
  value === null || value.trim() === "" ? undefined : { type, value }

const numberFact = (value: number | null): Fact | undefined => (value === null ? undefined : { type: "number", value })

/** The amount in the base currency; null where no rate is known. */
const baseMinorOf = ({ amount, baseCurrency, baseMinor }: PolicyFacts): bigint | null =>
  amount.currency === baseCurrency ? amount.minor : baseMinor

/** The sum holds this request too, so that without its rate the sum is not known either. */
const spent = (period: SpendPeriod): Field => ({
  type: "money",
  aliases: [],
  noun: `the spend of the ${period}`,
  read: (facts) => ({ type: "money", baseMinor: baseMinorOf(facts) === null ? null : facts.spent[period] })
})

/** Everything that a condition may ask about a request (contract section 6): the one table of the policy language. */
export const fields = {
  amount: {
    type: "money",
    aliases: [],
    noun: "the amount",
    read: (facts) => ({ type: "money", own: facts.amount, baseMinor: baseMinorOf(facts) })
  },
  category: {
    type: "text",
    aliases: [],
    noun: "the category",
    read: ({ category }) => textFact("text", category)
  },
  merchant: {
    type: "text",
    aliases: [],
    noun: "the merchant",
    read: ({ merchant }) => textFact("text", merchant)
  },
  currency: {
    type: "choice",
    aliases: [],
    noun: "the currency",
    choices: currencyCodes,
    read: ({ amount }) => ({ type: "choice", value: amount.currency })
  },
  department_id: {
    type: "id",
    aliases: ["department"],
    noun: "the department",
    read: ({ departmentId }) => textFact("id", departmentId)
  },
  vendor_risk: {
    type: "number",
    aliases: [],
    noun: "the vendor's risk",
    range: [0, 100],
    read: ({ vendorRisk }) => numberFact(vendorRisk)
  },
  receipt: {
    type: "boolean",
    aliases: ["has_receipt", "receipt_present"],
    noun: "the receipt",
    read: ({ hasReceipt }) => ({ type: "boolean", value: hasReceipt })
  },
  weekday: {
    type: "choice",
    aliases: [],
    noun: "the weekday",
    choices: weekdays,
    read: ({ date }) => ({ type: "choice", value: weekdayOf(date) })
  },
  submitter_role: {
    type: "choice",
    aliases: [],
    noun: "the submitter's role",
    choices: roles,
    read: ({ submitterRole }) => textFact("choice", submitterRole)
  },
  spend_day: spent("day"),
  spend_week: spent("week"),
  spend_month: spent("month"),
  spend_quarter: spent("quarter"),
  spend_year: spent("year"),
  duplicate_likelihood: {
    type: "number",
    aliases: [],
    noun: "the likelihood of a duplicate",
    range: [0, 100],
    read: ({ duplicateLikelihood }) => numberFact(duplicateLikelihood)
  },
  date: {
    type: "date",
    aliases: [],
    noun: "the date",
    read: ({ date }) => ({ type: "date", value: date })
  }
} as const satisfies Readonly<Record<string, Field>>

export type FieldName = keyof typeof fields

export const fieldNames: ReadonlyArray<FieldName> = Struct.keys(fields)

const byName: ReadonlyMap<string, FieldName> = new Map(
  fieldNames.flatMap((name) => {
    const { aliases }: Field = fields[name]
    return [name, ...aliases].map((called) => [called, name] as const)
  })
)

/** The field that a condition calls so, by its name or an alias. */
export const fieldNamed = (called: string): FieldName | undefined => byName.get(called)

/** What the field has in these facts; undefined where there is nothing. */
export const readFact = (name: FieldName, facts: PolicyFacts): Fact | undefined => {
  const field: Field = fields[name]
  return field.read(facts)
}
