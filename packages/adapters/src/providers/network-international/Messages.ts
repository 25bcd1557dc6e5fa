import type { Authorization, AuthorizeCall } from "@sarraf/domain/payments/PaymentProvider"
import { Option, Redacted, Schema } from "effect"

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Text = optional(Schema.String)
const Uuid = Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu))

/** Minor units: a whole number, and in older messages the same as a text (provider sheet, section 1). */
const Minor = Schema.Union([
  Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  Schema.String.check(Schema.isPattern(/^\d{1,15}$/u))
])
const Amount = Schema.Struct({ currencyCode: Schema.String, value: Minor })

const Link = optional(Schema.Struct({ href: Schema.String }))
const Links = optional(
  Schema.Struct({
    self: Link,
    "payment:card": Link,
    "cnp:3ds": Link,
    "cnp:3ds2-authentication": Link,
    "cnp:3ds2-challenge-response": Link,
    "cnp:refund": Link,
    "payment:partial-auth-decline": Link
  })
)

/** A capture, or a refund. */
const Movement = Schema.Struct({ state: Text, amount: Amount, _links: Links })
export type Movement = typeof Movement.Type

/** `3ds` is a request of version 1 while the payment waits for it, and the result afterwards, of either version. */
const ThreeDS1 = Schema.Struct({ status: Text, acsUrl: Text, acsPaReq: Text, acsMd: Text })
const ThreeDS2 = Schema.Struct({
  transStatus: Text,
  threeDSMethodURL: Text,
  threeDSServerTransID: Text,
  base64EncodedCReq: Text,
  acsURL: Text
})

const Payment = Schema.Struct({
  /** `urn:payment:…`, of which the last part is the payment's identifier. */
  _id: Schema.String.check(Schema.isPattern(/^urn:payment:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu)),
  state: Schema.String,
  amount: Amount,
  orderReference: Text,
  merchantOrderReference: Text,
  paymentMethod: optional(Schema.Struct({ pan: Text })),
  authResponse: optional(Schema.Struct({ success: optional(Schema.Boolean), resultCode: Text })),
  "3ds": optional(ThreeDS1),
  "3ds2": optional(ThreeDS2),
  _links: Links,
  _embedded: optional(
    Schema.Struct({
      "cnp:capture": optional(Schema.Array(Movement)),
      "cnp:refund": optional(Schema.Array(Movement))
    })
  )
})
/** Provider sheet, section 4: only what is read. */
export type Payment = typeof Payment.Type

const Order = Schema.Struct({
  reference: Uuid,
  outletId: Text,
  merchantOrderReference: Text,
  amount: optional(Amount),
  /** Each is read by itself, so that what may be shown of it is at hand. */
  _embedded: Schema.Struct({ payment: Schema.Array(Schema.Unknown) })
})

/** The answer to the buyer's device data; whatever it says of the payment's end is asked for afterwards. */
const Authentication = Schema.Struct({ _id: Text, state: Text, "3ds2": optional(ThreeDS2) })

const ErrorAnswer = Schema.Struct({
  code: optional(Schema.Union([Schema.String, Schema.Number])),
  message: Text,
  errors: optional(Schema.Array(Schema.Struct({ errorCode: Text, domain: Text, message: Text })))
})
export type NGeniusError = typeof ErrorAnswer.Type

const AccessToken = Schema.Struct({
  access_token: Schema.NonEmptyString,
  /** Seconds. */
  expires_in: Schema.Number.check(Schema.isGreaterThan(0))
})

const Webhook = Schema.Struct({
  eventId: Schema.NonEmptyString,
  eventName: Schema.String,
  order: Schema.Struct({
    outletId: Text,
    merchantOrderReference: Text,
    _embedded: optional(Schema.Struct({ payment: Schema.Array(Schema.Struct({ merchantOrderReference: Text })) }))
  })
})

export const decodePayment = Schema.decodeUnknownOption(Payment)
export const decodeOrder = Schema.decodeUnknownOption(Order)
export const decodeAuthentication = Schema.decodeUnknownOption(Authentication)
export const decodeAccessToken = Schema.decodeUnknownOption(AccessToken)
export const decodeWebhook = Schema.decodeUnknownOption(Webhook)
const decodeErrorAnswer = Schema.decodeUnknownOption(ErrorAnswer)
/** Nothing where the document has neither a message nor errors: such a one is no error of the gateway's. */
export const decodeError = (json: unknown): Option.Option<NGeniusError> =>
  Option.filter(decodeErrorAnswer(json), ({ errors, message }) => !!message || (errors ?? []).length > 0)

