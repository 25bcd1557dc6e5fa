import { type Order, refundedOf } from "./SimulatedOrder.ts"
import type { Fault } from "./SimulatedRequest.ts"

type Json = Readonly<Record<string, unknown>>

/** As the sandbox names itself, whichever address it was asked at. */
const host = "https://api-gateway.sandbox.ngenius-payments.com"

const orderUrl = ({ outlet, reference }: Order) => `${host}/transactions/outlets/${outlet}/orders/${reference}`
const paymentUrl = (order: Order) => `${orderUrl(order)}/payments/${order.paymentId}`

/** ISO 8583, in words. */
const resultMessages: Readonly<Record<string, string>> = {
  "00": "Successful approval/completion or that VIP PIN verification is valid",
  "05": "Do not honour",
  "51": "Insufficient funds",
  "54": "Expired card",
  "91": "Issuer or switch inoperative"
}

const link = (href: string) => ({ href })

const linksOf = (order: Order): Json => {
  const own = paymentUrl(order)
  switch (order.state) {
    case "STARTED":
      return { "payment:card": link(`${own}/card`), "payment:saved-card": link(`${own}/saved-card`) }
    case "AWAIT_3DS":
      return {
        "cnp:3ds": link(`${own}/card/3ds`),
        "cnp:3ds2-authentication": link(`${own}/card/3ds2/authentications`),
        "cnp:3ds2-challenge-response": link(`${own}/card/3ds2/challenge-response`)
      }
    case "AUTHORISED":
      return { "cnp:cancel": link(`${own}/cancel`), "cnp:capture": link(`${own}/captures`) }
    case "PARTIALLY_CAPTURED":
      return { "cnp:capture": link(`${own}/captures`) }
    default:
      return {}
  }
}

const authResponseOf = ({ authentication, authorizationCode, resultCode, state }: Order): Json | undefined => {
  if (resultCode === null || state === "STARTED" || state === "AWAIT_3DS") return undefined
  // Nobody asks an issuer to pay for a buyer who was not authenticated.
  if (authentication?.result === "N") return undefined
  const success = resultCode === "00"
  return {
    authorizationCode: success ? authorizationCode : "      ",
    success,
    resultCode,
    resultMessage: resultMessages[resultCode],
    mid: "002200000001"
  }
}

const threeDSOf = ({ authentication, state }: Order): Json => {
  if (authentication === null) return { "3ds": {} }
  const { acsTransId: _, result, transId } = authentication
  if (state === "AWAIT_3DS") {
    return {
      "3ds2": {
        messageVersion: "2.1.0",
        threeDSMethodURL: "https://acs.sandbox.example/3ds-method",
        threeDSServerTransID: transId,
        directoryServerID: "A000000003"
      }
    }
  }
  return result === "Y"
    ? { "3ds": { status: "SUCCESS", eci: "05", eciDescription: "Card holder authenticated" } }
    : { "3ds": { status: "FAILURE", eci: "07", eciDescription: "Card holder not authenticated" } }
}

const captureOf = (order: Order, { at, id, value }: Order["captures"][number]): Json => {
  const self = `${paymentUrl(order)}/captures/${id}`
  return {
    _links: { self: link(self), "cnp:refund": link(`${self}/refund`) },
    amount: { currencyCode: order.currencyCode, value },
    createdTime: at,
    state: "SUCCESS"
  }
}

const refundOf = (order: Order, { at, captureId, id, value }: Order["refunds"][number]): Json => ({
  _links: { self: link(`${paymentUrl(order)}/captures/${captureId}/refund/${id}`) },
  amount: { currencyCode: order.currencyCode, value },
  createdTime: at,
  state: "SUCCESS"
})

const embeddedOf = (order: Order): Json => {
  if (order.captures.length === 0) return {}
  const captures = { "cnp:capture": order.captures.map((capture) => captureOf(order, capture)) }
  const refunds = { "cnp:refund": order.refunds.map((refund) => refundOf(order, refund)) }
  return { _embedded: refundedOf(order) === 0 ? captures : { ...captures, ...refunds } }
}

