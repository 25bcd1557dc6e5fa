import { type Bill, matchOutcomes } from "@sarraf/domain/bills/Bill"
import { billStatuses } from "@sarraf/domain/bills/BillStatus"
import { Bills } from "@sarraf/domain/bills/Bills"
import { Names } from "@sarraf/domain/organizations/Names"
import { Effect, Schema } from "effect"
import { fitting, makeListTool, pageFields } from "../listTool.ts"
import {
  actingPerson,
  count,
  cut,
  cutOrNull,
  date,
  dateIn,
  dateOrNull,
  flag,
  idIn,
  listOf,
  money,
  moneyOf,
  moneyOfOrNull,
  moneyOrNull,
  nameOf,
  object,
  oneOf,
  optional,
  personOfOrNull,
  personOrNull,
  someOf,
  text,
  textOrNull,
  time,
  timeOf,
  timeOrNull
} from "../shapes.ts"
import { makeTool } from "../tool.ts"

const linesLengthMax = 40_000

const billFields = {
  id: text("bill_…: pass it to get_bill"),
  status: oneOf(billStatuses, "RECEIVED, APPROVED and SCHEDULED are still to be paid"),
  vendor_id: text("vend_…: pass it to get_vendor"),
  vendor_name: text("Text that a person entered"),
  number: text("The vendor's own number: text that a person entered"),
  total: money("With tax: what is to be paid"),
  tax: money("Of the total"),
  base_total: moneyOrNull("The total in the organization's currency; null where no rate is known"),
  category: textOrNull("Text that a person entered"),
  department: textOrNull("The department's name"),
  issue_date: date("When the vendor wrote it"),
  due_date: date("When it has to be paid"),
  scheduled_for: dateOrNull("When it will be paid; null: not scheduled"),
  paid_at: timeOrNull("When it was paid"),
  possible_duplicates: count("How many other bills may be the same: get_bill tells which"),
  match_outcome: Schema.NullOr(Schema.Literals(matchOutcomes)).annotate({
    description: "How it compares with its order and what was received; null: it names no order"
  })
}

const namesOf = (bills: ReadonlyArray<Bill>, persons: ReadonlyArray<string> = []) =>
  Effect.flatMap(Names, (names) =>
    names.of(persons, [...new Set(bills.flatMap(({ departmentId }) => departmentId ?? []))])
  )

const shown = (bill: Bill, names: ReadonlyMap<string, string>) => ({
  id: bill.id,
  status: bill.status,
  vendor_id: bill.vendorId,
  vendor_name: cut(bill.vendorName, 200),
  number: cut(bill.number, 100),
  total: moneyOf(bill.total.currency, bill.total.minor),
  tax: moneyOf(bill.total.currency, bill.taxMinor),
  base_total: moneyOfOrNull(bill.base),
  category: cutOrNull(bill.category, 100),
  department: nameOf(bill.departmentId, names),
  issue_date: bill.issueDate,
  due_date: bill.dueDate,
  scheduled_for: bill.scheduledFor,
  paid_at: bill.paidAt === null ? null : timeOf(bill.paidAt),
  possible_duplicates: bill.duplicates.length,
  match_outcome: bill.match?.outcome ?? null
})

/** `list_bills`. */
export const listBills = Effect.gen(function* () {
  const bills = yield* Bills
  return yield* makeListTool({
    name: "list_bills",
    title: "List bills",
    description:
      "Lists vendors' bills, newest entry first. With overdue: true those that should have been paid. It takes the role APPROVER or above, or AUDITOR.",
    input: Schema.Struct({
      status: optional(someOf(billStatuses, "Only in one of these states")),
      vendor_id: optional(idIn("vend", "Only of this vendor")),
      due_from: optional(dateIn("First due date, included")),
      due_to: optional(dateIn("Last due date, included")),
      overdue: optional(flag("True: still to be paid and due before today; false: everything else")),
      ...pageFields
    }),
    item: Schema.Struct(billFields),
    list: ({ due_from, due_to, overdue, status, vendor_id }, page) =>
      bills.list(
        {
          ...(status === undefined ? {} : { statuses: status }),
          ...(vendor_id === undefined ? {} : { vendorId: vendor_id }),
          ...(due_from === undefined ? {} : { dueFrom: due_from }),
          ...(due_to === undefined ? {} : { dueTo: due_to }),
          ...(overdue === undefined ? {} : { overdue })
        },
        page
      ),
    keyOf: ({ id }) => id,
    show: (found) => Effect.map(namesOf(found), (names) => found.map((bill) => shown(bill, names)))
  })
})

