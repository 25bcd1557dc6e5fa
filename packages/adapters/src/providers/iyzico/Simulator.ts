import { randomBytes, randomInt, randomUUID } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import { formOf, isJson, type Json, jsonOf } from "../PostedBody.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import { authenticationOf, verdictOf } from "../SimulatedIssuer.ts"
import * as SimulatedNetwork from "../SimulatedNetwork.ts"
import type { Simulator, SimulatorOptions } from "../Simulator.ts"
import { behaviourOf } from "../TestCards.ts"
import type { IyzicoCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import { bookOf } from "./SimulatedBook.ts"
import * as Pages from "./SimulatedPages.ts"
import * as Payments from "./SimulatedPayment.ts"
import { amountOf, faultOfPayment, faultOfSignature, textOf } from "./SimulatedRequest.ts"

/** The one account that the simulated iyzico knows. */
export const sandboxCredentials = (): IyzicoCredentials => ({
  apiKey: "sandbox-sarraf-key",
  secretKey: Redacted.make("sandbox-sarraf-secret")
})

const account = sandboxCredentials()
const secret = Redacted.value(account.secretKey)

const notFound: ProviderResponse = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: new TextEncoder().encode("<html><body>404</body></html>")
}

/** Twelve digits: few enough for a number in JSON. */
const newPaymentId = (): string => `${randomInt(100_000_000_000, 1_000_000_000_000)}`

const newPayment = (content: Json, phase: "AUTH" | "PRE_AUTH", isAuthenticated: boolean): Payments.Payment => {
  const card = isJson(content.paymentCard) ? content.paymentCard : {}
  const number = textOf(card, "cardNumber")
  return {
    paymentId: newPaymentId(),
    conversationId: textOf(content, "conversationId"),
    basketId: textOf(content, "basketId"),
    price: amountOf(content, "price") ?? 0,
    paidPrice: amountOf(content, "paidPrice") ?? 0,
    currency: textOf(content, "currency") || "TRY",
    installment: Number(textOf(content, "installment") || "1"),
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    phase,
    status: "INIT_THREEDS",
    errorCode: Payments.errorCodeOf(behaviourOf(number)),
    threeDS: isAuthenticated
      ? {
          callbackUrl: textOf(content, "callbackUrl"),
          challengeId: randomBytes(24).toString("hex"),
          authentication: authenticationOf(number),
          mdStatus: null,
          tries: 0
        }
      : null,
    authCode: `${randomInt(100_000, 1_000_000)}`,
    hostReference: `mock${randomInt(10_000, 100_000)}iyzihostrfn`,
    capturedAt: null,
    refunds: [],
    cancels: []
  }
}

/** Where a payment is begun: what its phase will be, and whether the buyer is authenticated first. */
const beginnings: Readonly<Record<string, readonly ["AUTH" | "PRE_AUTH", boolean]>> = {
  "/payment/auth": ["AUTH", false],
  "/payment/preauth": ["PRE_AUTH", false],
  "/payment/3dsecure/initialize": ["AUTH", true],
  "/payment/3dsecure/initialize/preauth": ["PRE_AUTH", true]
}

const followUps: ReadonlySet<string> = new Set([
  "/payment/detail",
  "/payment/postauth",
  "/payment/cancel",
  "/payment/refund",
  "/v2/payment/refund",
  "/payment/v2/3dsecure/auth"
])

/** The issuer's word on an authorization. */
const answerOfBeginning = (payment: Payments.Payment, envelope: Answers.Envelope): ProviderResponse =>
  payment.status === "FAILURE"
    ? Answers.failure(payment.errorCode ?? "1", envelope)
    : Answers.payment(payment, envelope)

interface Shop {
  readonly book: ReturnType<typeof bookOf>
  readonly network: SimulatedNetwork.SimulatedNetwork
  readonly options: Pick<SimulatorOptions, "notify" | "pagesUrl" | "settlement">
}

const tell = (
  { options }: Shop,
  payment: Payments.Payment,
  eventType: "API_AUTH" | "THREE_DS_AUTH" | "THREE_DS_CALLBACK",
  envelope: Answers.Envelope
) => options.notify(Answers.notification(payment, eventType, randomUUID(), envelope))

