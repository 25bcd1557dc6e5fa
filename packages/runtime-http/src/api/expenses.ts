import { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { AuditPage } from "./audit.ts"
import { Bearer } from "./bearer.ts"
import {
  Amount,
  AnyCurrency,
  DateOnly,
  decimalsFault,
  idParams,
  ifMatch,
  optional,
  pageOf,
  pageQuery,
  someOf,
  Text,
  Timestamp,
  Version,
  warnings
} from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const Status = Schema.Literals(expenseStatuses)

const merchantLengthMax = 200
const categoryLengthMax = 100
const descriptionLengthMax = 2_000
const idLengthMax = 100

const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)

/** Only a text: the service never opens it. Whether http is taken depends on the mode, which the handler knows. */
const WebAddress = Text(2_000)
  .check(
    Schema.makeFilter((text: string) => isWebAddress(text) || "must be a web address such as https://example.com/r/1")
  )
  .annotate({ description: "https; in TEST mode http as well. Never fetched by the server." })

/** In a change an empty text takes away what was there, since null counts as absent (contract section 1). */
const clearable = <S extends Schema.Constraint>(schema: S) => optional(Schema.Union([schema, Schema.Literal("")]))

const decimalsFit = Schema.makeFilter(
  ({ amount, currency }: { readonly amount?: number | null; readonly currency?: string | null }) => {
    const issue = amount == null || currency == null ? undefined : decimalsFault(amount, currency)
    return issue === undefined ? undefined : { path: ["amount"], issue }
  }
)

/** Body of `POST /api/expenses` (specification 2.3, contract section 6). */
export const CreateExpense = Schema.Struct({
  amount: Amount,
  currency: AnyCurrency,
  merchant: Text(merchantLengthMax),
  category: optional(Text(categoryLengthMax)),
  receipt_url: optional(WebAddress),
  date: optional(DateOnly).annotate({ description: "Today where it is left out, at most tomorrow." }),
  description: optional(Text(descriptionLengthMax)),
  card_transaction_id: optional(Text(idLengthMax)),
  department_id: optional(Text(idLengthMax)).annotate({ description: "The person's department where it is left out." }),
  user_id: optional(Text(idLengthMax)).annotate({
    description: "Whose expense it is: the person who is signed in. An ADMIN, an OWNER or a key may name another."
  }),
  submit: optional(Schema.Boolean).annotate({ description: "Submits it at once." })
})
  .check(decimalsFit)
  .annotate({ identifier: "CreateExpense" })

/** Body of `PATCH /api/expenses/:id`: what is absent stays, and an empty text takes an optional field away. */
export const ChangeExpense = Schema.Struct({
  version: optional(Version),
  amount: optional(Amount),
  currency: optional(AnyCurrency),
  merchant: optional(Text(merchantLengthMax)),
  category: clearable(Text(categoryLengthMax)),
  receipt_url: clearable(WebAddress),
  date: optional(DateOnly),
  description: clearable(Text(descriptionLengthMax)),
  card_transaction_id: clearable(Text(idLengthMax)),
  department_id: clearable(Text(idLengthMax)),
  user_id: optional(Text(idLengthMax))
})
  .check(decimalsFit)
  .annotate({ identifier: "ChangeExpense" })

/** Body of a command on an expense; there need not be one. */
export const ExpenseCommand = Schema.Struct({
  version: optional(Version).annotate({ description: "The version that the command is meant for, as If-Match." })
}).annotate({ identifier: "ExpenseCommand" })

/** Body of `approve` and `reject`; there need not be one. */
export const DecideExpense = Schema.Struct({
  version: optional(Version).annotate({ description: "The version that the decision is meant for, as If-Match." }),
  reason: optional(Text(1_000))
}).annotate({ identifier: "DecideExpense" })

const Duplicate = Schema.Struct({
  expense_id: Schema.String,
  score: Schema.Int.annotate({ description: "0 to 100" }),
  reasons: Schema.Array(Schema.String)
}).annotate({ identifier: "PossibleDuplicate" })

const expenseFields = {
  id: Schema.String,
  version: Version,
  status: Status,
  amount: Schema.Finite.annotate({ description: "Major units of the currency" }),
  currency: Schema.String,
  merchant: Schema.String,
  category: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  date: Schema.String.annotate({ format: "date" }),
  receipt_url: Schema.NullOr(Schema.String),
  department_id: Schema.NullOr(Schema.String),
  card_transaction_id: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Schema.String).annotate({ description: "Whose expense it is; null: the organization's" }),
  created_by: Schema.String.annotate({ description: "user:usr_… or key:…" }),
  submitted_by: Schema.NullOr(Schema.String),
  base_amount: Schema.NullOr(Schema.Finite).annotate({
    description: "In the organization's currency, by the rate of the date; null where none is known. Frozen on submit."
  }),
  base_currency: Schema.NullOr(Schema.String),
  exchange_rate: Schema.NullOr(Schema.String),
  rate_date: Schema.NullOr(Schema.String.annotate({ format: "date" })),
  violations: Schema.Array(problems.ViolationBody),
  possible_duplicates: Schema.Array(Duplicate),
  approval_id: Schema.NullOr(Schema.String),
  submitted_at: Schema.NullOr(Timestamp),
  decided_at: Schema.NullOr(Timestamp),
  decided_by: Schema.NullOr(Schema.String),
  rejection_reason: Schema.NullOr(Schema.String),
  reimbursed_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}

