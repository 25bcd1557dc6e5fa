import { Schema } from "effect"

/** The currencies in which card payments are taken (specification 2.1). */
export const PaymentCurrency = Schema.Literals(["USD", "EUR", "TRY", "AED", "GBP"])
export type PaymentCurrency = typeof PaymentCurrency.Type

/** Digits after the decimal point by ISO 4217 (list one), for every currency that does not have two. */
const exponents: Readonly<Record<string, number>> = {
  BHD: 3,
  BIF: 0,
  CLF: 4,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  RWF: 0,
  TND: 3,
  UGX: 0,
  UYI: 0,
  UYW: 4,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0
}

/** The currencies of ISO 4217 (list one) that have two digits after the decimal point. */
const twoDigits =
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW " +
  "CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR " +
  "ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV " +
  "MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD " +
  "SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG"

const exponentByCurrency: ReadonlyMap<string, number> = new Map([
  ...twoDigits.split(" ").map((code) => [code, 2] as const),
  ...Object.entries(exponents)
])

/** Every currency code of ISO 4217 that circulates, in alphabetical order. */
export const currencyCodes: ReadonlyArray<string> = [...exponentByCurrency.keys()].sort()

/** An ISO 4217 code: `TRY`, `JPY`, `KWD`. */
export const Currency = Schema.String.check(
  Schema.makeFilter((code: string) => exponentByCurrency.has(code) || "must be an ISO 4217 currency code such as EUR")
)

/** Digits after the decimal point: 2 for EUR, 0 for JPY, 3 for KWD. Source: ISO 4217, list one. */
export const exponentOf = (currency: string): number => exponentByCurrency.get(currency) ?? 2
