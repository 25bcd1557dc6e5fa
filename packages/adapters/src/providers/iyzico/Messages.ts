import { Option, Schema } from "effect"

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Text = optional(Schema.String)

const ItemTransaction = Schema.Struct({ paymentTransactionId: Text })

/** The fields of every answer that are read (provider sheet, section 4). Numbers stand as texts, as they were spelled. */
const Answer = Schema.Struct({
  status: Schema.Literals(["success", "failure"]),
  errorCode: Text,
  errorGroup: Text,
  conversationId: Text,
  paymentId: Text,
  paymentTransactionId: Text,
  basketId: Text,
  price: Text,
  paidPrice: Text,
  currency: Text,
  installment: Text,
  fraudStatus: Text,
  phase: Text,
  paymentStatus: Text,
  mdStatus: Text,
  authCode: Text,
  hostReference: Text,
  refundHostReference: Text,
  cancelHostReference: Text,
  cardType: Text,
  cardAssociation: Text,
  cardFamily: Text,
  lastFourDigits: Text,
  itemTransactions: optional(Schema.Array(ItemTransaction)),
  threeDSHtmlContent: Text,
  threeDsRedirectionUrl: Text,
  signature: Text
})
export type Answer = typeof Answer.Type

const GivenBack = Schema.Struct({ refundPrice: Text, refundStatus: Text })
export type GivenBack = typeof GivenBack.Type

const ReportedPayment = Schema.Struct({
  paymentId: Text,
  phase: Text,
  cancels: optional(Schema.Array(GivenBack)),
  itemTransactions: optional(Schema.Array(Schema.Struct({ refunds: optional(Schema.Array(GivenBack)) })))
})
export type ReportedPayment = typeof ReportedPayment.Type

const Report = Schema.Struct({ payments: Schema.Array(ReportedPayment) })

/** What iyzico posts about a payment; those of its hosted form have a `token` (provider sheet, section 3). */
const Notification = Schema.Struct({
  iyziEventType: Schema.String,
  status: Schema.String,
  paymentConversationId: Text,
  paymentId: Text,
  iyziPaymentId: Text,
  token: Text,
  iyziReferenceCode: Text
})
export type Notification = typeof Notification.Type

export const decodeAnswer = Schema.decodeUnknownOption(Answer)
export const decodeReport = Schema.decodeUnknownOption(Report)
export const decodeNotification = Schema.decodeUnknownOption(Notification)

const utf8 = new TextDecoder("utf-8", { fatal: true })
/** Texts are passed over, so that digits within them stay. */
const textOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu

/**
 * The document of a body that is UTF-8 and JSON from its first to its last byte, with every number as the text that stood
 * there: `10.50000000` is "10.50000000", and `22484059` is "22484059" (provider sheet, section 7).
 */
export const parse = (body: Uint8Array): Option.Option<unknown> => {
  try {
    const text = utf8.decode(body)
    // What is no JSON must not become JSON by the quotes that are put around its numbers.
    JSON.parse(text)
    return Option.some(
      JSON.parse(text.replace(textOrNumber, (token) => (token.startsWith('"') ? token : `"${token}"`)))
    )
  } catch {
    return Option.none()
  }
}

/** Without zeros at its end: "10.50" and "10.500" are "10.5", "50.00" and "50" are "50", "0E-8" is "0". */
export const trimmed = (amount: string): string =>
  /^0+(?:\.0*)?(?:e[+-]?\d+)?$/iu.test(amount) ? "0" : amount.includes(".") ? amount.replace(/\.?0+$/u, "") : amount

/** Minor units; every currency that is taken has two decimals. Nothing where the text is no such amount. */
export const minorOf = (amount: string | null | undefined): bigint | undefined => {
  const [, whole, fraction = ""] = /^(\d{1,15})(?:\.(\d{1,2}))?$/u.exec(trimmed(amount ?? "")) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(2, "0"))
}
