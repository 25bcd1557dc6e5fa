import { Effect, Result, Schema } from "effect"
import { InvalidFields } from "../errors/Refusals.ts"
import { CalendarDate } from "../time/CalendarDate.ts"
import { parseRate, type RateFault } from "./Conversion.ts"
import { currencyCodes } from "./Currency.ts"
import type { NewQuotation, QuotationOrigin } from "./Quotation.ts"

/** Something in a file that cannot be read: `line 3, USD`. */
export interface FileFault {
  readonly path: string
  readonly message: string
}

/** What a file of rates says. */
export interface RateFile {
  readonly origin: QuotationOrigin
  readonly quotations: ReadonlyArray<NewQuotation>
  /** Columns of the ECB's form for currencies that no longer circulate. */
  readonly skipped: ReadonlyArray<string>
}

/** More would be read by nobody; how many are left out is said. */
const faultsMax = 100

/** Twice the whole history of the ECB; it is saved in one unit of work. */
const ratesMax = 500_000

/** A large file is read beside everything else that goes on: after so many lines others have their turn. */
const linesAtOnce = 200

const codes = new Set(currencyCodes)
const isCurrency = (text: string): boolean => codes.has(text)
const isDate = Schema.is(CalendarDate)

const rateFaults: Readonly<Record<RateFault, string>> = {
  "not a decimal number": "must be a decimal number such as 41.235",
  zero: "must be above 0",
  "more than 10 decimals": "must have at most 10 decimals",
  "too large": "must have at most 10 digits before the point"
}

/** What is wrong with a quotation, by its member. */
export const quotationFaults = ({ base, date, quote, rate }: NewQuotation): ReadonlyArray<FileFault> => {
  const parsed = parseRate(rate)
  const currency = "must be an ISO 4217 currency code such as EUR"
  return [
    ...(isDate(date) ? [] : [{ path: "date", message: "must be a date such as 2026-01-31" }]),
    ...(isCurrency(base) ? [] : [{ path: "base", message: currency }]),
    ...(isCurrency(quote) ? [] : [{ path: "quote", message: currency }]),
    ...(base === quote ? [{ path: "quote", message: "must differ from base" }] : []),
    ...(Result.isFailure(parsed) ? [{ path: "rate", message: rateFaults[parsed.failure] }] : [])
  ]
}

/** For finding a second quotation of one day and pair. */
export const quotationKey = ({ base, date, quote }: NewQuotation): string => `${date} ${base} ${quote}`

/** Names of months as the ECB's daily file writes them: `21 November 2025`. */
const months = "January February March April May June July August September October November December".split(" ")

/** `2025-11-21`, and `21 November 2025` as that; anything else as it is. */
const isoDate = (text: string): string => {
  const [, day = "", name = "", year = ""] = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/u.exec(text) ?? []
  const month = months.indexOf(name) + 1
  return month === 0 ? text : `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`
}

/** Fields of a line; quotes around one are taken off. Neither form has a comma inside a field. */
const fieldsOf = (line: string): ReadonlyArray<string> =>
  line.split(",").map((field) => field.trim().replace(/^"(.*)"$/u, "$1"))

interface Row {
  readonly number: number
  readonly fields: ReadonlyArray<string>
}

/** Collects quotations and faults of a file. */
const makeReading = () => {
  const quotations: Array<NewQuotation> = []
  const faults: Array<FileFault> = []
  const lineOf = new Map<string, number>()
  return {
    quotations,
    faults,
    fault: (path: string, message: string) => faults.push({ path, message }),
    /** `nameOf` gives a member's name in the file. */
    add: (line: number, quotation: NewQuotation, nameOf: (member: string) => string) => {
      const wrong = quotationFaults(quotation)
      const earlier = lineOf.get(quotationKey(quotation))
      if (earlier !== undefined) faults.push({ path: `line ${line}`, message: `repeats the rate of line ${earlier}` })
      else lineOf.set(quotationKey(quotation), line)
      if (wrong.length === 0) quotations.push(quotation)
      for (const { message, path } of wrong) faults.push({ path: `line ${line}, ${nameOf(path)}`, message })
    }
  }
}

type Reading = ReturnType<typeof makeReading>

type ReadRow = (row: Row) => void

const longHeader = ["date", "base", "quote", "rate"]