/** The two identifiers by which a payment is addressed; both are noted before the card is sent. */
export interface PaymentIds {
  readonly orderReference: string
  readonly paymentId: string
}

export const paymentIdOf = ({ _id }: Pick<Payment, "_id">): string => _id.slice("urn:payment:".length)

const isUuid = Schema.is(Uuid)
/** Undefined where no order was noted: then no card was ever sent. */
export const notedIds = ({ notes }: Pick<Authorization, "notes">): PaymentIds | undefined => {
  const { orderReference, paymentId } = notes
  return isUuid(orderReference) && isUuid(paymentId) ? { orderReference, paymentId } : undefined
}

/** The identifier at the end of a capture's or refund's own address; undefined where it has none. */
export const movementIdOf = ({ _links }: Movement): string | undefined => {
  const self = _links?.self?.href.split("/").at(-1)
  if (isUuid(self)) return self
  // …/captures/{c}/refund
  const capture = _links?.["cnp:refund"]?.href.split("/").at(-2)
  return isUuid(capture) ? capture : undefined
}

const utf8 = new TextEncoder()
const encode = (json: object): Uint8Array => utf8.encode(JSON.stringify(json))

export const encodeRealm = (realm: string): Uint8Array => encode({ realmName: realm })

/** Without 3-D Secure the gateway is told to skip it; with it the browser comes back to us, finished or not. */
export const encodeOrder = ({ billingAddress, buyer, money, reference, threeDS }: AuthorizeCall): Uint8Array =>
  encode({
    action: "AUTH",
    amount: { currencyCode: money.currency, value: Number(money.minor) },
    emailAddress: buyer.email,
    language: "en",
    merchantOrderReference: reference,
    billingAddress: {
      firstName: buyer.firstName,
      lastName: buyer.lastName,
      address1: billingAddress.address,
      city: billingAddress.city,
      countryCode: billingAddress.country
    },
    merchantAttributes:
      threeDS === undefined
        ? { skip3DS: true, skipConfirmationPage: true }
        : { redirectUrl: threeDS.returnUrl, cancelUrl: threeDS.returnUrl, skipConfirmationPage: true }
  })

export const encodeCard = ({ buyer, card }: AuthorizeCall): Uint8Array =>
  encode({
    pan: card.number.reveal(),
    expiry: `${card.expYear}-${`${card.expMonth}`.padStart(2, "0")}`,
    cvv: Redacted.value(card.cvc),
    cardholderName: card.holderName,
    ...(buyer.ip === undefined ? {} : { payerIp: buyer.ip })
  })

export const encodeAmount = (currencyCode: string, minor: bigint): Uint8Array =>
  encode({ amount: { currencyCode, value: Number(minor) } })

/**
 * The device data of 3-D Secure 2 (provider sheet, section 4). A payment request tells nothing of the browser but its
 * address, so that the rest says what nearly every browser says; the issuer asks the buyer where that is too little.
 */
export const encodeDevice = (device: {
  readonly threeDSCompInd: "N" | "U"
  readonly notificationURL: string
  readonly browserIP: string | undefined
}): Uint8Array =>
  encode({
    deviceChannel: "BRW",
    threeDSCompInd: device.threeDSCompInd,
    notificationURL: device.notificationURL,
    browserInfo: {
      browserLanguage: "en",
      browserJavaEnabled: false,
      browserColorDepth: "24",
      browserScreenHeight: "1080",
      browserScreenWidth: "1920",
      browserTZ: "0",
      browserUserAgent: "Mozilla/5.0",
      browserAcceptHeader: "text/html",
      browserJavascriptEnabled: true,
      challengeWindowSize: "05",
      ...(device.browserIP === undefined ? {} : { browserIP: device.browserIP })
    }
  })

export const encodeChallengeResponse = (cres: string): Uint8Array => encode({ base64EncodedCRes: cres })
