import { randomInt, randomUUID } from "node:crypto"
import { Schema } from "effect"
import { authenticationOf } from "../SimulatedIssuer.ts"
import { behaviourOf, type TestCardBehaviour } from "../TestCards.ts"
import { type CardFields, conflict, type Fault, invalid, type OrderFields } from "./SimulatedRequest.ts"

/** Amounts are minor units, times ISO 8601. */
const Refund = Schema.Struct({ id: Schema.String, captureId: Schema.String, value: Schema.Number, at: Schema.String })
const Capture = Schema.Struct({ id: Schema.String, value: Schema.Number, at: Schema.String })

const Authentication = Schema.Struct({
  transId: Schema.String,
  acsTransId: Schema.String,
  kind: Schema.Literals(["challenge", "frictionless", "fails"]),
  /** Where the issuer posts the challenge's end; null until the device data is there. */
  notificationUrl: Schema.NullOr(Schema.String),
  /** What the issuer told the gateway; null until then. */
  result: Schema.NullOr(Schema.Literals(["Y", "N"])),
  /** Wrong codes so far. */
  tries: Schema.Number
})

const Order = Schema.Struct({
  reference: Schema.String,
  paymentId: Schema.String,
  outlet: Schema.String,
  createdAt: Schema.String,
  merchantOrderReference: Schema.NullOr(Schema.String),
  currencyCode: Schema.String,
  value: Schema.Number,
  language: Schema.String,
  skips3DS: Schema.Boolean,
  state: Schema.Literals([
    "STARTED",
    "AWAIT_3DS",
    "AUTHORISED",
    "CAPTURED",
    "PARTIALLY_CAPTURED",
    "PARTIALLY_REFUNDED",
    "REFUNDED",
    "REVERSED",
    "FAILED"
  ]),
  /** First six and last four digits of the number. */
  card: Schema.NullOr(
    Schema.Struct({ maskedPan: Schema.String, brand: Schema.String, expiry: Schema.String, holder: Schema.String })
  ),
  /** What the issuer will say, or has said. */
  resultCode: Schema.NullOr(Schema.String),
  authorizationCode: Schema.String,
  authentication: Schema.NullOr(Authentication),
  captures: Schema.Array(Capture),
  refunds: Schema.Array(Refund)
})
export type Order = typeof Order.Type
export const orderOf = Schema.decodeUnknownSync(Order)

/** What a request changed, or why it did not; `event` is the webhook's name for it. */
export type Change = { readonly order: Order; readonly event: string | null } | { readonly fault: Fault }

const resultCodes: Readonly<Partial<Record<TestCardBehaviour, string>>> = {
  insufficientFunds: "51",
  decline: "05",
  expired: "54",
  providerFails: "91"
}

export const newOrder = (fields: OrderFields, outlet: string, createdAt: string): Order => ({
  ...fields,
  reference: randomUUID(),
  paymentId: randomUUID(),
  outlet,
  createdAt,
  state: "STARTED",
  card: null,
  resultCode: null,
  authorizationCode: `${randomInt(100_000, 1_000_000)}`,
  authentication: null,
  captures: [],
  refunds: []
})

const brandOf = (pan: string): string =>
  pan.startsWith("4") ? "VISA" : pan.startsWith("62") ? "CHINA_UNION_PAY" : "MASTERCARD"

/** The issuer's answer to the authorization, once nothing stands before it any more. */
const answered = (order: Order): Change =>
  order.resultCode === "00"
    ? { order: { ...order, state: "AUTHORISED" }, event: "AUTHORISED" }
    : { order: { ...order, state: "FAILED" }, event: "DECLINED" }

/** A card's first and only try: a payment that has ended takes no second one. */
export const paid = (before: Order, { cardholderName, expiry, pan }: CardFields): Change => {
  if (before.state !== "STARTED") return { fault: conflict("The payment is not in state STARTED.") }
  const order: Order = {
    ...before,
    card: {
      maskedPan: `${pan.slice(0, 6)}${"*".repeat(pan.length - 10)}${pan.slice(-4)}`,
      brand: brandOf(pan),
      expiry,
      holder: cardholderName
    },
    resultCode: resultCodes[behaviourOf(pan)] ?? "00"
  }
  if (order.skips3DS) return answered(order)
  const authentication = {
    transId: randomUUID(),
    acsTransId: randomUUID(),
    kind: authenticationOf(pan),
    notificationUrl: null,
    result: null,
    tries: 0
  }
  return { order: { ...order, state: "AWAIT_3DS", authentication }, event: null }
}

