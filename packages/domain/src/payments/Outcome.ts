import { Data, type DateTime, type Redacted } from "effect"

/** What a definite "no" means for the caller (specification section 7). */
export type RefusalCode = "INSUFFICIENT_FUNDS" | "CARD_DECLINED" | "INVALID_CARD" | "3DS_FAILED" | "PROVIDER_ERROR"

/** What the provider said, reduced to what may be shown and stored. */
export interface ProviderAnswer {
  /** The provider's own code for this outcome, as spelled by the provider; null when nobody answered. */
  readonly responseCode: string | null
  /** The provider's fields through the adapter's allow-list: no card number, no CVC, no token, no person. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * What the provider's message says the payment is, in our terms. A field is absent where the message does not carry it.
 * The use case compares it with what was asked (see `Integrity`): an adapter fills it in and decides nothing.
 */
export interface Echo {
  readonly reference?: string
  readonly minor?: bigint
  readonly currency?: string
  readonly last4?: string
}

/** Where the buyer's browser has to go for 3D Secure. A form may carry the card's number and CVC, and is posted once. */
export type BuyerStep =
  | { readonly type: "redirect"; readonly url: string }
  | {
      readonly type: "form"
      readonly action: string
      readonly fields: Redacted.Redacted<Readonly<Record<string, string>>>
    }

/** How the final word of a `Pending` operation reaches us. */
export type LearnBy = "notification" | "query" | "date"

/** Why a definite "no" to a follow-up was given, where another way may serve (contract section 4, refund before settlement). */
export type RefusalReason = "notSettled" | "alreadySettled"

/**
 * The closed outcome of a provider call (contract section 4). Every adapter answers with exactly one of these and never
 * fails: "no" (`Refused`) is kept apart from "no answer" (`Unknown`), and an unknown outcome is never handled as a decline.
 */
export type Outcome = Data.TaggedEnum<{
  /** Certain that nothing arrived: refused before accepting (connect, DNS, TLS). Another provider may be tried. */
  readonly NotSent: { readonly reason: string }
  /** A definite "no": no money moved. `mayTryAnother` only where the sheet says that this provider did not take it. */
  readonly Refused: {
    readonly code: RefusalCode
    /** One sentence in our words; never the provider's text about a person. */
    readonly detail: string
    readonly answer: ProviderAnswer
    readonly mayTryAnother: boolean
    readonly reason?: RefusalReason
    readonly providerReference?: string
    readonly echo: Echo
  }
  /** A definite "yes". */
  readonly Accepted: {
    /** The provider's identifier of this transaction, needed for what follows it. */
    readonly providerReference: string
    readonly answer: ProviderAnswer
    readonly echo: Echo
    /** Until when an authorization holds, where the provider says so. */
    readonly expiresAt?: DateTime.Utc
    /** What later calls need beside the reference; stored with the attempt. */
    readonly notes?: Readonly<Record<string, string>>
  }
  /** The buyer has to be sent to the issuer first. */
  readonly ActionRequired: {
    readonly step: BuyerStep
    readonly answer: ProviderAnswer
    readonly echo: Echo
    readonly providerReference?: string
    readonly notes?: Readonly<Record<string, string>>
  }
  /** The provider has it and decides later. */
  readonly Pending: {
    readonly answer: ProviderAnswer
    readonly echo: Echo
    readonly learnBy: LearnBy
    readonly until: DateTime.Utc
    readonly providerReference?: string
    readonly notes?: Readonly<Record<string, string>>
  }
  /** Bytes may have gone out and what came of them is not known: no answer, an unreadable one, a duplicate-order one. */
  readonly Unknown: { readonly reason: string; readonly answer?: ProviderAnswer }
}>

export const { $is, $match, Accepted, ActionRequired, NotSent, Pending, Refused, Unknown } = Data.taggedEnum<Outcome>()

export type Accepted = Data.TaggedEnum.Value<Outcome, "Accepted">
export type Refused = Data.TaggedEnum.Value<Outcome, "Refused">

/** An answer of which nothing may be shown. */
export const noAnswer: ProviderAnswer = { responseCode: null, fields: {} }
