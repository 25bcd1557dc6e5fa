import { Context, type DateTime, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Money } from "../money/Money.ts"
import type { Capabilities } from "../routing/Capabilities.ts"
import type { Card } from "./Card.ts"
import type { InboundMessage, NotificationReading } from "./Notification.ts"
import type { Echo, Outcome, ProviderAnswer, RefusalCode } from "./Outcome.ts"

export interface Buyer {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly ip?: string
  readonly phone?: string
}

export interface BillingAddress {
  readonly address: string
  readonly city: string
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string
  readonly postalCode?: string
  readonly state?: string
}

/** Commits facts that a later step or question needs before that step is taken; a crash in between loses nothing. */
export type Note = (facts: Readonly<Record<string, string>>) => Effect.Effect<void, Unavailable>

export interface AuthorizeCall {
  /** Ours, in the provider's alphabet, unique per provider account, committed before this call. */
  readonly reference: string
  readonly money: Money
  readonly card: Card
  /** 1 means none. */
  readonly installment: number
  readonly buyer: Buyer
  readonly billingAddress: BillingAddress
  readonly description?: string
  /** Present when the buyer is to be authenticated: where the browser comes back to, by GET or by POST. */
  readonly threeDS?: { readonly returnUrl: string }
  /** The request id, for the provider's logs. */
  readonly requestId: string
  readonly note: Note
}

/** What is known of an authorization when something is done with it. */
export interface Authorization {
  readonly reference: string
  /** Null after a lost answer. */
  readonly providerReference: string | null
  readonly notes: Readonly<Record<string, string>>
  readonly money: Money
  readonly authorizedAt: DateTime.Utc
}

/** A capture that went through. */
export interface Captured {
  readonly operationId: string
  readonly providerReference: string | null
  readonly minor: bigint
  readonly refundedMinor: bigint
}

export interface OperationCall {
  readonly authorization: Authorization
  /** `op_…`: the same for every repetition, so that a provider with idempotency keys sees one operation. */
  readonly operationId: string
  /** Ours for this operation, made by the authorization's reference rule. */
  readonly reference: string
  readonly money: Money
  readonly captures: ReadonlyArray<Captured>
  readonly requestId: string
}

export interface CaptureCall extends OperationCall {
  /** Nothing more will be captured: the rest is released. */
  readonly final: boolean
}

/** The buyer's browser came back from the issuer. */
export interface ThreeDSReturn {
  readonly authorization: Authorization
  /** 1 means none. */
  readonly installment: number
  /** What the browser brought, query and form together, as spelled by the provider. Anybody may have made it up. */
  readonly returned: Readonly<Record<string, string>>
  /** The browser's address, where it is known. */
  readonly buyerIp?: string
  /** The request id, for the provider's logs. */
  readonly requestId: string
  readonly note: Note
}

/** 3D Secure at one provider. */
export interface ThreeDS {
  /**
   * Nothing is authorized before `complete` is sent: what still waits for the buyer holds no money, and need not be taken
   * back. Absent: the provider may authorize by itself once the buyer is done.
   */
  readonly authorizesOnCompletion?: true
  /**
   * Whether a return is the provider's own word on this payment; nothing is sent. What is signed is verified. A return
   * without a signature counts as genuine where `complete` asks the provider itself and takes no word of the browser's.
   */
  readonly isGenuine: (call: ThreeDSReturn) => boolean
  /**
   * Finishes the authorization of a buyer who came back: `ActionRequired` where the provider says that the buyer has not
   * finished, and no answer from the browser's word alone where the sheet says to confirm by a query.
   */
  readonly complete: (call: ThreeDSReturn) => Effect.Effect<Outcome>
}

/** How far a payment has come at the provider. `settled`: its batch has closed, so that it is refunded and not voided. */
export type Stage = "PENDING" | "ACTION_REQUIRED" | "DECLINED" | "AUTHORIZED" | "CAPTURED" | "VOIDED"

/** The provider's present word on a payment. `Absent` proves something only after `absenceProvenAfter`. */
export type Finding =
  | {
      readonly _tag: "Found"
      readonly stage: Stage
      /** Whether the capture has settled; null where the provider does not say. */
      readonly settled: boolean | null
      readonly capturedMinor: bigint | null
      readonly refundedMinor: bigint | null
      /** What can still be captured, where the provider says so. */
      readonly capturableMinor?: bigint
      readonly providerReference: string
      readonly answer: ProviderAnswer
      readonly echo: Echo
      /** Why it was declined. */
      readonly code?: RefusalCode
      readonly notes?: Readonly<Record<string, string>>
    }
  | { readonly _tag: "Absent"; readonly answer: ProviderAnswer }
  | { readonly _tag: "Unanswered"; readonly reason: string }

/**
 * One provider account. No method fails and none decides: each answers with the closed `Outcome` or `Finding`, and each
 * ends when the fiber is interrupted. Deadlines are the caller's.
 */
export interface PaymentProvider {
  /** `stripe`, `isbank`: as in the transaction's `provider`. */
  readonly id: string
  readonly capabilities: Capabilities
  readonly authorize: (call: AuthorizeCall) => Effect.Effect<Outcome>
  readonly capture: (call: CaptureCall) => Effect.Effect<Outcome>
  readonly refund: (call: OperationCall) => Effect.Effect<Outcome>
  /** Releases all of an authorization that is not captured yet; never a refund. */
  readonly cancel: (call: OperationCall) => Effect.Effect<Outcome>
  /** Takes a whole capture back before it settles. Present exactly where `refundBeforeSettlement` is `wholeByVoid`. */
  readonly voidCapture?: (call: OperationCall) => Effect.Effect<Outcome>
  readonly query: (authorization: Authorization) => Effect.Effect<Finding>
  /** Present exactly where `threeDS` is among the capabilities. */
  readonly threeDS?: ThreeDS
  /** Our reference for a payment that the provider names by its own identifier; undefined where it says none. */
  readonly referenceOf?: (providerReference: string) => Effect.Effect<string | undefined>
  /** Reads what the provider posts to us. Present exactly where `notifications` is among the capabilities. */
  readonly readNotification?: (message: InboundMessage) => NotificationReading
}

/** Every provider that this installation has credentials for, by id. */
export class PaymentProviders extends Context.Service<PaymentProviders, ReadonlyMap<string, PaymentProvider>>()(
  "@sarraf/domain/payments/PaymentProviders"
) {}