/** An expense as every answer shows it. */
export const ExpenseBody = Schema.Struct({ ...expenseFields, ...warnings }).annotate({ identifier: "Expense" })

const isStatus = Schema.is(Status)
const decimal = Schema.optionalKey(
  Schema.String.check(
    Schema.isPattern(/^\d{1,13}(?:\.\d{1,6})?$/u, { message: "must be an amount in major units such as 149.90" })
  )
)
const searched = Schema.optionalKey(Text(merchantLengthMax))

/** What lists and exports are filtered by. */
export const expenseFilters = {
  status: someOf(isStatus, `must be one or more of ${expenseStatuses.join(", ")}`),
  category: Schema.optionalKey(Schema.Array(Text(categoryLengthMax))),
  from: Schema.optionalKey(DateOnly),
  to: Schema.optionalKey(DateOnly),
  start_date: Schema.optionalKey(DateOnly),
  end_date: Schema.optionalKey(DateOnly),
  merchant: searched,
  currency: Schema.optionalKey(AnyCurrency),
  min_amount: decimal,
  max_amount: decimal,
  user_id: searched,
  department_id: searched,
  q: searched
}

const readProblems = [
  problems.InvalidRequest,
  problems.NotFound,
  problems.Forbidden,
  problems.ServiceUnavailable
] as const
const commandProblems = [
  ...readProblems,
  problems.InvalidState,
  problems.VersionConflict,
  problems.PolicyBlocked
] as const

const create = HttpApiEndpoint.post("create", "/api/expenses", {
  payload: CreateExpense,
  success: ExpenseBody.pipe(HttpApiSchema.status(201)),
  error: [...readProblems, problems.InvalidState, problems.PolicyBlocked, problems.VersionConflict]
}).annotate(OpenApi.Summary, "Create an expense as a DRAFT; with submit it is submitted at once")

const list = HttpApiEndpoint.get("list", "/api/expenses", {
  query: { ...pageQuery, ...expenseFilters },
  success: pageOf(ExpenseBody, "Expenses"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(
  OpenApi.Summary,
  "List expenses, newest first; min_amount and max_amount are in the organization's currency"
)

const get = HttpApiEndpoint.get("get", "/api/expenses/:id", {
  params: idParams,
  success: ExpenseBody,
  error: readProblems
}).annotate(OpenApi.Summary, "Read an expense")

const history = HttpApiEndpoint.get("history", "/api/expenses/:id/history", {
  params: idParams,
  query: pageQuery,
  success: AuditPage,
  error: readProblems
}).annotate(OpenApi.Summary, "Read what was done to an expense, newest first")

const change = HttpApiEndpoint.patch("change", "/api/expenses/:id", {
  params: idParams,
  headers: ifMatch,
  payload: ChangeExpense,
  success: ExpenseBody,
  error: commandProblems
}).annotate(OpenApi.Summary, "Change an expense while it is DRAFT or PENDING; in PENDING its approval starts again")

const remove = HttpApiEndpoint.delete("remove", "/api/expenses/:id", {
  params: idParams,
  headers: ifMatch,
  success: HttpApiSchema.NoContent,
  error: commandProblems
}).annotate(OpenApi.Summary, "Delete a DRAFT")

const commanded = {
  params: idParams,
  headers: ifMatch,
  payload: [ExpenseCommand, Schema.Null],
  success: ExpenseBody,
  error: commandProblems
} as const
const decided = { ...commanded, payload: [DecideExpense, Schema.Null] } as const

const submit = HttpApiEndpoint.post("submit", "/api/expenses/:id/submit", commanded).annotate(
  OpenApi.Summary,
  "Submit a DRAFT for approval"
)
const approve = HttpApiEndpoint.post("approve", "/api/expenses/:id/approve", decided).annotate(
  OpenApi.Summary,
  "Approve; a DRAFT is submitted first, and where other steps are open it stays PENDING. APPROVER or above"
)
const reject = HttpApiEndpoint.post("reject", "/api/expenses/:id/reject", decided).annotate(
  OpenApi.Summary,
  "Reject; a DRAFT is submitted first. APPROVER or above"
)
const withdraw = HttpApiEndpoint.post("withdraw", "/api/expenses/:id/withdraw", commanded).annotate(
  OpenApi.Summary,
  "Take a PENDING expense back to DRAFT"
)
const reopen = HttpApiEndpoint.post("reopen", "/api/expenses/:id/reopen", commanded).annotate(
  OpenApi.Summary,
  "Make a REJECTED expense a DRAFT again"
)
const reimburse = HttpApiEndpoint.post("reimburse", "/api/expenses/:id/reimburse", commanded).annotate(
  OpenApi.Summary,
  "Record that an APPROVED expense was paid back. ADMIN or above"
)

/** Expenses (specification 4.2, contract section 6). */
export class ExpensesApi extends HttpApiGroup.make("expenses")
  .add(create)
  .add(list)
  .add(get)
  .add(history)
  .add(change)
  .add(remove)
  .add(submit)
  .add(approve)
  .add(reject)
  .add(withdraw)
  .add(reopen)
  .add(reimburse)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
