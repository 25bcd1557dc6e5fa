import { type Vendor, vendorStatuses } from "@sarraf/domain/vendors/Vendor"
import { Vendors } from "@sarraf/domain/vendors/Vendors"
import { Effect, Schema } from "effect"
import { makeListTool, pageFields } from "../listTool.ts"
import {
  anyOfTexts,
  count,
  cut,
  date,
  dateIn,
  dateOrNull,
  flag,
  idIn,
  listOf,
  money,
  moneyOf,
  moneyOrNull,
  object,
  oneOf,
  optional,
  someOf,
  text,
  textIn,
  textOrNull,
  time,
  timeOf
} from "../shapes.ts"
import { makeTool } from "../tool.ts"

/** Contacts, contracts and risk factors that are shown of a vendor. */
const partsMax = 20

const vendorFields = {
  id: text("vend_…: pass it to get_vendor, or as vendor_id to list_bills"),
  status: oneOf(vendorStatuses, "ON_HOLD: nothing is paid until a question is settled"),
  name: text("Text that a person entered"),
  legal_name: text("Text that a person entered"),
  country: text("ISO 3166-1, two letters"),
  category: text("Text that a person entered"),
  risk_score: count("0 to 100, the higher the riskier: get_vendor tells why"),
  spend_12_months: object(
    {
      amount: money("In the organization's currency: bills that were approved, scheduled or paid"),
      bills: count("How many bills"),
      share_percent: Schema.Finite.annotate({ description: "Of what all vendors were given in that time" })
    },
    "What its bills of the last twelve months come to"
  ),
  next_renewal: dateOrNull("When a contract renews next; null: none does")
}

const shown = (vendor: Vendor) => ({
  id: vendor.id,
  status: vendor.status,
  name: cut(vendor.name, 200),
  legal_name: cut(vendor.legalName, 200),
  country: vendor.country,
  category: cut(vendor.category, 100),
  risk_score: vendor.riskScore,
  spend_12_months: {
    amount: moneyOf(vendor.spend.currency, vendor.spend.minor),
    bills: vendor.spend.bills,
    share_percent: vendor.spend.sharePercent
  },
  next_renewal: vendor.contracts.find(({ renewsOn }) => renewsOn !== null)?.renewsOn ?? null
})

/** `list_vendors`. */
export const listVendors = Effect.gen(function* () {
  const vendors = yield* Vendors
  return yield* makeListTool({
    name: "list_vendors",
    title: "List vendors",
    description:
      "Lists whom the organization buys from, newest entry first, with what was spent there in twelve months and how risky it is. It takes the role APPROVER or above, or AUDITOR.",
    input: Schema.Struct({
      name: optional(textIn(200, "A part of the name or the legal name, any case")),
      category: optional(anyOfTexts(100, "Only of one of these categories, any case")),
      status: optional(someOf(vendorStatuses, "Only in one of these states")),
      min_risk: optional(
        Schema.Int.annotate({ description: "Smallest risk score" }).check(
          Schema.isBetween({ minimum: 0, maximum: 100 })
        )
      ),
      renewing_before: optional(dateIn("Only with a contract that renews from today on, and before this day")),
      ...pageFields
    }),
    item: Schema.Struct(vendorFields),
    list: ({ category, min_risk, name, renewing_before, status }, page) =>
      vendors.list(
        {
          ...(name === undefined ? {} : { name }),
          ...(category === undefined ? {} : { categories: category }),
          ...(status === undefined ? {} : { statuses: status }),
          ...(min_risk === undefined ? {} : { minRisk: min_risk }),
          ...(renewing_before === undefined ? {} : { renewingBefore: renewing_before })
        },
        page
      ),
    keyOf: ({ id }) => id,
    show: (found) => Effect.succeed(found.map(shown))
  })
})

const details = {
  contacts: listOf(
    {
      name: text("Text that a person entered"),
      email: textOrNull("Their e-mail address"),
      phone: textOrNull("Their telephone")
    },
    `${partsMax} at most`
  ),
  has_bank_account: flag("Whether it is known where it is paid; the account itself is never shown here"),
  contracts: listOf(
    {
      title: text("Text that a person entered"),
      starts_on: date("First day"),
      ends_on: dateOrNull("Last day; null: until somebody ends it"),
      renews_on: dateOrNull("When it goes on by itself unless notice was given"),
      notice_days: Schema.NullOr(Schema.Int).annotate({ description: "So many days before that notice must be given" }),
      annual_value: moneyOrNull("What a year costs")
    },
    `By the date at which they renew, ${partsMax} at most`
  ),
  risk_factors: listOf(
    { sentence: text("The reason"), points: count("What it adds to the score") },
    "Why the score is what it is"
  ),
  created_at: time("When it was entered")
}

/** `get_vendor`. */
export const getVendor = Effect.gen(function* () {
  const vendors = yield* Vendors
  return yield* makeTool({
    name: "get_vendor",
    title: "Get a vendor",
    description:
      "Tells everything about one vendor but its bank details: contacts, contracts with their renewals, risk.",
    input: Schema.Struct({ id: idIn("vend", "The vendor, from list_vendors") }),
    output: Schema.Struct({ ...vendorFields, ...details }),
    read: Effect.fnUntraced(function* ({ id }) {
      const vendor = yield* vendors.get(id)
      return {
        ...shown(vendor),
        contacts: vendor.contacts.slice(0, partsMax).map(({ email, name, phone }) => ({
          name: cut(name, 200),
          email: email === null ? null : cut(email, 320),
          phone: phone === null ? null : cut(phone, 50)
        })),
        has_bank_account: vendor.bankAccount !== null,
        contracts: vendor.contracts.slice(0, partsMax).map((contract) => ({
          title: cut(contract.title, 200),
          starts_on: contract.startsOn,
          ends_on: contract.endsOn,
          renews_on: contract.renewsOn,
          notice_days: contract.noticeDays,
          annual_value: contract.annualMinor === null ? null : moneyOf(contract.currency, contract.annualMinor)
        })),
        risk_factors: vendor.riskFactors.slice(0, partsMax).map(({ points, sentence }) => ({
          sentence: cut(sentence, 300),
          points
        })),
        created_at: timeOf(vendor.createdAt)
      }
    })
  })
})