const begin = Effect.fnUntraced(function* (
  shop: Shop,
  content: Json,
  [phase, isAuthenticated]: readonly ["AUTH" | "PRE_AUTH", boolean],
  envelope: Answers.Envelope
) {
  const { now } = envelope
  const fault = faultOfPayment(content, now)
  if (fault !== undefined) return Answers.failure(fault, envelope)
  if (isAuthenticated && !URL.canParse(textOf(content, "callbackUrl"))) return Answers.failure("23", envelope)
  const cardNumber = textOf(isJson(content.paymentCard) ? content.paymentCard : {}, "cardNumber")
  const payment = newPayment(content, phase, isAuthenticated)
  const { conversationId: reference } = payment
  const sent = { cardNumber, reference, amount: `${payment.paidPrice} ${payment.currency}` }
  yield* shop.network.beforeAuthorization(sent)
  const change = isAuthenticated ? { payment } : Payments.authorized(payment, now)
  const after = "payment" in change ? change.payment : payment
  if (!(yield* shop.book.add(after))) return Answers.failure("1", envelope)
  if (!isAuthenticated) yield* tell(shop, after, "API_AUTH", envelope)
  yield* shop.network.afterAuthorization(sent)
  if (isAuthenticated) return Answers.initialized(after, Pages.pageForShop(after, shop.options.pagesUrl), envelope)
  return answerOfBeginning(after, envelope)
})

/** One step on one payment: what it was becomes what it is, and is answered. */
const change = Effect.fnUntraced(function* (
  shop: Shop,
  paymentId: string,
  envelope: Answers.Envelope,
  apply: (payment: Payments.Payment) => Payments.Change,
  answer: (payment: Payments.Payment) => ProviderResponse,
  announce: (payment: Payments.Payment) => Effect.Effect<void> = () => Effect.void
) {
  const before = yield* shop.book.find(paymentId)
  if (before === undefined) return Answers.failure("5086", envelope)
  yield* shop.network.beforeFollowUp(before.conversationId)
  const changed = apply(before)
  if ("code" in changed) return Answers.failure(changed.code, envelope)
  yield* shop.book.save(changed.payment)
  yield* announce(changed.payment)
  return answer(changed.payment)
})

const complete = (shop: Shop, content: Json, envelope: Answers.Envelope) => {
  const { now } = envelope
  const isSame = (payment: Payments.Payment): boolean =>
    payment.threeDS !== null &&
    amountOf(content, "paidPrice") === payment.paidPrice &&
    textOf(content, "basketId") === payment.basketId &&
    textOf(content, "currency") === payment.currency
  return change(
    shop,
    textOf(content, "paymentId"),
    envelope,
    (payment) => (isSame(payment) ? Payments.completed(payment, now) : { code: "11" }),
    (payment) => answerOfBeginning(payment, envelope),
    (payment) => tell(shop, payment, "THREE_DS_AUTH", envelope)
  )
}

const refund = (shop: Shop, content: Json, byItem: boolean, envelope: Answers.Envelope) => {
  const minor = amountOf(content, "price")
  if (minor === undefined) return Effect.succeed(Answers.failure("5004", envelope))
  // An item's identifier begins with a digit of its own.
  const paymentId = byItem ? textOf(content, "paymentTransactionId").slice(1) : textOf(content, "paymentId")
  if (paymentId === "") return Effect.succeed(Answers.failure(byItem ? "5092" : "5002", envelope))
  const { now } = envelope
  const step = change(
    shop,
    paymentId,
    envelope,
    (payment) => Payments.refunded(payment, minor, now, shop.options.settlement),
    (payment) => Answers.refund(payment, minor, byItem, envelope)
  )
  return shop.book.inTurn(paymentId, step)
}

const detail = Effect.fnUntraced(function* (shop: Shop, content: Json, envelope: Answers.Envelope) {
  const conversationId = textOf(content, "paymentConversationId")
  if (conversationId !== "") yield* shop.network.beforeFollowUp(conversationId)
  const paymentId = textOf(content, "paymentId") || (yield* shop.book.paymentIdOf(conversationId))
  const payment = yield* shop.book.find(paymentId)
  if (payment === undefined) return Answers.failure("5086", envelope)
  yield* shop.network.beforeFollowUp(payment.conversationId)
  return Answers.detail(payment, envelope)
})

const report = Effect.fnUntraced(function* (shop: Shop, query: URLSearchParams, envelope: Answers.Envelope) {
  const conversationId = query.get("paymentConversationId") ?? ""
  if (conversationId !== "") yield* shop.network.beforeFollowUp(conversationId)
  const paymentId = query.get("paymentId") ?? (yield* shop.book.paymentIdOf(conversationId))
  const payment = yield* shop.book.find(paymentId)
  if (payment !== undefined) yield* shop.network.beforeFollowUp(payment.conversationId)
  return Answers.report(payment === undefined ? [] : [payment], envelope)
})

