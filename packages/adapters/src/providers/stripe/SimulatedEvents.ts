import { createHmac, randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { SimulatorOptions } from "../Simulator.ts"
import * as Answers from "./SimulatedAnswers.ts"
import { webhookSecret } from "./SimulatedExchange.ts"
import { type Intent, refundLater, refundMillis, type State } from "./SimulatedIntent.ts"

/** Milliseconds after an answer in which its event comes. */
const usualMillis = 200
/** Milliseconds after a capture in which its buyer's bank disputes it. */
const disputeMillis = 2_000

/** The events for which the account's endpoint is registered; Stripe has more, which say the same or nothing. */
const typeOfStatus: Readonly<Partial<Record<State["status"], string>>> = {
  requires_capture: "payment_intent.amount_capturable_updated",
  requires_payment_method: "payment_intent.payment_failed",
  succeeded: "payment_intent.succeeded",
  canceled: "payment_intent.canceled"
}

interface Happening {
  readonly type: string
  readonly object: object | undefined
  readonly delayMillis: number
}

/** When and by what a payment was changed. */
export interface Occasion {
  /** Milliseconds since 1970. */
  readonly nowMillis: number
  /** Null where it was the buyer. */
  readonly requestId: string | null
  readonly key: string | null
  /** In place of the usual delay. */
  readonly delayMillis?: number
}

const refundHappenings = (before: Intent, after: Intent): ReadonlyArray<Happening> =>
  after.refunds.slice(before.refunds.length).flatMap((refund, offset) => {
    const index = before.refunds.length + offset
    const created = { type: "refund.created", object: Answers.refundAt(after, index), delayMillis: usualMillis }
    if (refund.becomes === null) return [created]
    const later = { ...after, refunds: after.refunds.map((one) => (one === refund ? refundLater(one) : one)) }
    const type = refund.becomes.status === "failed" ? "refund.failed" : "charge.refund.updated"
    return [created, { type, object: Answers.refundAt(later, index), delayMillis: refundMillis }]
  })

const happenings = (before: Intent | undefined, after: Intent, occasion: Occasion, pagesUrl: string) => {
  const { received, status } = after.state
  // What is released with a new state is shown as a refund, and is none.
  if (before?.state.status === status) return refundHappenings(before, after)
  const type = typeOfStatus[status]
  if (type === undefined) return []
  const { delayMillis = usualMillis, nowMillis } = occasion
  const own: Happening = { type, object: Answers.paymentIntent(after, pagesUrl, false), delayMillis }
  const due = nowMillis + disputeMillis
  return status === "succeeded" && received % 100 === 13
    ? [
        own,
        {
          type: "charge.dispute.created",
          object: Answers.dispute(after, Math.floor(due / 1000)),
          delayMillis: disputeMillis
        }
      ]
    : [own]
}

const utf8 = new TextEncoder()

/** Posts what has become of a payment, each event signed at the time at which it is sent (provider sheet, section 3). */
export const postedBy =
  ({ notify, pagesUrl }: Pick<SimulatorOptions, "notify" | "pagesUrl">) =>
  (before: Intent | undefined, after: Intent, occasion: Occasion): Effect.Effect<void> =>
    Effect.forEach(
      happenings(before, after, occasion, pagesUrl),
      ({ delayMillis, object, type }) => {
        const seconds = Math.floor((occasion.nowMillis + delayMillis) / 1000)
        const text = JSON.stringify({
          id: `evt_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
          object: "event",
          api_version: "2022-11-15",
          created: seconds,
          data: { object },
          livemode: false,
          pending_webhooks: 1,
          request: { id: occasion.requestId, idempotency_key: occasion.key },
          type
        })
        const signature = createHmac("sha256", webhookSecret).update(`${seconds}.${text}`).digest("hex")
        return notify({
          headers: {
            "content-type": "application/json; charset=utf-8",
            "stripe-signature": `t=${seconds},v1=${signature}`,
            "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)"
          },
          body: utf8.encode(text),
          delayMillis
        })
      },
      { discard: true }
    )
