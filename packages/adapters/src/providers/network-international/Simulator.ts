import { randomUUID } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import { findOrder } from "../OrderBook.ts"
import { turnAway } from "../OrderTurns.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import * as SimulatedNetwork from "../SimulatedNetwork.ts"
import type { Simulator, SimulatorOptions } from "../Simulator.ts"
import type { NetworkInternationalCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import { issuerPages } from "./SimulatedIssuerPages.ts"
import * as Orders from "./SimulatedOrder.ts"
import {
  amountOf,
  cardFieldsOf,
  challengeResponseOf,
  conflict,
  deviceOf,
  type Fault,
  invalid,
  messageOf,
  orderFieldsOf,
  realmOf
} from "./SimulatedRequest.ts"
import { isKeyValid, issueToken, isTokenValid, tokenLifetime } from "./SimulatedToken.ts"

const outlet = "9463e990-1719-4155-9d9c-69db503a3289"
const webhookHeaderName = "x-sandbox-webhook"
const webhookHeaderValue = "sandbox-webhook-value"

/** The one outlet that the simulated gateway knows. The browser is sent where the answers say, so that no address is needed. */
export const sandboxCredentials = (_pagesUrl: string): NetworkInternationalCredentials => ({
  apiKey: Redacted.make(Buffer.from("sandbox:secret-of-the-sandbox").toString("base64")),
  outletReference: outlet,
  realm: "ni",
  webhookHeaderName,
  webhookHeaderValue: Redacted.make(webhookHeaderValue),
  apiUrl: "https://api-gateway.sandbox.ngenius-payments.com"
})

const utf8 = new TextEncoder()
const answer = (status: number, json: object): ProviderResponse => ({
  status,
  headers: { "content-type": "application/vnd.ni-payment.v2+json;charset=UTF-8", "x-correlation-id": randomUUID() },
  body: utf8.encode(JSON.stringify(json))
})
const refuse = (fault: Fault): ProviderResponse => answer(fault.status, Answers.failure(fault))

const unauthorized: Fault = { status: 401, errorCode: "unauthorized", message: "Unauthorized" }
const notFound: Fault = { status: 404, errorCode: "notFound", message: "Entity not found" }
const mediaTypes = { identity: "application/vnd.ni-identity.v1+json", payment: "application/vnd.ni-payment.v2+json" }
const wrongType: Fault = { status: 415, errorCode: "unsupportedMediaType", message: "Unsupported media type" }

/** Milliseconds after the answer. */
const webhookDelayMillis = 200

const isFault = (value: object | number): value is Fault => typeof value === "object" && "errorCode" in value

/** What a request is looked at with. */
interface Question {
  readonly request: ProviderRequest
  readonly now: string
  readonly order: Orders.Order
}

/** How a step changes an order. */
type Step = (question: Question) => Orders.Change

const amountStep =
  (change: (order: Orders.Order, value: number, now: string) => Orders.Change): Step =>
  ({ now, order, request }) => {
    const value = amountOf(request.body, order.currencyCode)
    return isFault(value) ? { fault: value } : change(order, value, now)
  }

const authentications: Step = ({ order, request }) => {
  const device = deviceOf(request.body)
  return isFault(device) ? { fault: device } : Orders.authenticated(order, device.notificationUrl)
}

const challengeResponse: Step = ({ order, request }) => {
  const response = challengeResponseOf(request.body)
  if (response === undefined) return { fault: invalid("invalidBody", "The body is not valid.") }
  const isAnother =
    response.cres !== null && messageOf(response.cres)?.threeDSServerTransID !== order.authentication?.transId
  return isAnother
    ? { fault: invalid("invalidCRes", "base64EncodedCRes is not of this payment.") }
    : Orders.challengeEnded(order)
}

/** Every step but the card's, by method and place under the payment. */
const stepOf = (method: string, place: string): { readonly step: Step; readonly status: number } | undefined => {
  const [, captureId] = /^captures\/([\w-]+)\/refund$/u.exec(place) ?? []
  if (method === "POST" && captureId !== undefined) {
    return { step: amountStep((order, value, now) => Orders.refunded(order, captureId, value, now)), status: 201 }
  }
  switch (`${method} ${place}`) {
    case "POST captures":
      return { step: amountStep(Orders.captured), status: 201 }
    case "PUT cancel":
      return { step: ({ order }) => Orders.reversed(order), status: 200 }
    case "POST card/3ds2/authentications":
      return { step: authentications, status: 200 }
    case "POST card/3ds2/challenge-response":
      return { step: challengeResponse, status: 200 }
    default:
      return undefined
  }
}

const identity = ({ body, headers }: ProviderRequest, provider: NetworkInternationalCredentials, now: number) => {
  if (!(headers["content-type"] ?? "").startsWith(mediaTypes.identity)) return refuse(wrongType)
  if (!isKeyValid(headers.authorization, provider)) return refuse(unauthorized)
  if (![null, provider.realm].includes(realmOf(body))) return refuse(unauthorized)
  return answer(200, {
    access_token: issueToken(now),
    expires_in: tokenLifetime,
    refresh_expires_in: 0,
    token_type: "Bearer"
  })
}

/**
 * `https://api-gateway.sandbox.ngenius-payments.com`: exchanges the key for tokens of five minutes, keeps orders, and
 * pays, captures, refunds and releases them. Source: provider sheet, sections 2 to 5. A payment takes one card; what is
 * captured is no longer released; refunds need no settlement, so that `settlement` changes nothing. 3-D Secure of version
 * 2 with the issuer's pages under `pagesUrl`. Every change of a payment's state is posted with the merchant's header.
 */
export const make = ({ notify, orderBook, pagesUrl, provider }: SimulatorOptions): Simulator => {
  const credentials = sandboxCredentials(pagesUrl)
  const network = SimulatedNetwork.make(provider, orderBook)

  const find = (reference: string): Effect.Effect<Orders.Order | undefined> =>
    findOrder(orderBook, provider, reference, Orders.orderOf)

  const atOrder = turnAway()
  const alone = <E>(reference: string, step: Effect.Effect<ProviderResponse, E>) =>
    atOrder(reference, refuse(conflict("The order is being changed.")), step)

  /** Saves a change, with the webhook that tells of it. */
  const save = Effect.fnUntraced(function* (order: Orders.Order, event: string | null) {
    yield* orderBook.save(provider, order.reference, order)
    if (event === null) return
    const json = Answers.webhook(order, randomUUID(), event)
    yield* notify({
      headers: { "content-type": "application/json", [webhookHeaderName]: webhookHeaderValue },
      body: utf8.encode(JSON.stringify(json)),
      delayMillis: webhookDelayMillis
    })
  })

  const create = Effect.fnUntraced(function* ({ body }: ProviderRequest, now: string) {
    const fields = orderFieldsOf(body)
    if (isFault(fields)) return refuse(fields)
    const order = Orders.newOrder(fields, outlet, now)
    yield* orderBook.add(provider, order.reference, order)
    return answer(201, Answers.order(order))
  })

  const pay = Effect.fnUntraced(function* ({ now, order, request }: Question) {
    const card = cardFieldsOf(request.body, now.slice(0, 7))
    if (isFault(card)) return refuse(card)
    const { currencyCode, reference, value } = order
    const known = { cardNumber: card.pan, reference, amount: `${value} ${currencyCode}` }
    yield* network.beforeAuthorization(known)
    const change = Orders.paid(order, card)
    if ("fault" in change) return refuse(change.fault)
    yield* save(change.order, change.event)
    const { authentication, state } = change.order
    // The issuer's page finds the order by this; the number is not known there any more.
    if (authentication !== null) yield* orderBook.save(provider, authentication.transId, { reference })
    if (state !== "AWAIT_3DS") yield* network.afterAuthorization(known)
    return answer(200, Answers.payment(change.order))
  })

  const follow = Effect.fnUntraced(function* (question: Question, place: string) {
    const found = stepOf(question.request.method, place)
    if (found === undefined) return refuse(notFound)
    yield* network.beforeFollowUp(question.order.reference)
    const change = found.step(question)
    if ("fault" in change) return refuse(change.fault)
    yield* save(change.order, change.event)
    const isAuthentication = place === "card/3ds2/authentications"
    const json = isAuthentication
      ? Answers.authentication(change.order, `${pagesUrl}/acs`)
      : Answers.payment(change.order)
    return answer(found.status, json)
  })

  const transactions = Effect.fnUntraced(function* (request: ProviderRequest, path: string, millis: number) {
    const [, asked, rest = ""] = /^\/transactions\/outlets\/([\w-]+)\/orders(.*)$/u.exec(path) ?? []
    if (!isTokenValid(request.headers.authorization, millis)) return refuse(unauthorized)
    if (asked !== outlet) return refuse(notFound)
    const hasType = (request.headers["content-type"] ?? "").startsWith(mediaTypes.payment)
    // A release has no body, or over HTTP an empty one.
    if ((request.body?.length ?? 0) > 0 && !hasType) return refuse(wrongType)
    const now = new Date(millis).toISOString()
    if (rest === "") return request.method === "POST" ? yield* create(request, now) : refuse(notFound)
    const [, reference = "", paymentId, place = ""] =
      /^\/([\w-]+)(?:\/payments\/([\w-]+)\/([\w/-]+))?$/u.exec(rest) ?? []
    const step = Effect.gen(function* () {
      const order = yield* find(reference)
      if (order === undefined) return refuse(notFound)
      if (paymentId === undefined) {
        yield* network.beforeFollowUp(reference)
        return request.method === "GET" ? answer(200, Answers.order(order)) : refuse(notFound)
      }
      if (paymentId !== order.paymentId) return refuse(notFound)
      const question: Question = { request, now, order }
      return yield* place === "card" && request.method === "PUT" ? pay(question) : follow(question, place)
    })
    return yield* request.method === "GET" ? step : alone(reference, step)
  })

  const pages = issuerPages({
    pagesUrl,
    alone,
    find: (transId) =>
      Effect.flatMap(orderBook.find(provider, transId), (found) =>
        typeof found === "object" && found !== null && "reference" in found
          ? find(`${found.reference}`)
          : Effect.succeed(undefined)
      ),
    save: (order) => save(order, null)
  })

  const handle = Effect.fnUntraced(function* (request: ProviderRequest) {
    if (request.url.startsWith(`${pagesUrl}/`)) return yield* pages(request)
    const millis = yield* Clock.currentTimeMillis
    const { pathname } = new URL(request.url)
    return pathname === "/identity/auth/access-token" && request.method === "POST"
      ? identity(request, credentials, millis)
      : yield* transactions(request, pathname, millis)
  })
  return { provider, handle }
}
