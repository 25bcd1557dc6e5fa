import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import { optional, Text, warnings } from "./conventions.ts"
import { ExpenseBody, expenseFilters } from "./expenses.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

/** So many are decided in one unit of work, and answered in one body (contract section 6). */
const idsMax = 500

const Ids = Schema.Array(Text(100)).check(
  Schema.makeFilter(
    (ids: ReadonlyArray<string>) =>
      (ids.length >= 1 && ids.length <= idsMax) || `must have 1 to ${idsMax} identifiers of expenses`
  )
)

const Format = Schema.Literals(["csv", "json"])

/** Body of `POST /api/expenses/bulk`: `ids`, which may also be called `expense_ids`. */
export const BulkExpenses = Schema.Struct({
  action: Schema.Literals(["approve", "reject", "export"]),
  ids: optional(Ids),
  expense_ids: optional(Ids),
  reason: optional(Text(1_000)),
  format: optional(Format).annotate({ description: "Of an export: csv where it is left out." })
})
  .check(
    Schema.makeFilter(({ expense_ids, ids }) => {
      if (ids != null && expense_ids != null) return { path: ["expense_ids"], issue: "must not come with ids" }
      return ids == null && expense_ids == null ? { path: ["ids"], issue: "is required" } : undefined
    })
  )
  .annotate({ identifier: "BulkExpenses" })

/** Why one of them was refused, with the same members as a problem of its own. */
const ItemProblem = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  instance: Schema.String,
  code: Schema.String,
  requestId: Schema.String,
  violations: Schema.optionalKey(Schema.Array(problems.ViolationBody))
}).annotate({ identifier: "BulkProblem" })

const BulkResult = Schema.Union([
  Schema.Struct({ id: Schema.String, ok: Schema.Literal(true), expense: ExpenseBody }).annotate({
    identifier: "BulkSuccess"
  }),
  Schema.Struct({ id: Schema.String, ok: Schema.Literal(false), error: ItemProblem }).annotate({
    identifier: "BulkFailure"
  })
])

const BulkBody = Schema.Struct({
  results: Schema.Array(BulkResult),
  succeeded: Schema.Int,
  failed: Schema.Int,
  ...warnings
}).annotate({ identifier: "BulkResults" })

/** What an export holds: `sha256` is of the CSV file's bytes, or of the bytes of the JSON document's array `data`. */
const ManifestBody = Schema.Struct({
  format: Format,
  query: Schema.Record(Schema.String, Schema.Unknown),
  rows: Schema.Int,
  sums: Schema.Array(Schema.Struct({ currency: Schema.String, amount: Schema.Finite })),
  sha256: Schema.String,
  audit_head: Schema.Struct({
    sequence: Schema.Int,
    hash: Schema.String,
    at: Schema.NullOr(Schema.String)
  }),
  missing: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "Identifiers that were asked for and are not within reach."
  })
}).annotate({ identifier: "ExportManifest" })

const ExportBody = Schema.Struct({ data: Schema.Array(ExpenseBody), manifest: ManifestBody }).annotate({
  identifier: "ExpenseExport"
})
const Csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const refused = [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable] as const

const bulk = HttpApiEndpoint.post("bulk", "/api/expenses/bulk", {
  payload: BulkExpenses,
  success: [BulkBody, ExportBody, Csv],
  error: refused
}).annotate(
  OpenApi.Summary,
  "Approve, reject or export up to 500 expenses; each is decided by itself, and an export answers the file"
)

const exportQuery = { format: Schema.optionalKey(Format), ...expenseFilters }

const exportAll = HttpApiEndpoint.get("export", "/api/expenses/export", {
  query: exportQuery,
  success: [ExportBody, Csv],
  error: refused
}).annotate(OpenApi.Summary, "Export every expense that the filters of the list leave, newest first, as a stream")

const manifest = HttpApiEndpoint.get("manifest", "/api/expenses/export/manifest", {
  query: exportQuery,
  success: ManifestBody,
  error: refused
}).annotate(OpenApi.Summary, "What an export by these filters holds now: compare it with a file that you have")

/** Several expenses at once. */
export class ExpenseBulkApi extends HttpApiGroup.make("expenseBulk")
  .add(bulk)
  .add(exportAll)
  .add(manifest)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
