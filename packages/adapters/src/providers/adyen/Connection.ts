import { Effect, Option, Redacted } from "effect"
import { readJson } from "../AnswerDocument.ts"
import { type NoReply, noReplyOf } from "../ProviderReply.ts"
import type { ProviderRequest, ProviderResponse, ProviderTransport } from "../ProviderTransport.ts"
import type { Ruling } from "../Ruling.ts"
import type { AdyenCredentials } from "./Credentials.ts"
import { type AdyenError, decodeError, encode } from "./Messages.ts"
import { errorRulingOf } from "./ResponseCodes.ts"

export interface Account {
  readonly credentials: AdyenCredentials
  readonly transport: ProviderTransport["Service"]
}

/** What came back, before anything is made of it. */
export type Reply =
  | NoReply
  /** The status of success and a JSON document. */
  | { readonly _tag: "Answered"; readonly json: unknown }
  /** An error that is certain to have moved nothing. */
  | { readonly _tag: "Failed"; readonly error: AdyenError; readonly ruling: Ruling; readonly json: unknown }

/** Milliseconds before a request is repeated whose key another one still holds; the sheet has no figure. */
const pauseMillis = 500

interface Received {
  readonly reply: Reply
  readonly repeatAfterMillis: number
}

const unanswered = (reason: string, repeatAfterMillis = 0): Received => ({
  reply: { _tag: "Unanswered", reason },
  repeatAfterMillis
})

const read = ({ body, headers, status }: ProviderResponse, success: number): Received => {
  const isTransient = headers["transient-error"] === "true"
  const document = readJson(body)
  if (Option.isNone(document)) return unanswered(`an unreadable answer with HTTP status ${status}`)
  const json = document.value
  if (status === success) return { reply: { _tag: "Answered", json }, repeatAfterMillis: 0 }
  const error = decodeError(json)
  if (Option.isNone(error)) return unanswered(`an unreadable error with HTTP status ${status}`)
  const ruling = isTransient ? undefined : errorRulingOf(error.value, status)
  return ruling === undefined
    ? unanswered(`an error with HTTP status ${status} that settles nothing`, isTransient ? pauseMillis : 0)
    : { reply: { _tag: "Failed", error: error.value, ruling, json }, repeatAfterMillis: 0 }
}

const exchange = (transport: ProviderTransport["Service"], request: ProviderRequest, success: number) =>
  transport.send(request).pipe(
    Effect.map((response) => read(response, success)),
    Effect.catch((failure) => Effect.succeed<Received>({ reply: noReplyOf(failure), repeatAfterMillis: 0 }))
  )

/**
 * Sends a request, and once more where its answer was lost: under the same key Adyen answers what the first one came to,
 * whether it had arrived or not (provider sheet, section 6). Only a success counts then: an error or a refused connection
 * may be the second request's alone.
 */
const exchangeTwice = Effect.fnUntraced(function* (
  transport: ProviderTransport["Service"],
  request: ProviderRequest,
  success: number
) {
  const first = yield* exchange(transport, request, success)
  if (first.reply._tag !== "Unanswered") return first.reply
  if (first.repeatAfterMillis > 0) yield* Effect.sleep(first.repeatAfterMillis)
  const second = yield* exchange(transport, request, success)
  return second.reply._tag === "Answered" ? second.reply : first.reply
})

/** Posts to one account; `success` is the only status that is an answer: 200 for payments, 201 for modifications. */
export const connectionOf = ({ credentials, transport }: Account) => ({
  credentials,
  /** `path` is relative to the API's address; `key` makes the request repeatable and has at most 64 characters. */
  post: (path: string, body: object, key: string, success: 200 | 201): Effect.Effect<Reply> =>
    exchangeTwice(
      transport,
      {
        provider: "adyen",
        method: "POST",
        url: `${credentials.apiUrl}/${path}`,
        headers: {
          accept: "application/json",
          "content-type": "application/json; charset=utf-8",
          "idempotency-key": key,
          "x-api-key": Redacted.value(credentials.apiKey)
        },
        body: encode(body)
      },
      success
    )
})
export type Connection = ReturnType<typeof connectionOf>
