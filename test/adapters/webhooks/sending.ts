import { assert } from "@effect/vitest"
import * as HttpWebhookSender from "@sarraf/adapters/webhooks/HttpWebhookSender"
import { type WebhookMessage, WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Effect } from "effect"
import { messageTo } from "./receivers.ts"

/** TEST mode: receivers on loopback. */
export const reach = { livemode: false, allowPrivate: false }
export const sender = HttpWebhookSender.layer(reach)
/** The outcomes of messages sent one after the other. */
export const sending = (...messages: ReadonlyArray<WebhookMessage>) =>
  Effect.flatMap(WebhookSender, ({ send }) => Effect.forEach(messages, send)).pipe(
    Effect.provide(sender),
    Effect.map(([first, ...rest]) => [first ?? assert.fail("nothing was sent"), ...rest] as const)
  )
/** Status or error, and what was kept of the answer. */
export const outcomeOf = (url: string) =>
  Effect.map(sending(messageTo(url)), ([{ answer, error, status }]) => [error ?? status, answer])
