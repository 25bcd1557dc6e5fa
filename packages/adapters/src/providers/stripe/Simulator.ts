import { hash, randomBytes, randomUUID } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import type { OrderBook } from "../OrderBook.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import type { Simulator } from "../Simulator.ts"
import { behaviourOf } from "../TestCards.ts"
import type { StripeCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import * as Intent from "./SimulatedIntent.ts"
import {
  amountOf,
  brandOf,
  type Endpoint,
  type Fault,
  type Fields,
  faultOfPayment,
  fieldsOf,
  invalid,
  metadataOf,
  unknownFieldOf,
  wantsCharge
} from "./SimulatedRequest.ts"

/** The one account that the simulated Stripe knows. */
export const sandboxCredentials: StripeCredentials = { secretKey: Redacted.make("sk_test_sarrafsandbox") }

const provider = "stripe"
const utf8 = new TextEncoder()
const text = new TextDecoder()

interface Question {
  readonly requestId: string
  /** Seconds since 1970. */
  readonly now: number
  readonly headers: Readonly<Record<string, string>>
  /** `payment_intents/pi_1/capture`. */
  readonly path: string
  readonly fields: Fields
}

const answer = (
  { headers, requestId }: Question,
  status: number,
  json: object,
  more: Readonly<Record<string, string>> = {}
): ProviderResponse => ({
  status,
  headers: {
    "content-type": "application/json",
    "request-id": requestId,
    ...(headers["stripe-version"] === undefined ? {} : { "stripe-version": headers["stripe-version"] }),
    ...(headers["idempotency-key"] === undefined ? {} : { "idempotency-key": headers["idempotency-key"] }),
    ...more
  },
  body: utf8.encode(JSON.stringify(json))
})

const refuse = (question: Question, fault: Fault): ProviderResponse =>
  answer(question, fault.status, Answers.failure(fault))

const secret = Redacted.value(sandboxCredentials.secretKey)
const accepted: ReadonlySet<string> = new Set([`Bearer ${secret}`, `Basic ${btoa(`${secret}:`)}`])

const faultOfHeaders = ({ headers, method }: ProviderRequest): Fault | undefined => {
  const { authorization = "" } = headers
  if (!accepted.has(authorization)) return invalid("Invalid API Key provided: sk_test_***", undefined, undefined, 401)
  if (!/^\d{4}-\d{2}-\d{2}(?:\.\w+)?$/u.test(headers["stripe-version"] ?? "2022-11-15")) {
    return invalid("Invalid Stripe API version.")
  }
  if ((headers["idempotency-key"] ?? "").length > 255) return invalid("Idempotency keys have at most 255 characters.")
  const type = headers["content-type"] ?? ""
  return method === "POST" && !type.startsWith("application/x-www-form-urlencoded")
    ? invalid("Requests must be application/x-www-form-urlencoded.")
    : undefined
}

/** Twenty-four letters and digits after the prefix. */
const identifier = (digest: string): string => `pi_3${digest.replace(/[-_]/gu, "0").slice(0, 23)}`
const idOfKey = (key: string | undefined): string =>
  identifier(key === undefined ? randomBytes(24).toString("base64url") : hash("sha256", key, "base64url"))

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

/** The answer that a call came to, also when it is asked for again. */
const answerOfCall = (
  question: Question,
  intent: Intent.Intent,
  call: Intent.Call,
  more?: Readonly<Record<string, string>>
): ProviderResponse => {
  const then = { ...intent, state: call.state, refunds: intent.refunds.slice(0, call.refundCount) }
  if (call.fault !== null) return answer(question, call.fault.status, Answers.failure(call.fault, then), more)
  const json = question.path === "refunds" ? Answers.refundAt(then, call.refundCount - 1) : undefined
  return answer(question, 200, json ?? Answers.paymentIntent(then, wantsCharge(question.fields)), more)
}

/**
 * `https://api.stripe.com/v1`: checks key and fields, keeps payments, and repeats the stored answer of an idempotency
 * key, which serves for one payment and what is done to it. Source: provider sheet, sections 2 to 8; that a cancellation
 * and a capture in part are shown as refunds by the sheet's recording of a void. Refunds need no settlement, and the
 * search finds at once what Stripe's finds after about a minute.
 */
export const make = ({ orderBook }: { readonly orderBook: OrderBook }): Simulator => {
  const running = new Set<string>()

  const find = (id: string): Effect.Effect<Intent.Intent | undefined> =>
    Effect.map(orderBook.find(provider, id), (found) => (found === undefined ? undefined : Intent.intentOf(found)))
  const save = (intent: Intent.Intent): Effect.Effect<void> => orderBook.save(provider, intent.id, intent)

  /** One request at a time for each payment. */
  const alone = (id: string, question: Question, busy: Fault, step: Effect.Effect<ProviderResponse>) => {
    let isMine = false
    const start = Effect.suspend(() => {
      if (running.has(id)) return Effect.succeed(refuse(question, busy))
      running.add(id)
      isMine = true
      return step
    })
    return Effect.ensuring(
      start,
      Effect.sync(() => isMine && running.delete(id))
    )
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

  const execute = Effect.fnUntraced(function* (question: Question, before: Intent.Intent, change: Intent.Change) {
    const { after, call } = recorded(question, change)
    if (after !== before) yield* save(after)
    return answerOfCall(question, after, call)
  })

  const replay = (question: Question, intent: Intent.Intent): ProviderResponse | undefined => {
    const key = question.headers["idempotency-key"]
    const call = key !== undefined && Object.hasOwn(intent.calls, key) ? intent.calls[key] : undefined
    if (call === undefined) return undefined
    if (call.digest !== digestOf(question)) return refuse(question, reused)
    return answerOfCall(question, intent, call, { "idempotent-replayed": "true", "original-request": call.requestId })
  }

  /** The index by our reference is needed where the payment's own identifier does not follow from it. */
  const index = Effect.fnUntraced(function* ({ id, metadata }: Intent.Intent) {
    const { order_id } = metadata
    if (order_id === undefined || idOfKey(order_id) === id) return
    const key = `order_id:${order_id}`
    const ids = yield* orderBook.find(provider, key)
    yield* orderBook.save(provider, key, [...(Array.isArray(ids) ? ids : []), id])
  })

  const create = (question: Question): Effect.Effect<ProviderResponse> => {
    const fault = faultOfPayment(question.fields, question.now * 1000)
    if (fault !== undefined) return Effect.succeed(refuse(question, fault))
    const id = idOfKey(question.headers["idempotency-key"])
    const step = Effect.gen(function* () {
      const intent = newIntent(id, question)
      const isConfirmed = question.fields.get("confirm") === "true"
      const { after, call } = recorded(question, isConfirmed ? Intent.confirmed(intent) : { intent, fault: null })
      if (yield* orderBook.add(provider, id, after)) {
        yield* index(intent)
        return answerOfCall(question, after, call)
      }
      const found = yield* find(id)
      return (found === undefined ? undefined : replay(question, found)) ?? refuse(question, reused)
    })
    return alone(id, question, inUse, step)
  }

  const change = (question: Question, id: string, apply: (intent: Intent.Intent) => Intent.Change) => {
    const step = Effect.gen(function* () {
      const found = yield* find(id)
      if (found === undefined) return refuse(question, missing(id))
      const repeated = replay(question, found)
      if (repeated !== undefined) return repeated
      return yield* execute(question, found, apply(Intent.atPresent(found, question.now)))
    })
    return alone(id, question, locked, step)
  }

  const refund = (question: Question): Effect.Effect<ProviderResponse> => {
    const { fields, now } = question
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
    return change(question, id, (intent) => Intent.refunded(intent, amount, details))
  }

  const capture = (question: Question, id: string): Effect.Effect<ProviderResponse> => {
    const amount = amountOf(question.fields, "amount_to_capture")
    const name = amount === undefined ? "amount_to_capture" : "final_capture"
    return amount === undefined || question.fields.get("final_capture") === "false"
      ? Effect.succeed(refuse(question, invalid(`Invalid value: ${name}`, "parameter_invalid_integer", name)))
      : change(question, id, (intent) => Intent.captured(intent, amount, question.now))
  }

  const cancel = (question: Question, id: string): Effect.Effect<ProviderResponse> => {
    const reason = question.fields.get("cancellation_reason") ?? null
    const reasons = ["duplicate", "fraudulent", "requested_by_customer", "abandoned", null]
    return reasons.includes(reason)
      ? change(question, id, (intent) => Intent.canceled(intent, reason, question.now))
      : Effect.succeed(refuse(question, invalid("Invalid cancellation_reason.", undefined, "cancellation_reason")))
  }

  const post = (question: Question): Effect.Effect<ProviderResponse> | undefined => {
    const { path } = question
    const checked = (endpoint: Endpoint, step: () => Effect.Effect<ProviderResponse>) => {
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
    const ids = yield* orderBook.find(provider, `order_id:${orderId}`)
    const intents = yield* Effect.forEach([idOfKey(orderId), ...(Array.isArray(ids) ? ids : [])], (id) => find(`${id}`))
    const found = intents.filter((intent) => intent?.metadata.order_id === orderId)
    const present = found.flatMap((intent) => (intent === undefined ? [] : [Intent.atPresent(intent, question.now)]))
    return answer(question, 200, Answers.searchResult(present))
  })

  const tell = (question: Question, id: string, jsonOf: (intent: Intent.Intent) => object | undefined) =>
    Effect.map(find(id), (found) => {
      const json = found === undefined ? undefined : jsonOf(Intent.atPresent(found, question.now))
      return json === undefined ? refuse(question, missing(id)) : answer(question, 200, json)
    })

  const get = (question: Question): Effect.Effect<ProviderResponse> | undefined => {
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
      : tell(question, id, (intent) => Answers.paymentIntent(intent, wantsCharge(fields)))
  }

  const handle = Effect.fnUntraced(function* (request: ProviderRequest) {
    const { pathname, search: query } = new URL(request.url)
    const fields = fieldsOf(request.method === "GET" ? query.slice(1) : text.decode(request.body))
    const question: Question = {
      requestId: `req_${randomUUID().replaceAll("-", "").slice(-14)}`,
      now: Math.floor((yield* Clock.currentTimeMillis) / 1000),
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
