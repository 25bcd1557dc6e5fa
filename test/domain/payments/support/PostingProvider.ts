import type {
  InboundMessage,
  NotificationReading,
  NotifiedItem,
  NotifiedWord
} from "@sarraf/domain/payments/Notification"
import { Accepted, noAnswer, type Outcome } from "@sarraf/domain/payments/Outcome"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Script } from "./ScriptedProvider.ts"
import { openTalking, type Says } from "./TalkingProvider.ts"

const acknowledgement = { contentType: "text/plain", body: "[accepted]" }

/** A provider that cannot be asked, as Adyen. */
export const unaskable = { query: { byReference: false } } as const

export const approval = (changes: Partial<Parameters<typeof Accepted>[0]> = {}): NotifiedWord => ({
  _tag: "Authorization",
  outcome: Accepted({ providerReference: "P-told", answer: noAnswer, echo: {}, ...changes })
})

export const toldOutcome = (outcome: Outcome): NotifiedWord => ({ _tag: "Authorization", outcome })

type OperationWord = Extract<NotifiedWord, { readonly _tag: "Operation" }>

export const toldOperation = (
  type: OperationWord["type"],
  status: OperationWord["status"],
  changes: Partial<OperationWord> = {}
): NotifiedWord => ({
  _tag: "Operation",
  type,
  status,
  providerReference: null,
  minor: null,
  currency: null,
  answer: noAnswer,
  ...changes
})

export const toldDispute = (minor: bigint, currency = "EUR"): NotifiedWord => ({
  _tag: "Dispute",
  minor,
  currency,
  answer: noAnswer
})

/** A gateway to a provider that posts what a test has it post; a message is genuine where it says `signature: good`. */
export const openPosting = Effect.fnUntraced(function* (
  changes: Partial<Says> = {},
  capabilities: Partial<Capabilities> = {},
  more: Script = {}
) {
  const messages = new Map<string, ReadonlyArray<NotifiedItem>>()
  const readNotification = ({ body, headers }: InboundMessage): NotificationReading =>
    headers.signature === "good"
      ? { _tag: "Verified", items: messages.get(new TextDecoder().decode(body)) ?? [] }
      : { _tag: "Forged", reason: "the signature is wrong" }
  const posts = { notifications: { isSigned: true, acknowledgement } }
  const gateway = yield* openTalking(changes, { ...posts, ...capabilities }, { readNotification, ...more })
  const notifications = yield* gateway.openNotifications
  let count = 0
  const messageOf = (items: ReadonlyArray<NotifiedItem>, signature = "good"): InboundMessage => {
    const name = `message-${++count}`
    messages.set(name, items)
    return { headers: { signature }, query: {}, body: new TextEncoder().encode(name) }
  }
  const receive = (message: InboundMessage, provider = "akbank") => notifications.receive(provider, message)
  const referenceOf = (id: string, number = 1) =>
    Effect.map(gateway.stored(id), ({ attempts }) => attempts[number - 1]?.reference ?? "")
  return {
    ...gateway,
    notifications,
    messageOf,
    receive,
    referenceOf,
    /** Posts a word about a payment's attempt, and lets it be done. */
    post: Effect.fnUntraced(function* (id: string, word: NotifiedWord, item: Partial<NotifiedItem> = {}) {
      const reference = yield* referenceOf(id)
      yield* receive(messageOf([{ id: `event-${count}`, reference, word, ...item }]))
      yield* TestClock.adjust(0)
    })
  }
})
