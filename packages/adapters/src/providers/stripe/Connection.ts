import { Effect, Option, Redacted } from "effect"
import { readJson } from "../AnswerDocument.ts"
import { type NoReply, noReplyOf } from "../ProviderReply.ts"
import type { ProviderRequest, ProviderResponse, ProviderTransport } from "../ProviderTransport.ts"
import type { StripeCredentials } from "./Credentials.ts"
import { apiVersion, decodeError, encodeForm, type Form, type StripeError } from "./Messages.ts"
import { isDefinite } from "./ResponseCodes.ts"

export interface Account {
  readonly credentials: StripeCredentials
  readonly transport: ProviderTransport["Service"]
  /** `https://api.stripe.com` unless told otherwise. */
  readonly baseUrl?: string
}

/** What came back, before anything is made of it. */
export type Reply =
  | NoReply
  /** Status 200 and a JSON document. */
  | { readonly _tag: "Answered"; readonly json: unknown; readonly requestId: string | undefined }
  /** An error that is certain to have moved nothing. */
  | {
      readonly _tag: "Failed"
      readonly error: StripeError
      readonly status: number
      readonly json: unknown
      readonly requestId: string | undefined
    }

/** Milliseconds before a request whose key another one still holds is repeated: the back-off of Stripe's own libraries. */
const pauseMillis = 500

/** Null where repeating would not help. */
interface Received {
  readonly reply: Reply
  readonly repeatAfterMillis: number | null
  /** The answer stands for the first request with its key, whichever that was. */
  readonly isAuthoritative: boolean
}

const unanswered = (reason: string, repeatAfterMillis: number | null): Received => ({
  reply: { _tag: "Unanswered", reason },
  repeatAfterMillis,
  isAuthoritative: false
})

const read = ({ body, headers, status }: ProviderResponse): Received => {
  const advice = headers["stripe-should-retry"]
  const pause = advice === "false" ? null : status === 409 ? pauseMillis : 0
  const requestId = headers["request-id"]
  const document = status >= 200 && status < 500 ? readJson(body) : Option.none()
  if (Option.isNone(document)) return unanswered(`an unreadable answer with HTTP status ${status}`, pause)
  const json = document.value
  if (status === 200) {
    return { reply: { _tag: "Answered", json, requestId }, repeatAfterMillis: null, isAuthoritative: true }
  }
  const error = decodeError(json)
  if (Option.isNone(error)) return unanswered(`an unreadable error with HTTP status ${status}`, pause)
  if (!isDefinite(error.value, status)) {
    const isTaken = error.value.type === "idempotency_error" && status !== 409
    return unanswered(`an error with HTTP status ${status} that settles nothing`, isTaken ? null : pause)
  }
  const reply: Reply = { _tag: "Failed", error: error.value, status, json, requestId }
  const isAuthoritative = status === 402 || headers["idempotent-replayed"] === "true"
  return { reply, repeatAfterMillis: null, isAuthoritative }
}

const exchange = (transport: ProviderTransport["Service"], request: ProviderRequest): Effect.Effect<Received> =>
  transport.send(request).pipe(
    Effect.map(read),
    Effect.catch((failure) =>
      Effect.succeed<Received>({ reply: noReplyOf(failure), repeatAfterMillis: 0, isAuthoritative: false })
    )
  )

/**
 * Sends a request, and once more where its answer was lost: under the same key Stripe answers what the first request
 * came to, whether it had arrived or not (provider sheet, section 6). A refusal that the first may not have met with,
 * such as a rate limit, and a connection that is refused now, leave the first one's outcome unknown.
 */
const exchangeTwice = Effect.fnUntraced(function* (transport: ProviderTransport["Service"], request: ProviderRequest) {
  const first = yield* exchange(transport, request)
  if (first.reply._tag !== "Unanswered" || first.repeatAfterMillis === null) return first.reply
  if (first.repeatAfterMillis > 0) yield* Effect.sleep(first.repeatAfterMillis)
  const second = yield* exchange(transport, request)
  return second.isAuthoritative ? second.reply : first.reply
})

const utf8 = new TextEncoder()

/** The two kinds of request to one account; what stays the same for all of them is made once. */
export const connectionOf = ({ baseUrl = "https://api.stripe.com", credentials, transport }: Account) => {
  const common = {
    authorization: `Bearer ${Redacted.value(credentials.secretKey)}`,
    "stripe-version": apiVersion,
    accept: "application/json",
    ...(credentials.accountId === undefined ? {} : { "stripe-account": credentials.accountId })
  }
  const provider = "stripe"
  return {
    /** `GET /v1/…`; asked once, since whoever asks will ask again. */
    get: (path: string): Effect.Effect<Reply> =>
      Effect.map(
        exchange(transport, { provider, method: "GET", url: `${baseUrl}/v1/${path}`, headers: common }),
        ({ reply }) => reply
      ),
    /** `POST /v1/…` under an idempotency key; `requestId` is for the logs and no part of what the key stands for. */
    post: (path: string, form: Form, key: string, requestId: string): Effect.Effect<Reply> =>
      exchangeTwice(transport, {
        provider,
        method: "POST",
        url: `${baseUrl}/v1/${path}`,
        headers: {
          ...common,
          "content-type": "application/x-www-form-urlencoded",
          "idempotency-key": key,
          "x-request-id": requestId
        },
        body: utf8.encode(encodeForm(form))
      })
  }
}
export type Connection = ReturnType<typeof connectionOf>