/** `date,base,quote,rate`, the columns in any order. */
const longRows = (reading: Reading, header: ReadonlyArray<string>): ReadRow => {
  const names = header.map((name) => name.toLowerCase())
  return ({ fields, number }) => {
    if (fields.length !== names.length) {
      reading.fault(`line ${number}`, `must have ${names.length} fields and has ${fields.length}`)
      return
    }
    const member = (name: string) => fields[names.indexOf(name)] ?? ""
    const [base, quote] = [member("base").toUpperCase(), member("quote").toUpperCase()]
    reading.add(number, { date: isoDate(member("date")), base, quote, rate: member("rate") }, (name) => name)
  }
}

/** What stands for no quotation on a day. */
const isMissing = (field: string): boolean => field === "" || field.toUpperCase() === "N/A"

/** The currencies of the ECB's form, `Date,USD,JPY,…,`; the header ends with a comma, and so does each row. */
const columnsOf = (reading: Reading, header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const columns = header.map((name) => name.toUpperCase())
  for (const [index, name] of columns.entries()) {
    const isEnd = name === "" && index === columns.length - 1
    if (index > 0 && !isEnd && !/^[A-Z]{3}$/u.test(name)) {
      reading.fault("line 1", `column ${index + 1} must be an ISO 4217 currency code such as USD`)
    }
  }
  return columns
}

/** The ECB's form: one row a day, each column against EUR. */
const wideRows =
  (reading: Reading, columns: ReadonlyArray<string>): ReadRow =>
  ({ fields, number }) => {
    const date = isoDate(fields[0] ?? "")
    if (fields.length !== columns.length) {
      reading.fault(`line ${number}`, `must have ${columns.length} fields and has ${fields.length}`)
    } else if (!isDate(date)) reading.fault(`line ${number}, Date`, "must be a date such as 2026-01-31")
    else {
      for (const [index, quote] of columns.entries()) {
        const rate = fields[index] ?? ""
        if (index === 0 || isMissing(rate) || !isCurrency(quote)) continue
        reading.add(number, { date, base: "EUR", quote, rate }, () => quote)
      }
    }
  }

const formOf = (header: ReadonlyArray<string>): "long" | "wide" | undefined => {
  const names = header.map((name) => name.toLowerCase())
  if (names.length === longHeader.length && longHeader.every((name) => names.includes(name))) return "long"
  return names[0] === "date" && names.length > 1 && !names.includes("rate") ? "wide" : undefined
}

/** All faults, or a hundred and how many more there are. */
const refused = (faults: ReadonlyArray<FileFault>) => {
  const more = faults.length - faultsMax
  return new InvalidFields({
    faults: more > 0 ? [...faults.slice(0, faultsMax), { path: "", message: `and ${more} more like these` }] : faults
  })
}

/**
 * Reads a CSV file of rates: our long form, `date,base,quote,rate`, or the European Central Bank's reference rates
 * (`eurofxref.csv`, `eurofxref-hist.csv`: a column for each currency, a row for each day, everything against EUR, `N/A`
 * where there is none). Every fault is told with its line, a hundred at most; a file with a fault says nothing.
 */
export const readRateFile = Effect.fn("readRateFile")(function* (text: string) {
  const lines = text.replace(/^\uFEFF/u, "").split(/\r?\n/u)
  const header = fieldsOf(lines[0] ?? "")
  const form = formOf(header)
  if (form === undefined) {
    const message = "must be a header: date,base,quote,rate, or the European Central Bank's Date,USD,JPY,…"
    return yield* refused([{ path: "line 1", message }])
  }
  const reading = makeReading()
  const { faults, quotations } = reading
  const columns = form === "wide" ? columnsOf(reading, header) : []
  const readRow = form === "wide" ? wideRows(reading, columns) : longRows(reading, header)
  for (const [index, line] of lines.entries()) {
    if (index > 0 && line.trim() !== "") readRow({ number: index + 1, fields: fieldsOf(line) })
    if (quotations.length > ratesMax) {
      return yield* refused([{ path: `line ${index + 1}`, message: `is beyond the ${ratesMax} rates of one file` }])
    }
    if (index % linesAtOnce === linesAtOnce - 1) yield* Effect.yieldNow
  }
  if (faults.length === 0 && quotations.length === 0) reading.fault("line 2", "the file holds no rate")
  if (faults.length > 0) return yield* refused(faults)
  const skipped = columns.slice(1).filter((name) => name !== "" && !isCurrency(name))
  return { origin: form === "wide" ? "ecb" : "csv", quotations, skipped } satisfies RateFile
})
