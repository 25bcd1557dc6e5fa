import { Option, Schema } from "effect"

/** The API version that these messages are written for (provider sheet, section 2). */
export const apiVersion = "2022-11-15"

/** Fields of a form in the order in which they go out; an undefined one is left out. */
export type Form = ReadonlyArray<readonly [name: string, value: string | undefined]>

/** Of the names as they stand in this folder, which are few and never a caller's. */
const encodedNames = new Map<string, string>()
const encodedName = (name: string): string => {
  const known = encodedNames.get(name)
  if (known !== undefined) return known
  const encoded = encodeURIComponent(name)
  encodedNames.set(name, encoded)
  return encoded
}

/** application/x-www-form-urlencoded in UTF-8: nested names in brackets, `payment_method_data[card][cvc]=123`. */
export const encodeForm = (form: Form): string => {
  let text = ""
  for (const [name, value] of form) {
    if (value === undefined) continue
    // A lone surrogate has no UTF-8 form and would throw.
    text += `${text === "" ? "" : "&"}${encodedName(name)}=${encodeURIComponent(value.toWellFormed())}`
  }
  return text
}

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
/** Minor units; every currency that is taken has two decimals. */
const Minor = Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const OptionalMinor = Schema.optionalKey(Schema.NullOr(Minor))
const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Metadata = optional(Schema.Struct({ order_id: Text }))
const Card = Schema.Struct({ last4: Text, capture_before: OptionalMinor })

/** Only what is read; recorded answers also have it as an empty list in the place of a charge. */
const Charge = Schema.Struct({
  amount_refunded: OptionalMinor,
  payment_method_details: optional(Schema.Struct({ card: optional(Card) }))
})

const PaymentError = Schema.Struct({
  type: Text,
  code: Text,
  decline_code: Text,
  message: Text,
  payment_method: optional(Schema.Struct({ card: optional(Schema.Struct({ last4: Text })) }))
})

/** Where the buyer's browser has to go; other kinds of step are for Stripe's own script and are not taken. */
const NextAction = Schema.Struct({
  redirect_to_url: optional(Schema.Struct({ url: Text }))
})

const facts = {
  amount_capturable: OptionalMinor,
  amount_received: OptionalMinor,
  cancellation_reason: Text,
  currency: Text,
  last_payment_error: optional(PaymentError),
  /** An identifier, or the charge where it was asked to be expanded. */
  latest_charge: optional(Schema.Union([Schema.String, Charge])),
  metadata: Metadata,
  next_action: optional(NextAction)
}
const IntentId = Schema.String.check(Schema.isPattern(/^pi_\w{1,250}$/u))

const PaymentIntent = Schema.Struct({
  id: IntentId,
  object: Schema.Literal("payment_intent"),
  amount: Minor,
  status: Schema.String,
  ...facts
})
export type PaymentIntent = typeof PaymentIntent.Type

const PartialPaymentIntent = Schema.Struct({
  id: IntentId,
  amount: OptionalMinor,
  status: Text,
  ...facts
})
export type PartialPaymentIntent = typeof PartialPaymentIntent.Type

const Refund = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^re_\w{1,250}$/u)),
  object: Schema.Literal("refund"),
  amount: Minor,
  currency: Schema.String,
  /** Older refunds have none and are done (provider sheet's recordings). */
  status: Text,
  payment_intent: Text,
  metadata: Metadata
})
export type Refund = typeof Refund.Type

/** A charge as an event has it: on its own, with the reference that it took over from its payment. */
const ChargeEvent = Schema.Struct({
  object: Schema.Literal("charge"),
  amount: Minor,
  amount_captured: OptionalMinor,
  captured: Schema.Boolean,
  currency: Schema.String,
  metadata: Metadata,
  payment_intent: optional(IntentId),
  payment_method_details: optional(Schema.Struct({ card: optional(Card) })),
  status: Text
})
export type ChargeEvent = typeof ChargeEvent.Type

/** Its metadata are its own and not the payment's, so that the payment's identifier alone says what is disputed. */
const Dispute = Schema.Struct({
  object: Schema.Literal("dispute"),
  amount: Minor,
  currency: Schema.String,
  payment_intent: optional(IntentId),
  status: Schema.String
})
export type Dispute = typeof Dispute.Type

/** What Stripe posts: an object as it was at the time of the event. */
const Event = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^evt_\w{1,250}$/u)),
  object: Schema.Literal("event"),
  type: Schema.String,
  data: Schema.Struct({ object: Schema.Unknown })
})

const ErrorAnswer = Schema.Struct({
  error: Schema.Struct({
    type: Schema.String,
    code: Text,
    decline_code: Text,
    message: Text,
    payment_intent: optional(PartialPaymentIntent)
  })
})
export type StripeError = (typeof ErrorAnswer.Type)["error"]

const list = <S extends Schema.Top>(item: S) => Schema.Struct({ data: Schema.Array(item), has_more: Schema.Boolean })

export const decodePaymentIntent = Schema.decodeUnknownOption(PaymentIntent)
export const decodeChargeEvent = Schema.decodeUnknownOption(ChargeEvent)
export const decodeDispute = Schema.decodeUnknownOption(Dispute)
export const decodeEvent = Schema.decodeUnknownOption(Event)
export const decodeRefund = Schema.decodeUnknownOption(Refund)
export const decodeRefunds = Schema.decodeUnknownOption(list(Refund))
/** What a search finds may be stale: of each only the identifier and our reference are read. */
export const decodeSearch = Schema.decodeUnknownOption(list(Schema.Struct({ id: IntentId, metadata: Metadata })))
const decodeErrorAnswer = Schema.decodeUnknownOption(ErrorAnswer)
export const decodeError = (json: unknown): Option.Option<StripeError> =>
  Option.map(decodeErrorAnswer(json), ({ error }) => error)
