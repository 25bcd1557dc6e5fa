import { isUtf8 } from "node:buffer"
import { rateText } from "@sarraf/domain/money/Conversion"
import { fromDecimal } from "@sarraf/domain/money/Money"
import { type Quotation, quotationPlace } from "@sarraf/domain/money/Quotation"
import { type Converted, RateTable } from "@sarraf/domain/money/RateTable"
import { Effect, Result, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { present } from "../api/conventions.ts"
import { ChangeRates, rateFileBytesMax } from "../api/exchangeRates.ts"
import * as problems from "../api/problems.ts"
import { readBody } from "../auth/requestBody.ts"
import { amountOf, invalid, pageBody, pageRequest, refusals, warningsAbout } from "./conventions.ts"

const shared = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofChange = Struct.pick(refusals, ["RoleMissing", "InvalidFields", "Unavailable"])

const rateBody = ({ base, date, origin, quote, rate, source }: Quotation) => ({
  date,
  base,
  quote,
  rate,
  source,
  origin
})

/** What of a conversion is in its answer beside the question. */
const convertedBody = ({ amount, rate }: Converted, date: string) => ({
  converted_amount: amountOf(amount.currency, amount.minor),
  rate: rate === null ? "1" : rateText(rate),
  rate_date: rate?.date ?? date,
  source: rate?.source ?? null,
  via: rate?.via ?? null
})

/** A positive amount in a query; INVALID_REQUEST for what is none. */
const amountIn = (text: string, currency: string) =>
  Result.match(fromDecimal(currency, text), {
    onFailure: (fault) => Effect.fail(invalid({ path: "amount", message: `is ${fault} (${currency})` })),
    onSuccess: (money) =>
      money.minor > 0n ? Effect.succeed(money) : Effect.fail(invalid({ path: "amount", message: "must be above 0" }))
  })

/** The text of the body, which says that it is CSV. */
const csvOf = Effect.fnUntraced(function* (contentType: string | undefined) {
  const bytes = yield* readBody(rateFileBytesMax)
  if (!/^text\/(?:csv|plain)\s*(?:;|$)/iu.test(contentType ?? "")) {
    return yield* new problems.UnsupportedMediaType({ detail: "Send the file itself, with Content-Type: text/csv." })
  }
  if (!isUtf8(bytes)) return yield* invalid({ path: "", message: "the body must be UTF-8" })
  return new TextDecoder().decode(bytes)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "exchangeRates",
  Effect.fn(function* (handlers) {
    const table = yield* RateTable
    const unknownOfChange = warningsAbout(ChangeRates)
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const { base, date, quote } = query
          const page = yield* table.list(present({ base, date, quote }), yield* pageRequest("exchange-rates", query))
          return pageBody("exchange-rates", query, page, quotationPlace, rateBody)
        }).pipe(Effect.catchTags(shared))
      )
      .handle("change", ({ payload }) =>
        Effect.gen(function* () {
          const saved = yield* table.change(payload.rates)
          return { ...saved, ...(yield* unknownOfChange) }
        }).pipe(Effect.catchTags(ofChange))
      )
      .handleRaw("import", ({ request }) =>
        Effect.flatMap(csvOf(request.headers["content-type"]), table.importFile).pipe(Effect.catchTags(ofChange))
      )
      .handle("convert", ({ query }) =>
        Effect.gen(function* () {
          const { date, from, to } = query
          const amount = yield* amountIn(query.amount, from)
          const converted = yield* table.convert(amount, to, date)
          return { amount: amountOf(from, amount.minor), from, to, date, ...convertedBody(converted, date) }
        }).pipe(Effect.catchTags(ofChange))
      )
  })
)
