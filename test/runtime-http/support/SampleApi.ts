import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiError, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

class Missing extends HttpApiError.Problem<Missing>()(
  "NOT_FOUND",
  { type: "/docs/errors/NOT_FOUND", status: 404, title: "Not found" },
  { code: Schema.tag("NOT_FOUND") }
) {}

class Money extends Schema.Class<Money>("Money")({
  currency: Schema.Literals(["USD", "EUR"]),
  minor: Schema.BigInt
}) {}

/** One field for each form that a description can take. */
const Sample = Schema.Struct({
  id: Schema.String,
  note: Schema.NullOr(Schema.String),
  price: Money,
  refunded: Schema.NullOr(Money),
  status: Schema.NullOr(Schema.Literals(["OPEN", "DONE"])),
  kind: Schema.Literal("sample"),
  rate: Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThan(10)),
  share: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  count: Schema.Int,
  pair: Schema.Tuple([Schema.String, Schema.Finite]),
  path: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Finite]),
  tags: Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isUnique()),
  content: Schema.Uint8ArrayFromBase64,
  either: Schema.Union([Schema.String, Schema.Finite, Schema.Null]),
  metadata: Schema.Record(Schema.String, Schema.String),
  anything: Schema.Unknown,
  nothing: Schema.Null,
  name: Schema.optional(Schema.String.check(Schema.isPattern(/^[a-z]+$/u)).annotate({ examples: ["ada"] })),
  const: Schema.String,
  exclusiveMinimum: Schema.Finite
}).annotate({ identifier: "Sample", description: "All forms at once." })

const find = HttpApiEndpoint.get("find", "/samples/:id", {
  params: { id: Schema.String },
  headers: { "x-client-id": Schema.String, "x-request-id": Schema.optionalKey(Schema.String) },
  query: { limit: Schema.optionalKey(Schema.FiniteFromString) },
  success: Sample,
  error: Missing
}).annotate(OpenApi.Summary, "Read a sample")

const create = HttpApiEndpoint.post("create", "/samples", {
  payload: Sample,
  success: [Sample.pipe(HttpApiSchema.status(201)), HttpApiSchema.NoContent],
  error: Missing
})

export const SampleApi = HttpApi.make("samples")
  .add(HttpApiGroup.make("samples").add(find).add(create))
  .annotate(OpenApi.Title, "Samples")
  .annotate(OpenApi.License, { name: "MIT", identifier: "MIT" })
