import { Effect, Option, Redacted } from "effect"
import { readJson } from "../AnswerDocument.ts"
import { type NoReply, noReplyOf, unanswered } from "../ProviderReply.ts"
import type { ProviderRequest, ProviderResponse, ProviderTransport } from "../ProviderTransport.ts"
import { accessTokens, type TokenReply } from "./AccessTokens.ts"
import type { NetworkInternationalCredentials } from "./Credentials.ts"
import { decodeError, type NGeniusError, type PaymentIds } from "./Messages.ts"

/** What came back, before anything is made of it. */
export type Reply =
  | NoReply
  /** Status 200 or 201 and a JSON document. */
  | { readonly _tag: "Answered"; readonly json: unknown }
  /** A refusal of the request itself, with a status that says for certain that nothing was done. */
  | { readonly _tag: "Failed"; readonly error: NGeniusError; readonly status: number; readonly json: unknown }

/** Provider sheet, section 5: the statuses with which nothing was processed. Every other one settles nothing. */
const definite: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422])

const read = ({ body, status }: ProviderResponse): Reply => {
  const document = readJson(body)
  if (Option.isNone(document)) return unanswered(`an unreadable answer with HTTP status ${status}`)
  const json = document.value
  if (status === 200 || status === 201) return { _tag: "Answered", json }
  const error = definite.has(status) ? decodeError(json) : Option.none()
  return Option.isSome(error)
    ? { _tag: "Failed", error: error.value, status, json }
    : unanswered(`an answer with HTTP status ${status} that settles nothing`)
}

const mediaType = "application/vnd.ni-payment.v2+json"

/** A request under the gateway's address: `/transactions/outlets/…`. */
interface Question {
  readonly method: "GET" | "POST" | "PUT"
  readonly path: string
  readonly body?: Uint8Array
}

/**
 * One outlet's way to the gateway. Every request carries the access token; one that is refused with status 401 was not
 * looked at, so that it is sent once more under a new token.
 */
export const connectionOf = (options: {
  readonly credentials: NetworkInternationalCredentials
  readonly transport: ProviderTransport["Service"]
}) => {
  const { outletReference, apiUrl = "https://api-gateway.ngenius-payments.com" } = options.credentials
  const tokens = accessTokens({ ...options, apiUrl })

  const send = ({ body, method, path }: Question, token: Redacted.Redacted<string>) => {
    const request: ProviderRequest = {
      provider: "network-international",
      method,
      url: `${apiUrl}${path}`,
      headers: {
        authorization: `Bearer ${Redacted.value(token)}`,
        accept: mediaType,
        ...(body === undefined ? {} : { "content-type": mediaType })
      },
      ...(body === undefined ? {} : { body })
    }
    return options.transport.send(request).pipe(
      Effect.map((response) => ({ reply: read(response), isTokenRefused: response.status === 401 })),
      Effect.catch((failure) => Effect.succeed({ reply: noReplyOf(failure), isTokenRefused: false }))
    )
  }

  const outletPath = `/transactions/outlets/${outletReference}`
  const orderPath = (orderReference: string) => `${outletPath}/orders/${orderReference}`
  const paymentPath = ({ orderReference, paymentId }: PaymentIds) =>
    `${orderPath(orderReference)}/payments/${paymentId}`

  /** The gateway does not know the key: as if it had refused the request itself. */
  const withoutToken = (reply: Exclude<TokenReply, { readonly _tag: "Token" }>): Reply =>
    reply._tag === "Failed" ? { ...reply, status: 401 } : reply

  return {
    outletReference,
    ordersPath: `${outletPath}/orders`,
    orderPath,
    paymentPath,
    ask: Effect.fnUntraced(function* (question: Question): Effect.fn.Return<Reply> {
      const first = yield* tokens.current
      if (first._tag !== "Token") return withoutToken(first)
      const answered = yield* send(question, first.token)
      if (!answered.isTokenRefused) return answered.reply
      const second = yield* tokens.after(first.token)
      return second._tag === "Token" ? (yield* send(question, second.token)).reply : withoutToken(second)
    }),
    /**
     * A link of an answer, as a path under the address that we were given: answers name other hosts too, internal ones
     * among them, and no card goes there (section 4). Undefined where it leads to anything but this payment.
     */
    pathOf: (href: string | undefined, ids: PaymentIds): string | undefined => {
      if (href === undefined || !URL.canParse(href)) return undefined
      const { pathname } = new URL(href)
      const start = pathname.indexOf(`${paymentPath(ids)}/`)
      return start < 0 ? undefined : pathname.slice(start)
    },
    /** Where a link of this payment is reached by a browser. */
    urlOf: (path: string): string => `${apiUrl}${path}`
  }
}
export type Connection = ReturnType<typeof connectionOf>
