import { randomUUID } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import { jsonOf } from "../PostedBody.ts"
import type { ProviderRequest } from "../ProviderTransport.ts"
import { authenticationOf } from "../SimulatedIssuer.ts"
import * as SimulatedNetwork from "../SimulatedNetwork.ts"
import type { Simulator, SimulatorOptions } from "../Simulator.ts"
import { behaviourOf } from "../TestCards.ts"
import type { AdyenCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import * as SimulatedBook from "./SimulatedBook.ts"
import { type Account, modify, technicalCancel } from "./SimulatedModification.ts"
import * as SimulatedPages from "./SimulatedPages.ts"
import * as Payment from "./SimulatedPayment.ts"
import { answer, type Question, refuse, replay, serve } from "./SimulatedReply.ts"
import {
  type Fault,
  faultOfPayment,
  forbidden,
  invalid,
  textAt,
  unknownFieldOf,
  wantsAuthentication
} from "./SimulatedRequest.ts"

const apiUrl = "https://checkout-test.adyen.com/v71"

/** The one merchant account that the simulated Adyen knows; no address in it is a browser's. */
export const sandboxCredentials = (_pagesUrl: string): AdyenCredentials => ({
  apiKey: Redacted.make("AQEsandboxSarraf"),
  merchantAccount: "SarrafSandboxECOM",
  hmacKey: Redacted.make("5A17AF0000000000000000000000000000000000000000000000000000005A17"),
  apiUrl
})

/** Milliseconds after its answer that a notification is posted. */
const soonMillis = 200
/** The same, where the answer was lost: when the network's half minute of silence is over. */
const silenceIsOverMillis = 31_000

const tell = ({ notify, signer }: Account, payment: Payment.Payment, now: number) => {
  const isLost = behaviourOf(Payment.testNumberOf(payment)) === "takenAndLost"
  const delayMillis = isLost ? silenceIsOverMillis : soonMillis
  return notify(Answers.notification(Answers.authorisation(payment), signer, now, delayMillis))
}

const afterAuthorization = ({ network }: Account, payment: Payment.Payment) =>
  network.afterAuthorization({
    cardNumber: Payment.testNumberOf(payment),
    reference: payment.reference,
    amount: `${payment.value} ${payment.currency}`
  })

/** What the issuer makes of a new payment. */
const opened = (asked: Payment.Payment, { body }: Question, number: string): Payment.Payment => {
  if (!wantsAuthentication(body)) return Payment.decided(asked)
  const authentication = authenticationOf(number)
  if (authentication === "challenge") return Payment.challenged(asked, textAt(body, "returnUrl") ?? "")
  return Payment.decided(asked, authentication === "fails" ? Payment.unauthenticated : null)
}

const pay = Effect.fnUntraced(function* (account: Account, question: Question) {
  const { book, network, pagesUrl } = account
  const { body, key, now } = question
  const fault = faultOfPayment(body, now)
  if (fault !== undefined) return refuse(fault, question)
  const number = textAt(body, "paymentMethod", "number") ?? ""
  const asked = Payment.newPayment(body, `payment:${key ?? randomUUID()}`, number)
  const step = Effect.gen(function* () {
    const known = yield* book.find(asked.pspReference)
    if (known !== undefined) {
      yield* network.beforeFollowUp(known.reference)
      return replay(known, question)
    }
    const { currency, reference, value } = asked
    yield* network.beforeAuthorization({ cardNumber: number, reference, amount: `${value} ${currency}` })
    const payment = opened(asked, question, number)
    const { response, stored } = answer(
      payment,
      question,
      200,
      Answers.payment(payment, SimulatedPages.redirectUrlOf(pagesUrl, payment))
    )
    // Another process may have been quicker.
    if (!(yield* book.add(stored))) return replay(yield* book.find(asked.pspReference), question)
    if (payment.state !== "challenged") {
      yield* tell(account, payment, now)
      yield* afterAuthorization(account, payment)
    }
    return response
  })
  return yield* book.inTurn(asked.pspReference, step)
})

const verdicts = {
  authenticated: null,
  cancelled: Payment.cancelledByShopper,
  failed: Payment.unauthenticated
} as const

const completeAuthentication = Effect.fnUntraced(function* (account: Account, question: Question) {
  const { book, network } = account
  const { body, now } = question
  const wrong = invalid("14_018", "Invalid payload provided")
  const fault = unknownFieldOf("details", body)
  if (fault !== undefined) return refuse(fault, question)
  const redirectResult = textAt(body, "details", "redirectResult")
  const [pspReference = ""] = redirectResult?.split("!") ?? []
  const step = Effect.gen(function* () {
    const payment = yield* book.find(pspReference)
    const challenge = payment?.challenge ?? null
    if (payment === undefined || challenge === null) return refuse(wrong, question)
    if (challenge.redirectResult !== redirectResult || challenge.verdict === null) return refuse(wrong, question)
    yield* network.beforeFollowUp(payment.reference)
    if (question.key !== undefined && payment.calls[question.key] !== undefined) return replay(payment, question)
    // A result is used once.
    if (payment.state !== "challenged") return refuse(wrong, question)
    const after = Payment.decided(payment, verdicts[challenge.verdict])
    const { response, stored } = answer(after, question, 200, Answers.payment(after, ""))
    yield* book.save(stored)
    yield* tell(account, after, now)
    yield* afterAuthorization(account, after)
    return response
  })
  return yield* book.inTurn(pspReference, step)
})

const route = (account: Account, question: Question) => {
  const { path } = question
  if (path === "payments") return pay(account, question)
  if (path === "payments/details") return completeAuthentication(account, question)
  if (path === "cancels") return technicalCancel(account, question)
  const [, pspReference = "", kind] = /^payments\/(\w+)\/(captures|refunds|cancels)$/u.exec(path) ?? []
  return kind === "captures" || kind === "refunds" || kind === "cancels"
    ? modify(account, question, pspReference, kind)
    : undefined
}

const faultOfHeaders = ({ headers, method, url }: ProviderRequest, { apiKey }: AdyenCredentials): Fault | undefined => {
  if (!url.startsWith(`${apiUrl}/`) || method !== "POST")
    return forbidden(404, "000", "HTTP Status Response - Not Found")
  if (headers["x-api-key"] !== Redacted.value(apiKey)) {
    return forbidden(401, "000", "HTTP Status Response - Unauthorized")
  }
  const key = headers["idempotency-key"]
  if (key !== undefined && key.length > 64)
    return invalid("702", "The idempotency key is longer than 64 characters", 400)
  return headers["content-type"]?.startsWith("application/json")
    ? undefined
    : invalid("702", "Unexpected content type, expected: application/json", 400)
}

/**
 * `https://checkout-test.adyen.com/v71` and the shopper's pages: checks key, account and fields, keeps payments, repeats
 * the stored answer of an idempotency key, and posts signed webhooks, 0.2 seconds after the answer that they belong to and
 * 31 seconds after one that was lost. Captures, refunds and cancellations are only acknowledged, whatever comes of them.
 * A capture of an amount that ends in 13 is charged back 2 seconds later; a refund of one that ends in 77 is confirmed and
 * fails 2 seconds later. Nothing waits for settlement, as nothing does at Adyen. Source: provider sheet, sections 2 to 8;
 * error codes beyond the sheet's by Adyen's list.
 */
export const make = ({ notify, orderBook, pagesUrl, provider }: SimulatorOptions): Simulator => {
  const credentials = sandboxCredentials(pagesUrl)
  const book = SimulatedBook.make(provider, orderBook)
  const signer = { merchantAccount: credentials.merchantAccount, hmacKey: Redacted.value(credentials.hmacKey) }
  const account: Account = { book, network: SimulatedNetwork.make(provider, orderBook), notify, pagesUrl, signer }
  const running = new Set<string>()
  const handle = Effect.fnUntraced(function* (request: ProviderRequest) {
    if (request.url.startsWith(`${pagesUrl}/`)) return yield* SimulatedPages.handle(book, pagesUrl, request)
    const body = jsonOf(request.body)
    const question: Question = {
      path: request.url.slice(apiUrl.length + 1),
      key: request.headers["idempotency-key"],
      body: body ?? {},
      now: yield* Clock.currentTimeMillis
    }
    const fault =
      faultOfHeaders(request, credentials) ??
      (body === undefined ? invalid("702", "Unexpected input, expected: }", 400) : undefined)
    if (fault !== undefined) return refuse(fault, question)
    if (question.path !== "payments/details" && textAt(question.body, "merchantAccount") !== signer.merchantAccount) {
      return refuse(forbidden(403, "901", "Invalid Merchant Account"), question)
    }
    const step = route(account, question)
    if (step === undefined) return refuse(forbidden(404, "000", "HTTP Status Response - Not Found"), question)
    return yield* serve(running, question, step)
  })
  return { provider, handle }
}
