import { Context, type Effect, type Redacted } from "effect"
import type { Instant } from "../time/Instant.ts"
import type { EndpointSecrets } from "./WebhookEndpoint.ts"

/** What is handed to a receiver. */
export interface WebhookMessage {
  readonly url: string
  /** The event's id, `evt_…`: the same at each attempt, so that receivers know repeats. */
  readonly id: string
  /** The payload's exact text. */
  readonly body: string
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly secrets: EndpointSecrets
}

/** What the receiver, or the way to it, said. */
export interface SendOutcome {
  readonly at: Instant
  readonly durationMillis: number
  /** Null where there was no answer: then `error` says why in a sentence. */
  readonly status: number | null
  readonly error: string | null
  /** The first 2 KiB of the answer as text, without U+0000. */
  readonly answer: string | null
  /** Until when the receiver asked for patience (`Retry-After` of RFC 9110, seconds or date), else null. */
  readonly retryAfter: Instant | null
}

/** Driven port: signs a message and sends it once, to public addresses alone; never fails, takes 10 s at most. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    send(message: WebhookMessage): Effect.Effect<SendOutcome>
    /** Why a URL can never be sent to, a sentence, as far as its text tells it; undefined where it may be. */
    refusalOf(url: string): string | undefined
  }
>()("@sarraf/domain/webhooks/WebhookSender") {}