const follow = (shop: Shop, path: string, content: Json, envelope: Answers.Envelope) => {
  const paymentId = textOf(content, "paymentId")
  const { now } = envelope
  if (path === "/payment/detail") return detail(shop, content, envelope)
  if (path === "/payment/refund") return refund(shop, content, true, envelope)
  if (paymentId === "") return Effect.succeed(Answers.failure("5002", envelope))
  if (path === "/v2/payment/refund") return refund(shop, content, false, envelope)
  if (path === "/payment/v2/3dsecure/auth") return shop.book.inTurn(paymentId, complete(shop, content, envelope))
  if (path === "/payment/cancel") {
    const apply = (payment: Payments.Payment) => Payments.canceled(payment, now, shop.options.settlement)
    const step = change(shop, paymentId, envelope, apply, (payment) => Answers.cancellation(payment, envelope))
    return shop.book.inTurn(paymentId, step)
  }
  const minor = amountOf(content, "paidPrice")
  if (minor === undefined) return Effect.succeed(Answers.failure("5004", envelope))
  const apply = (payment: Payments.Payment) => Payments.captured(payment, minor, now)
  const step = change(shop, paymentId, envelope, apply, (payment) => Answers.payment(payment, envelope))
  return shop.book.inTurn(paymentId, step)
}

/** A buyer's browser, on the way to the issuer or with an answer for it. */
const browse = Effect.fnUntraced(function* (shop: Shop, { body, method, url }: ProviderRequest, now: number) {
  const { pathname, searchParams } = new URL(url)
  const form = method === "GET" ? searchParams : formOf(body)
  const paymentId = yield* shop.book.paymentOfChallenge(form.get("PaReq") ?? "")
  const step = Effect.gen(function* () {
    const payment = yield* shop.book.find(paymentId)
    const { threeDS } = payment ?? {}
    if (payment === undefined || !threeDS || payment.status !== "INIT_THREEDS") return Pages.noSuchChallenge
    const envelope = { secret, conversationId: payment.conversationId, now }
    const isAnswer = method === "POST" && pathname.endsWith(Pages.confirmPath)
    if (threeDS.authentication === "challenge" && !isAnswer)
      return Pages.issuersPage(payment, shop.options.pagesUrl, false)
    const verdict = threeDS.authentication === "challenge" ? verdictOf(form, threeDS.tries) : threeDS.authentication
    if (typeof verdict === "object") {
      yield* shop.book.save({ ...payment, threeDS: { ...threeDS, tries: verdict.again } })
      return Pages.issuersPage(payment, shop.options.pagesUrl, true)
    }
    const after = Payments.authenticated(payment, verdict === "authenticated" || verdict === "frictionless")
    yield* shop.book.save(after)
    yield* tell(shop, after, "THREE_DS_CALLBACK", envelope)
    return Pages.backToShop(after, secret)
  })
  return yield* shop.book.inTurn(paymentId, step)
})

const serve = Effect.fnUntraced(function* (shop: Shop, request: ProviderRequest, now: number) {
  const { pathname, searchParams } = new URL(request.url)
  const content = request.method === "GET" ? {} : jsonOf(request.body)
  const conversationId =
    request.method === "GET" ? (searchParams.get("conversationId") ?? "") : textOf(content ?? {}, "conversationId")
  const envelope: Answers.Envelope = { secret, conversationId, now }
  const fault = faultOfSignature(request, account)
  if (fault !== undefined) return Answers.failure(fault, envelope)
  if (content === undefined) return Answers.failure("11", envelope)
  const beginning = beginnings[pathname]
  if (request.method === "GET") {
    return pathname === "/v2/reporting/payment/details" ? yield* report(shop, searchParams, envelope) : notFound
  }
  if (beginning !== undefined) return yield* begin(shop, content, beginning, envelope)
  return followUps.has(pathname) ? yield* follow(shop, pathname, content, envelope) : notFound
})

/**
 * iyzico's side: checks keys and signatures, keeps payments, and settles at once or at midnight UTC, until when a payment
 * can be cancelled. Source: provider sheet, sections 2 to 8. Where the sheet is silent it refuses in codes of the sheet: a
 * second capture with 10012, a capture above the hold with 10232. A `conversationId` that was used before, of which the
 * real one probably makes a second payment, is a system error here, so that nothing can be made certain of it.
 */
export const make = (options: SimulatorOptions): Simulator => {
  const { orderBook, pagesUrl, provider } = options
  const shop: Shop = {
    book: bookOf(provider, orderBook),
    network: SimulatedNetwork.make(provider, orderBook),
    options
  }
  return {
    provider,
    handle: Effect.fnUntraced(function* (request) {
      const now = yield* Clock.currentTimeMillis
      return yield* request.url.startsWith(pagesUrl) ? browse(shop, request, now) : serve(shop, request, now)
    })
  }
}
