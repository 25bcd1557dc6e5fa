import type { Money } from "@sarraf/domain/money/Money"
import type { BillingAddress } from "@sarraf/domain/payments/PaymentProvider"
import { Option, Schema } from "effect"

const utf8 = new TextEncoder()

/** JSON in UTF-8; an undefined field is left out. A lone surrogate, which has no UTF-8 form, is replaced. */
export const encode = (body: object): Uint8Array =>
  utf8.encode(JSON.stringify(body, (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value)))

/** Minor units as a JSON number; every currency that is taken has two decimals. */
export const amountOf = ({ currency, minor }: Money) => ({ value: Number(minor), currency })

const withNumber = /^(?<street>.*\S)\s+(?<number>\d\S*)$/u
const numberFirst = /^(?<number>\d\S*)\s+(?<street>\S.*)$/u
/** Countries whose addresses need a state. */
const withState: ReadonlySet<string> = new Set(["US", "CA"])

/**
 * The address in Adyen's parts: street and number apart, all of it or none, since one with parts missing fails the payment
 * (provider sheet, sections 4 and 7). The state goes along as its code, without which the United States and Canada have no
 * complete one.
 */
export const billingAddressOf = ({ address, city, country, postalCode, state }: BillingAddress) => {
  const { number, street } = (withNumber.exec(address.trim()) ?? numberFirst.exec(address.trim()))?.groups ?? {}
  const stateOrProvince = /^[A-Z]{2,3}$/u.test(state ?? "") ? state : undefined
  if (number === undefined || street === undefined || postalCode === undefined) return undefined
  return withState.has(country) && stateOrProvince === undefined
    ? undefined
    : { street, houseNumberOrName: number, city, postalCode, stateOrProvince, country }
}

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Text = optional(Schema.String)
const Minor = Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Amount = Schema.Struct({ value: Minor, currency: Schema.String })
/** 16 letters and digits; goes into addresses. */
const PspReference = Schema.String.check(Schema.isPattern(/^\w{1,64}$/u))

const Action = Schema.Struct({
  type: Text,
  method: Text,
  url: Text,
  data: optional(Schema.Record(Schema.String, Schema.Unknown)),
  paymentData: Text
})
export type Action = typeof Action.Type

/** The answer to `/payments` and `/payments/details`; only what is read. */
const Payment = Schema.Struct({
  resultCode: Schema.String,
  pspReference: optional(PspReference),
  refusalReason: Text,
  refusalReasonCode: Text,
  merchantReference: Text,
  amount: optional(Amount),
  action: optional(Action),
  additionalData: optional(Schema.Struct({ cardSummary: Text, merchantReference: Text, refusalReasonRaw: Text }))
})
export type Payment = typeof Payment.Type

/** The answer to a capture, refund or cancellation; a technical cancel has our reference in the payment's place. */
const Modification = Schema.Struct({
  pspReference: PspReference,
  status: Schema.String,
  paymentPspReference: Text,
  paymentReference: Text,
  reference: Text,
  amount: optional(Amount)
})
export type Modification = typeof Modification.Type

const ErrorAnswer = Schema.Struct({ errorCode: Schema.String, errorType: Schema.String })
/** Of the gateway before the service, which knows no error codes. */
const GatewayError = Schema.Struct({
  error: Schema.Struct({ code: Schema.Union([Schema.String, Schema.Number]), message: Schema.String })
})
export type AdyenError = typeof ErrorAnswer.Type

const Item = Schema.Struct({
  eventCode: Schema.String,
  success: Schema.Literals(["true", "false"]),
  pspReference: Schema.String,
  merchantAccountCode: Schema.String,
  merchantReference: Text,
  originalReference: Text,
  amount: optional(Schema.Struct({ value: Schema.Number.check(Schema.isInt()), currency: Schema.String })),
  reason: Text,
  additionalData: optional(Schema.Struct({ hmacSignature: Text, cardSummary: Text, refusalReasonRaw: Text }))
})
export type Item = typeof Item.Type
const Notification = Schema.Struct({
  notificationItems: Schema.NonEmptyArray(Schema.Struct({ NotificationRequestItem: Item }))
})

export const decodePayment = Schema.decodeUnknownOption(Payment)
export const decodeModification = Schema.decodeUnknownOption(Modification)
const decodeErrorAnswer = Schema.decodeUnknownOption(ErrorAnswer)
const decodeGatewayError = Schema.decodeUnknownOption(GatewayError)
export const decodeError = (json: unknown): Option.Option<AdyenError> =>
  Option.orElse(decodeErrorAnswer(json), () =>
    Option.map(decodeGatewayError(json), ({ error }) => ({ errorCode: `${error.code}`, errorType: "gateway" }))
  )
const decodeNotification = Schema.decodeUnknownOption(Notification)
export const decodeItems = (json: unknown): Option.Option<ReadonlyArray<Item>> =>
  Option.map(decodeNotification(json), ({ notificationItems }) =>
    notificationItems.map(({ NotificationRequestItem }) => NotificationRequestItem)
  )
