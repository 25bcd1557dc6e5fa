import type { Instant } from "@sarraf/domain/time/Instant"
import { isReserved } from "@sarraf/domain/webhooks/WebhookHeaders"
import { type SendOutcome, type WebhookMessage, WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Clock, Effect, Layer, Redacted } from "effect"
import type { Reach } from "./AddressGuard.ts"
import { makeConnections } from "./Connections.ts"
import { type Answer, type Posted, post } from "./Exchange.ts"
import { type Network, systemNetwork } from "./Network.ts"
import { retryAfter } from "./RetryAfter.ts"
import { deadlineMillis, noAnswer, SendFailure } from "./SendFailure.ts"
import { signatureHeaders } from "./Signatures.ts"
import { urlRefusal } from "./UrlGuard.ts"

const userAgent = "Sarraf-Webhooks/1"

/** Ours win over the endpoint's, whatever their case, and an endpoint never sets what frames or signs a message. */
const headersOf = ({ body, headers, id, secrets }: WebhookMessage, at: Instant): Readonly<Record<string, string>> => {
  const ours = {
    "content-type": "application/json",
    "user-agent": userAgent,
    ...signatureHeaders({ at, body, id, secrets })
  }
  const theirs = Object.entries(headers).flatMap(([name, value]): ReadonlyArray<[string, string]> => {
    const lower = name.toLowerCase()
    return isReserved(lower) || Object.hasOwn(ours, lower) ? [] : [[name, Redacted.value(value)]]
  })
  return { ...Object.fromEntries(theirs), ...ours }
}

const postedOf = (message: WebhookMessage, at: Instant): Posted => {
  const { origin, pathname, search } = new URL(message.url)
  return { origin, path: pathname + search, headers: headersOf(message, at), body: message.body }
}

/** A character that is cut off at the end is left out, others that are none become U+FFFD. */
const textOf = ({ head, isCut }: Answer): string =>
  new TextDecoder().decode(head, { stream: isCut }).replaceAll("\0", "")

const unanswered = (reason: string) => ({ status: null, error: reason, answer: null, retryAfter: null })

const answered = (answer: Answer, at: Instant) => ({
  status: answer.status,
  error: null,
  answer: textOf(answer),
  retryAfter: retryAfter([answer.headers["retry-after"] ?? []].flat()[0], at)
})

/** The layer on another network than the machine's. */
export const layerOn = (network: Network, reach: Reach) =>
  Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const connections = yield* Effect.acquireRelease(
        Effect.sync(() => makeConnections(network, reach)),
        // Nobody is left who waits for an answer.
        ({ closeAll }) => Effect.sync(closeAll)
      )

      const exchange = (message: WebhookMessage, at: Instant) =>
        Effect.tryPromise({
          try: (signal) => post(connections, postedOf(message, at), signal),
          catch: (error) => (error instanceof SendFailure ? error : new SendFailure("The message could not be sent"))
        }).pipe(
          Effect.timeoutOrElse({ duration: deadlineMillis, orElse: () => Effect.fail(new SendFailure(noAnswer)) }),
          Effect.flatMap((answer) => Effect.map(Clock.currentTimeMillis, (now) => answered(answer, now))),
          Effect.catch(({ message: reason }) => Effect.succeed(unanswered(reason)))
        )

      const send = Effect.fn("HttpWebhookSender.send")(function* (message: WebhookMessage) {
        const at = yield* Clock.currentTimeMillis
        const refusal = urlRefusal(message.url, reach)
        const result = refusal === undefined ? yield* exchange(message, at) : unanswered(refusal)
        const durationMillis = Math.max(0, (yield* Clock.currentTimeMillis) - at)
        return { at, durationMillis, ...result } satisfies SendOutcome
      })

      return WebhookSender.of({ send, refusalOf: (url) => urlRefusal(url, reach) })
    })
  )

/**
 * Hands messages to receivers over HTTP/1.1, signed, one POST each (contract section 7): public addresses alone, judged
 * when they are connected to; 10 s from the name to the answer; redirects not followed; of an answer 2 KiB are read; no
 * proxy of the environment is used. A send that is interrupted closes its connection.
 */
export const layer = (reach: Reach) => layerOn(systemNetwork(reach), reach)
