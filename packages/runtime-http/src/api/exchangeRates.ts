import { quotationOrigins } from "@sarraf/domain/money/Quotation"
import { Schema, SchemaTransformation } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic, BodyForm } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import { AnyCurrency, DateOnly, pageOf, pageQuery, warnings } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

/** A CSV file of rates: the European Central Bank's whole history has less than one. */
export const rateFileBytesMax = 10 * 1_048_576

const rateDescription = "What one unit of base costs in quote: at most ten digits before and ten after the point."

/** Numbers as they are written out: 1e-7 is 0.0000001. */
const written = (rate: number): string => (/e/u.test(String(rate)) ? rate.toFixed(12) : String(rate))

/** "41.235", or 41.235. Which texts are rates is the domain's to say. */
const Rate = Schema.Union([Schema.String, Schema.Finite])
  .annotate({ description: rateDescription })
  .pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({
        decode: (rate) => (typeof rate === "number" ? written(rate) : rate),
        encode: (rate: string): string | number => rate
      })
    )
  )

/** One unit of `base` cost `rate` of `quote` on `date`. */
const NewRate = Schema.Struct({ date: DateOnly, base: AnyCurrency, quote: AnyCurrency, rate: Rate }).annotate({
  identifier: "NewExchangeRate"
})

/** Body of `POST /api/exchange-rates`: each takes the place of the organization's earlier rate of its day and pair. */
export const ChangeRates = Schema.Struct({
  rates: Schema.Array(NewRate).check(
    Schema.makeFilter(
      (rates: ReadonlyArray<unknown>) =>
        (rates.length >= 1 && rates.length <= 1000) || "must have 1 to 1000 rates; POST …/import takes a whole file"
    )
  )
}).annotate({ identifier: "ChangeExchangeRates" })

const source = Schema.Literals(["organization", "operator"])

const RateBody = Schema.Struct({
  date: DateOnly,
  base: Schema.String,
  quote: Schema.String,
  rate: Schema.String.annotate({ description: rateDescription }),
  source: source.annotate({ description: "The organization's own rates are used before the operator's." }),
  origin: Schema.Literals(quotationOrigins)
}).annotate({ identifier: "ExchangeRate" })

const SavedRatesBody = Schema.Struct({
  read: Schema.Number,
  written: Schema.Number.annotate({ description: "How many are new, or differ from what was there." }),
  from: DateOnly,
  to: DateOnly,
  skipped: Schema.Array(Schema.String).annotate({
    description: "Columns of a file for currencies that no longer circulate."
  }),
  ...warnings
}).annotate({ identifier: "SavedExchangeRates" })

const ConvertedBody = Schema.Struct({
  amount: Schema.Number,
  from: Schema.String,
  to: Schema.String,
  date: DateOnly,
  converted_amount: Schema.Number.annotate({ description: "Rounded half to even to the currency's smallest unit." }),
  rate: Schema.String,
  rate_date: DateOnly.annotate({ description: "The day of the rate: on or up to ten days before the date." }),
  source: Schema.NullOr(source).annotate({ description: "Null where the two currencies are one." }),
  via: Schema.NullOr(Schema.String).annotate({
    description: "The currency that both were quoted against, where the rate is the product of two."
  })
}).annotate({ identifier: "ConvertedAmount" })

const list = HttpApiEndpoint.get("list", "/api/exchange-rates", {
  query: {
    ...pageQuery,
    date: Schema.optionalKey(DateOnly),
    base: Schema.optionalKey(AnyCurrency),
    quote: Schema.optionalKey(AnyCurrency)
  },
  success: pageOf(RateBody, "ExchangeRateList"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List exchange rates, the newest day first: the organization's own and the operator's")

const change = HttpApiEndpoint.post("change", "/api/exchange-rates", {
  payload: ChangeRates,
  success: SavedRatesBody,
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Add or change exchange rates of the organization: all of them or none")

const importFile = HttpApiEndpoint.post("import", "/api/exchange-rates/import", {
  payload: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
  success: SavedRatesBody,
  error: [
    problems.InvalidRequest,
    problems.Forbidden,
    problems.PayloadTooLarge,
    problems.UnsupportedMediaType,
    problems.ServiceUnavailable
  ]
})
  .annotate(BodyForm, { bytesMax: rateFileBytesMax, isJson: false })
  .annotate(
    OpenApi.Summary,
    "Add a CSV file of exchange rates, date,base,quote,rate or the European Central Bank's: all of it or nothing"
  )

const convert = HttpApiEndpoint.get("convert", "/api/exchange-rates/convert", {
  query: { amount: Schema.String, from: AnyCurrency, to: AnyCurrency, date: DateOnly },
  success: ConvertedBody,
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Convert an amount at the rate of a day, as policies and reports do")

/** Dated exchange rates (contract section 6, policies). */
export class ExchangeRatesApi extends HttpApiGroup.make("exchangeRates")
  .add(list)
  .add(change)
  .add(importFile)
  .add(convert)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
