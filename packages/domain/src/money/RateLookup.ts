import { Result } from "effect"
import { type Fraction, inverse, parseRate, product } from "./Conversion.ts"
import type { ExchangeRate } from "./ExchangeRates.ts"
import type { Quotation } from "./Quotation.ts"

/** A quotation holds until the next one, at most so many days: over a weekend and the longest holidays, and no longer. */
export const quotationDaysMax = 10

type Quoted = Omit<Quotation, "origin">

/** A rate between two currencies that one quotation gives, in the direction it was asked for. */
interface Leg extends Fraction {
  readonly date: string
  readonly isOwn: boolean
  readonly isDirect: boolean
}

/** The organization's own first, then the newest, then the one that was quoted in this direction. */
const isBetter = (one: Leg, other: Leg): boolean => {
  if (one.isOwn !== other.isOwn) return one.isOwn
  if (one.date !== other.date) return one.date > other.date
  return one.isDirect && !other.isDirect
}

type Legs = ReadonlyMap<string, ReadonlyMap<string, Leg>>

/** The best leg from each currency to each other one. */
const legsOf = (quotations: ReadonlyArray<Quoted>): Legs => {
  const legs = new Map<string, Map<string, Leg>>()
  const add = (from: string, to: string, leg: Leg) => {
    const ofCurrency = legs.get(from) ?? new Map<string, Leg>()
    const present = ofCurrency.get(to)
    if (present === undefined || isBetter(leg, present)) legs.set(from, ofCurrency.set(to, leg))
  }
  for (const { base, date, quote, rate, source } of quotations) {
    const fraction = Result.getOrThrow(parseRate(rate))
    const isOwn = source === "organization"
    add(base, quote, { ...fraction, date, isOwn, isDirect: true })
    add(quote, base, { ...inverse(fraction), date, isOwn, isDirect: false })
  }
  return legs
}

interface Crossing {
  readonly via: string
  readonly first: Leg
  readonly second: Leg
}

const ownLegs = ({ first, second }: Crossing): number => Number(first.isOwn) + Number(second.isOwn)

const olderDate = ({ first, second }: Crossing): string => (first.date < second.date ? first.date : second.date)

/** With more of the organization's own, then the newer, then by the currency's code, so that the answer is always the same. */
const byPreference = (one: Crossing, other: Crossing): number => {
  if (ownLegs(one) !== ownLegs(other)) return ownLegs(other) - ownLegs(one)
  if (olderDate(one) !== olderDate(other)) return olderDate(one) > olderDate(other) ? -1 : 1
  return one.via < other.via ? -1 : 1
}

const crossingsOf = (legs: Legs, from: string, to: string): ReadonlyArray<Crossing> =>
  [...(legs.get(from) ?? [])].flatMap(([via, first]) => {
    const second = legs.get(via)?.get(to)
    return second === undefined ? [] : [{ via, first, second }]
  })

const sourceOf = (isOwn: boolean) => (isOwn ? "organization" : "operator")

const rateOf = (legs: Legs, from: string, to: string): ExchangeRate | undefined => {
  const leg = legs.get(from)?.get(to)
  if (leg !== undefined) {
    const { date, denominator, isOwn, numerator } = leg
    return { from, to, numerator, denominator, date, source: sourceOf(isOwn) }
  }
  const [best] = [...crossingsOf(legs, from, to)].sort(byPreference)
  if (best === undefined) return undefined
  const source = sourceOf(ownLegs(best) > 0)
  return { from, to, ...product(best.first, best.second), date: olderDate(best), source, via: best.via }
}

/**
 * Rates from quotations that hold on one day. A pair that was quoted, in either direction, comes before a cross through a
 * third currency (the ECB quotes everything against EUR). Of one pair the organization's own quotation is used where it
 * has any that holds, also where the operator's is newer; else the newest. A cross is the exact product of its two
 * quotations, has the date of the older one, and counts as the organization's where one of them is.
 */
export const ratesOf = (
  quotations: ReadonlyArray<Quoted>,
  froms: ReadonlyArray<string>,
  to: string
): ReadonlyMap<string, ExchangeRate> => {
  const legs = legsOf(quotations)
  return new Map(
    froms.flatMap((from) => {
      const rate = from === to ? undefined : rateOf(legs, from, to)
      return rate === undefined ? [] : [[from, rate] as const]
    })
  )
}
