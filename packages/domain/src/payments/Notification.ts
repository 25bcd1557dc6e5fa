import type { OperationType } from "./Operation.ts"
import type { Outcome, ProviderAnswer } from "./Outcome.ts"

/** A message that came in at a provider's notification address, not verified yet. */
export interface InboundMessage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The exact bytes. */
  readonly body: Uint8Array
}

/**
 * What a provider says of a payment in a notification, in our terms. `Ask` says nothing that could be relied on: the
 * provider is asked. The use case compares reference, amount and currency; an adapter fills them in and decides nothing.
 */
export type NotifiedWord =
  | { readonly _tag: "Authorization"; readonly outcome: Outcome }
  | {
      readonly _tag: "Operation"
      readonly type: OperationType
      readonly status: "SUCCEEDED" | "FAILED"
      /** The provider's identifier of the operation, as its answer to our call had it; null where it has none. */
      readonly providerReference: string | null
      readonly minor: bigint | null
      readonly currency: string | null
      readonly answer: ProviderAnswer
    }
  | {
      readonly _tag: "Dispute"
      /** What is disputed of the payment now; 0 when it was won or withdrawn. */
      readonly minor: bigint
      readonly currency: string
      readonly answer: ProviderAnswer
    }
  | { readonly _tag: "Ask" }

export interface NotifiedItem {
  /** The same for every repetition of this message, and of no other message of this provider account. */
  readonly id: string
  /** Our reference for the attempt that it is about; null where the message has the provider's own alone. */
  readonly reference: string | null
  /** The provider's identifier of the payment, by which it is asked for our reference where that is null. */
  readonly providerReference?: string
  readonly word: NotifiedWord
}

/**
 * A message as its adapter reads it. `Verified`: its signature is right. `Unsigned`: the scheme has none, so that every
 * word is `Ask`. `Forged`: a signature that is missing or wrong. Messages about other things have no items.
 */
export type NotificationReading =
  | { readonly _tag: "Verified" | "Unsigned"; readonly items: ReadonlyArray<NotifiedItem> }
  | { readonly _tag: "Forged"; readonly reason: string }