const details = {
  lines: listOf(
    {
      description: text("Text that a person entered"),
      quantity: text("A decimal: 2.5"),
      unit_price: money("Of one, without tax"),
      amount: money("Quantity times price, without tax"),
      category: textOrNull("Text that a person entered")
    },
    "What is billed"
  ),
  lines_left_out: count("How many more lines it has"),
  purchase_order: textOrNull("The order that it belongs to"),
  match: Schema.NullOr(
    object(
      {
        outcome: oneOf(matchOutcomes, "How the three compare"),
        ordered: money("What was ordered, without tax"),
        received: money("What was received, without tax"),
        billed: money("What is billed, without tax"),
        tolerance_percent: Schema.Finite.annotate({ description: "By how much the bill may be above" }),
        differences: Schema.Array(Schema.String).annotate({ description: "One each, in words" })
      },
      "Bill, order and what was received, side by side"
    )
  ).annotate({ description: "Null: it names no order" }),
  duplicates: listOf(
    {
      bill_id: text("bill_…"),
      likelihood: count("0 to 100"),
      reasons: Schema.Array(Schema.String).annotate({ description: "What the two have in common" })
    },
    "Other bills that may be the same"
  ),
  entered_by: personOrNull("Who entered it; null for an API key"),
  approved_by: personOrNull("Who approved it; null also where an API key did"),
  approved_at: timeOrNull("When it was approved"),
  rejection_reason: textOrNull("Text that the person who rejected it wrote"),
  created_at: time("When it was entered")
}

const detailsOf = (bill: Bill, names: ReadonlyMap<string, string>) => {
  const { currency } = bill.total
  const { match } = bill
  const lines = fitting(
    bill.lines.map((line) => ({
      description: cut(line.description, 300),
      quantity: line.quantity,
      unit_price: moneyOf(currency, line.unitPriceMinor),
      amount: moneyOf(currency, line.amountMinor),
      category: cutOrNull(line.category, 100)
    })),
    linesLengthMax
  )
  return {
    lines,
    lines_left_out: bill.lines.length - lines.length,
    purchase_order: cutOrNull(bill.purchaseOrder, 100),
    match:
      match === null
        ? null
        : {
            outcome: match.outcome,
            ordered: moneyOf(currency, match.orderedMinor),
            received: moneyOf(currency, match.receivedMinor),
            billed: moneyOf(currency, match.billedMinor),
            tolerance_percent: match.tolerancePercent,
            differences: match.differences.slice(0, 20).map((difference) => cut(difference, 300))
          },
    duplicates: bill.duplicates.slice(0, 10).map(({ billId, reasons, score }) => ({
      bill_id: billId,
      likelihood: score,
      reasons: reasons.slice(0, 10).map((reason) => cut(reason, 300))
    })),
    entered_by: personOfOrNull(actingPerson(bill.enteredBy), names),
    approved_by: personOfOrNull(actingPerson(bill.approvedBy), names),
    approved_at: bill.approvedAt === null ? null : timeOf(bill.approvedAt),
    rejection_reason: cutOrNull(bill.rejectionReason, 1_000),
    created_at: timeOf(bill.createdAt)
  }
}

/** `get_bill`. */
export const getBill = Effect.gen(function* () {
  const bills = yield* Bills
  return yield* makeTool({
    name: "get_bill",
    title: "Get a bill",
    description:
      "Tells everything about one bill: its lines, how it compares with its order, possible duplicates, and who entered and approved it.",
    input: Schema.Struct({ id: idIn("bill", "The bill, from list_bills") }),
    output: Schema.Struct({ ...billFields, ...details }),
    read: Effect.fnUntraced(function* ({ id }) {
      const bill = yield* bills.get(id)
      const persons = [actingPerson(bill.enteredBy), actingPerson(bill.approvedBy)].filter((one) => one !== null)
      const names = yield* namesOf([bill], persons)
      return { ...shown(bill, names), ...detailsOf(bill, names) }
    })
  })
})
