import { hash, randomUUID } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import type { ConnectFailed, NoAnswer, ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import { authenticationOf } from "../SimulatedIssuer.ts"
import * as SimulatedNetwork from "../SimulatedNetwork.ts"
import type { Simulator, SimulatorOptions } from "../Simulator.ts"
import { behaviourOf } from "../TestCards.ts"
import type { StripeCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import { bookOf, idOfKey, referenceOf } from "./SimulatedBook.ts"
import { postedBy } from "./SimulatedEvents.ts"
import { answer, faultOfHeaders, type Question, refuse, secretKey, webhookSecret } from "./SimulatedExchange.ts"
import * as Intent from "./SimulatedIntent.ts"
import { pagesOf } from "./SimulatedPages.ts"
import {
  amountOf,
  brandOf,
  type Endpoint,
  type Fault,
  faultOfPayment,
  fieldsOf,
  invalid,
  metadataOf,
  unknownFieldOf,
  wantsCharge
} from "./SimulatedRequest.ts"

/** The simulated account. No address of its pages is part of it: Stripe's answers carry that. */
export const sandboxCredentials: (pagesUrl: string) => StripeCredentials = () => ({
  secretKey: Redacted.make(secretKey),
  webhookSecret: Redacted.make(webhookSecret)
})

const provider = "stripe"
const text = new TextDecoder()

/** Milliseconds in which the event of a payment comes whose answer was lost: after questions are answered again. */
const lostMillis = 31_000

type Step = Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>

/** Of a card's number only the last four, and of its security code nothing, is in the digest. */
const digestOf = ({ fields, path }: Question): string => {
  const kept: Array<readonly [string, string]> = []
  for (const [name, value] of fields) {
    if (!name.endsWith("[cvc]")) kept.push([name, name.endsWith("[number]") ? value.slice(-4) : value])
  }
  return hash("sha256", JSON.stringify([path, kept.sort(([one], [other]) => (one < other ? -1 : 1))]), "base64url")
}

const newIntent = (id: string, { fields, now }: Question): Intent.Intent => {
  const card = (name: string) => fields.get(`payment_method_data[card][${name}]`) ?? ""
  const number = card("number")
  const brand = brandOf(number)
  return {
    id,
    created: now,
    amount: Number(fields.get("amount")),
    currency: (fields.get("currency") ?? "").toLowerCase(),
    captureMethod: fields.get("capture_method") === "manual" ? "manual" : "automatic",
    description: fields.get("description") ?? null,
    metadata: metadataOf(fields),
    returnUrl: fields.get("return_url") ?? null,
    requestThreeDSecure: fields.get("payment_method_options[card][request_three_d_secure]") ?? "automatic",
    card: {
      brand,
      last4: number.slice(-4),
      exp_month: Number(card("exp_month")),
      exp_year: Number(card("exp_year"))
    },
    decline: Intent.declineOf(behaviourOf(number), brand, number),
    issuer: authenticationOf(number),
    tries: 0,
    refundBecomes: Intent.refundBecomesOf(number),
    state: Intent.fresh,
    refunds: [],
    calls: {}
  }
}

const inUse: Fault = {
  status: 409,
  type: "idempotency_error",
  code: "idempotency_key_in_use",
  message: "There is currently another in-progress request using this Idempotency-Key."
}
const locked = invalid("This object is being accessed by another request.", "lock_timeout", undefined, 429)
const reused: Fault = {
  status: 400,
  type: "idempotency_error",
  message: "Keys for idempotent requests can only be used with the same parameters they were first used with."
}
const missing = (id: string): Fault => invalid(`No such payment_intent: '${id}'`, "resource_missing", "intent", 404)

/**
 * `https://api.stripe.com/v1`: checks key and fields, keeps payments, and repeats the stored answer of an idempotency
 * key, which serves for one payment and what is done to it. Source: provider sheet, sections 2 to 8; that a cancellation
 * and a capture in part are shown as refunds by the sheet's recording of a void. Refunds need no settlement, and the
 * search finds at once what Stripe's finds after about a minute.
 *
 * Where 3-D Secure is asked for, the issuer's page is below `pagesUrl`. What has become of a payment is posted as signed
 * events. A capture of an amount that ends in 13 is disputed two seconds later; a refund of one that ends in 77, and any
 * to 4000000000005126, is done at first and comes back two seconds later; to 4000000000007726 refunds are pending that
 * long.
 */
export const make = (options: SimulatorOptions): Simulator => {
  const { orderBook, pagesUrl } = options
  const book = bookOf(orderBook)
  const network = SimulatedNetwork.make(provider, orderBook)
  const tellShop = postedBy(options)

  /** The answer that a call came to, also when it is asked for again. */
  const answerOfCall = (
    question: Question,
    intent: Intent.Intent,
    call: Intent.Call,
    more?: Readonly<Record<string, string>>
  ): ProviderResponse => {
    const refunds = intent.refunds.slice(0, call.refundCount)
    const then = { ...intent, state: call.state, refunds }
    if (call.fault !== null) {
      return answer(question, call.fault.status, Answers.failure(call.fault, { intent: then, pagesUrl }), more)
    }
    const first = { ...then, refunds: refunds.map((refund) => ({ ...refund, status: refund.first })) }
    const json = question.path === "refunds" ? Answers.refundAt(first, call.refundCount - 1) : undefined
    return answer(question, 200, json ?? Answers.paymentIntent(then, pagesUrl, wantsCharge(question.fields)), more)
  }

  /** A payment's new state with the answer that its key stands for: neither is ever there alone. */
  const recorded = (question: Question, { fault, intent }: Intent.Change) => {
    const key = question.headers["idempotency-key"]
    const { requestId } = question
    const refundCount = intent.refunds.length
    const call: Intent.Call = { digest: digestOf(question), requestId, state: intent.state, refundCount, fault }
    const after = key === undefined ? intent : { ...intent, calls: { ...intent.calls, [key]: call } }
    return { after, call }
  }

  const posted = (
    question: Question,
    before: Intent.Intent | undefined,
    after: Intent.Intent,
    delay: { readonly delayMillis?: number } = {}
  ) => {
    const { headers, nowMillis, requestId } = question
    return tellShop(before, after, { nowMillis, requestId, key: headers["idempotency-key"] ?? null, ...delay })
  }

  const execute = Effect.fnUntraced(function* (question: Question, before: Intent.Intent, change: Intent.Change) {
    const { after, call } = recorded(question, change)
    if (after !== before) {
      yield* book.save(after)
      yield* posted(question, before, after)
    }
    return answerOfCall(question, after, call)
  })

  const replay = (question: Question, intent: Intent.Intent): ProviderResponse | undefined => {
    const key = question.headers["idempotency-key"]
    const call = key !== undefined && Object.hasOwn(intent.calls, key) ? intent.calls[key] : undefined
    if (call === undefined) return undefined
    if (call.digest !== digestOf(question)) return refuse(question, reused)
    return answerOfCall(question, intent, call, { "idempotent-replayed": "true", "original-request": call.requestId })
  }

  const create = (question: Question): Step => {
    const { fields, nowMillis } = question
    const fault = faultOfPayment(fields, nowMillis)
    if (fault !== undefined) return Effect.succeed(refuse(question, fault))
    const id = idOfKey(question.headers["idempotency-key"])
    const intent = newIntent(id, question)
    const cardNumber = fields.get("payment_method_data[card][number]") ?? ""
    const amount = `${intent.amount} ${intent.currency.toUpperCase()}`
    const authorization = { cardNumber, reference: referenceOf(intent), amount }
    const step = Effect.gen(function* () {
      const isConfirmed = fields.get("confirm") === "true"
      const { after, call } = recorded(question, isConfirmed ? Intent.confirmed(intent) : { intent, fault: null })
      if (yield* book.add(after)) {
        yield* book.index(intent)
        const isLost = behaviourOf(cardNumber) === "takenAndLost"
        yield* posted(question, undefined, after, isLost ? { delayMillis: lostMillis } : {})
        yield* network.afterAuthorization(authorization)
        return answerOfCall(question, after, call)
      }
      yield* network.beforeFollowUp(authorization.reference)
      const found = yield* book.find(id)
      return (found === undefined ? undefined : replay(question, found)) ?? refuse(question, reused)
    })
    return Effect.andThen(network.beforeAuthorization(authorization), book.alone(id, refuse(question, inUse), step))
  }

  const change = (question: Question, id: string, apply: (intent: Intent.Intent) => Intent.Change): Step => {
    const step = Effect.gen(function* () {
      const found = yield* book.find(id)
      if (found === undefined) return refuse(question, missing(id))
      yield* network.beforeFollowUp(referenceOf(found))
      const repeated = replay(question, found)
      if (repeated !== undefined) return repeated
      return yield* execute(question, found, apply(Intent.atPresent(found, question.nowMillis)))
    })
    return book.alone(id, refuse(question, locked), step)
  }

  const refund = (question: Question): Step => {
    const { fields, now, nowMillis } = question
    const id = fields.get("payment_intent")
    const amount = amountOf(fields, "amount")
    if (id === undefined) {
      const message = "One of the following params should be provided for this request: payment_intent or charge."
      return Effect.succeed(refuse(question, invalid(message, "parameter_missing")))
    }
    if (amount === undefined) {
      return Effect.succeed(refuse(question, invalid("Invalid integer: amount", "parameter_invalid_integer", "amount")))
    }
    const details = { created: now, reason: fields.get("reason") ?? null, metadata: metadataOf(fields) }
    return change(question, id, (intent) => Intent.refunded(intent, amount, details, nowMillis))
  }

  const capture = (question: Question, id: string): Step => {
    const amount = amountOf(question.fields, "amount_to_capture")
    const name = amount === undefined ? "amount_to_capture" : "final_capture"
    return amount === undefined || question.fields.get("final_capture") === "false"
      ? Effect.succeed(refuse(question, invalid(`Invalid value: ${name}`, "parameter_invalid_integer", name)))
      : change(question, id, (intent) => Intent.captured(intent, amount, question.now))
  }

  const cancel = (question: Question, id: string): Step => {
    const reason = question.fields.get("cancellation_reason") ?? null
    const reasons = ["duplicate", "fraudulent", "requested_by_customer", "abandoned", null]
    return reasons.includes(reason)
      ? change(question, id, (intent) => Intent.canceled(intent, reason, question.now))
      : Effect.succeed(refuse(question, invalid("Invalid cancellation_reason.", undefined, "cancellation_reason")))
  }

  const post = (question: Question): Step | undefined => {
    const { path } = question
    const checked = (endpoint: Endpoint, step: () => Step) => {
      const fault = unknownFieldOf(endpoint, question.fields)
      return fault === undefined ? step() : Effect.succeed(refuse(question, fault))
    }
    if (path === "payment_intents") return checked("create", () => create(question))
    if (path === "refunds") return checked("refund", () => refund(question))
    const [, id = "", step] = /^payment_intents\/(pi_\w+)\/(capture|cancel|confirm)$/u.exec(path) ?? []
    if (step === "capture") return checked("capture", () => capture(question, id))
    if (step === "cancel") return checked("cancel", () => cancel(question, id))
    return step === "confirm" ? checked("confirm", () => change(question, id, Intent.confirmed)) : undefined
  }

  const search = Effect.fnUntraced(function* (question: Question) {
    const match = /^metadata\['order_id'\]:'([^']+)'$/u.exec(question.fields.get("query") ?? "")
    const orderId = match?.[1]
    if (orderId === undefined) return refuse(question, invalid("The search query is not valid.", undefined, "query"))
    yield* network.beforeFollowUp(orderId)
    const found = yield* book.withReference(orderId)
    const present = found.map((intent) => Intent.atPresent(intent, question.nowMillis))
    return answer(question, 200, Answers.searchResult(present, pagesUrl))
  })

  const tell = Effect.fnUntraced(function* (
    question: Question,
    id: string,
    jsonOf: (intent: Intent.Intent) => object | undefined
  ) {
    const found = yield* book.find(id)
    if (found === undefined) return refuse(question, missing(id))
    yield* network.beforeFollowUp(referenceOf(found))
    const json = jsonOf(Intent.atPresent(found, question.nowMillis))
    return json === undefined ? refuse(question, missing(id)) : answer(question, 200, json)
  })

  const get = (question: Question): Step | undefined => {
    const { fields, path } = question
    if (path === "payment_intents/search") return search(question)
    if (path === "refunds") {
      const limit = amountOf(fields, "limit") ?? 10
      return tell(question, fields.get("payment_intent") ?? "", (intent) => Answers.refundList(intent, limit))
    }
    const refundOf = path.startsWith("refunds/") ? Answers.paymentOfRefund(path.slice("refunds/".length)) : undefined
    if (refundOf !== undefined) return tell(question, refundOf.id, (intent) => Answers.refundAt(intent, refundOf.index))
    const id = /^payment_intents\/(pi_\w+)$/u.exec(path)?.[1]
    return id === undefined
      ? undefined
      : tell(question, id, (intent) => Answers.paymentIntent(intent, pagesUrl, wantsCharge(fields)))
  }

  const pages = pagesOf(pagesUrl, book, tellShop)

  const handle = Effect.fnUntraced(function* (request: ProviderRequest) {
    if (request.url.startsWith(`${pagesUrl}/`)) return yield* pages(request)
    const { pathname, search: query } = new URL(request.url)
    const fields = fieldsOf(request.method === "GET" ? query.slice(1) : text.decode(request.body))
    const nowMillis = yield* Clock.currentTimeMillis
    const question: Question = {
      requestId: `req_${randomUUID().replaceAll("-", "").slice(-14)}`,
      nowMillis,
      now: Math.floor(nowMillis / 1000),
      headers: request.headers,
      path: pathname.replace(/^\/v1\//u, ""),
      fields: fields ?? new Map()
    }
    const fault = faultOfHeaders(request) ?? (fields === undefined ? invalid("Invalid request body.") : undefined)
    if (fault !== undefined) return refuse(question, fault)
    const url = `Unrecognized request URL (${request.method}: ${pathname}).`
    const step = request.method === "GET" ? get(question) : post(question)
    return yield* step ?? Effect.succeed(refuse(question, invalid(url, undefined, undefined, 404)))
  })
  return { provider, handle }
}