export const payment = (order: Order): Json => {
  const { card, createdAt, currencyCode, merchantOrderReference, outlet, paymentId, reference, state, value } = order
  const authResponse = authResponseOf(order)
  return {
    _id: `urn:payment:${paymentId}`,
    _links: {
      self: link(paymentUrl(order)),
      ...linksOf(order),
      curies: [{ name: "cnp", href: `${host}/docs/rels/{rel}`, templated: true }]
    },
    reference: paymentId,
    ...(card === null
      ? {}
      : {
          paymentMethod: {
            expiry: card.expiry,
            cardholderName: card.holder,
            name: card.brand,
            cardType: "CREDIT",
            pan: card.maskedPan,
            cvv: "***"
          }
        }),
    state,
    amount: { currencyCode, value },
    updateDateTime: createdAt,
    outletId: outlet,
    orderReference: reference,
    ...(merchantOrderReference === null ? {} : { merchantOrderReference }),
    ...(authResponse === undefined ? {} : { authResponse }),
    ...threeDSOf(order),
    ...embeddedOf(order)
  }
}

export const order = (one: Order): Json => ({
  _id: `urn:order:${one.reference}`,
  _links: {
    self: link(orderUrl(one)),
    cancel: link(`${orderUrl(one)}/cancel`),
    payment: link(`https://paypage.sandbox.ngenius-payments.com/?code=${one.reference.slice(0, 8)}`)
  },
  type: "SINGLE",
  action: "AUTH",
  amount: { currencyCode: one.currencyCode, value: one.value },
  language: one.language,
  reference: one.reference,
  outletId: one.outlet,
  createDateTime: one.createdAt,
  referrer: `urn:Ecom:${one.reference}`,
  ...(one.merchantOrderReference === null ? {} : { merchantOrderReference: one.merchantOrderReference }),
  formattedAmount: `${one.currencyCode}\u200F ${(one.value / 100).toFixed(2)}`,
  _embedded: { payment: [payment(one)] }
})

/** The challenge is open, and where; null where there is none. */
export const authentication = (one: Order, acsUrl: string): Json => {
  const json = payment(one)
  const { authentication } = one
  if (authentication === null) return json
  if (one.state !== "AWAIT_3DS") {
    return { ...json, "3ds2": { messageVersion: "2.1.0", transStatus: authentication.result } }
  }
  const creq = {
    threeDSServerTransID: authentication.transId,
    acsTransID: authentication.acsTransId,
    messageType: "CReq",
    messageVersion: "2.1.0",
    challengeWindowSize: "05"
  }
  return {
    ...json,
    "3ds2": {
      messageVersion: "2.1.0",
      threeDSServerTransID: authentication.transId,
      transStatus: "C",
      base64EncodedCReq: Buffer.from(JSON.stringify(creq)).toString("base64url"),
      acsURL: acsUrl
    }
  }
}

/** What the browser brings back from the issuer. */
export const challengeResponse = ({ acsTransId, result, transId }: NonNullable<Order["authentication"]>): string =>
  Buffer.from(
    JSON.stringify({
      threeDSServerTransID: transId,
      acsTransID: acsTransId,
      messageType: "CRes",
      messageVersion: "2.1.0",
      transStatus: result
    })
  ).toString("base64url")

/** Inside the gateway's own network its links have another host. */
export const webhook = (one: Order, eventId: string, eventName: string): Json => {
  const inside = JSON.stringify(order(one)).replaceAll(host, "http://transaction-service")
  return { eventId, eventName, order: JSON.parse(inside) }
}

export const failure = ({ errorCode, message, status }: Fault): Json => ({
  message: "The request could not be carried out.",
  code: status,
  errors: [{ message, localizedMessage: message, errorCode, domain: "transaction" }]
})