const ended = (order: Order, result: "Y" | "N"): Change => {
  const { authentication } = order
  if (authentication === null) return { fault: conflict("There is no authentication.") }
  const after = { ...order, authentication: { ...authentication, result } }
  return result === "Y" ? answered(after) : { order: { ...after, state: "FAILED" }, event: "DECLINED" }
}

/** The device data: the issuer lets the buyer pass, turns him away, or wants to see him. */
export const authenticated = (order: Order, notificationUrl: string): Change => {
  const { authentication } = order
  if (order.state !== "AWAIT_3DS" || authentication === null || authentication.notificationUrl !== null) {
    return { fault: conflict("The payment does not wait for the device data.") }
  }
  const asked = { ...order, authentication: { ...authentication, notificationUrl } }
  if (authentication.kind === "challenge") return { order: asked, event: null }
  return ended(asked, authentication.kind === "frictionless" ? "Y" : "N")
}

/** The buyer's answer at the issuer, which tells the gateway before the browser goes back. */
export const challenged = (order: Order, word: "Y" | "N" | { readonly again: number }): Change => {
  const { authentication } = order
  if (order.state !== "AWAIT_3DS" || authentication?.notificationUrl == null || authentication.result !== null) {
    return { fault: conflict("This challenge is over.") }
  }
  const change = typeof word === "string" ? { result: word } : { tries: word.again }
  return { order: { ...order, authentication: { ...authentication, ...change } }, event: null }
}

/** The end of the challenge at the gateway, which goes by what the issuer told it. */
export const challengeEnded = (order: Order): Change => {
  const result = order.authentication?.result ?? null
  return order.state !== "AWAIT_3DS" || result === null
    ? { fault: conflict("The challenge has not been completed.") }
    : ended(order, result)
}

export const capturedOf = ({ captures }: Order): number => captures.reduce((sum, { value }) => sum + value, 0)
export const refundedOf = ({ refunds }: Order): number => refunds.reduce((sum, { value }) => sum + value, 0)

export const captured = (order: Order, value: number, at: string): Change => {
  if (order.state !== "AUTHORISED" && order.state !== "PARTIALLY_CAPTURED") {
    return { fault: conflict("The payment cannot be captured in its present state.") }
  }
  const sum = capturedOf(order) + value
  if (sum > order.value) return { fault: invalid("amountExceeded", "The amount is more than is left to capture.") }
  const captures = [...order.captures, { id: randomUUID(), value, at }]
  const state = sum === order.value ? "CAPTURED" : "PARTIALLY_CAPTURED"
  return { order: { ...order, captures, state }, event: state }
}

export const refunded = (order: Order, captureId: string, value: number, at: string): Change => {
  const capture = order.captures.find(({ id }) => id === captureId)
  if (capture === undefined) return { fault: { ...invalid("captureNotFound", "No such capture."), status: 404 } }
  const before = order.refunds.filter((refund) => refund.captureId === captureId)
  const left = capture.value - before.reduce((sum, refund) => sum + refund.value, 0)
  if (value > left) return { fault: invalid("amountExceeded", "The amount is more than is left to refund.") }
  const refunds = [...order.refunds, { id: randomUUID(), captureId, value, at }]
  const after: Order = { ...order, refunds }
  const state = refundedOf(after) === capturedOf(after) ? "REFUNDED" : "PARTIALLY_REFUNDED"
  return { order: { ...after, state }, event: state }
}

export const reversed = (order: Order): Change =>
  order.state === "AUTHORISED"
    ? { order: { ...order, state: "REVERSED" }, event: "REVERSED" }
    : { fault: conflict("Only an authorised payment can be reversed.") }
