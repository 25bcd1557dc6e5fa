import { Context, type Effect, Schema } from "effect"
import type { RequestAlreadyBegun, RequestRecord } from "../admission/RequestLedger.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Instant } from "../time/Instant.ts"
import type { Payment } from "./Payment.ts"
import type { PaymentEvent } from "./PaymentEvent.ts"
import type { PaymentStatus } from "./PaymentStatus.ts"

/** Not there, or another organization's or client's: the two look alike on purpose. */
export class PaymentNotFound extends Schema.TaggedError<PaymentNotFound>()("PaymentNotFound", { id: Schema.String }) {}

/** Somebody else changed it since it was read. */
export class PaymentChanged extends Schema.TaggedError<PaymentChanged>()("PaymentChanged", { id: Schema.String }) {}

/** Who did something, for the audit trail. */
export interface Actor {
  /** `client:sandbox_client`, `reconciler`, `operator:…` */
  readonly name: string
  readonly requestId: string
}

/** The payment that an attempt belongs to. */
export interface FoundAttempt {
  readonly caller: GatewayCaller["Service"]
  readonly paymentId: string
}

/** A refund that waited for the provider's batch to close. */
export interface DueRefund {
  readonly caller: GatewayCaller["Service"]
  readonly paymentId: string
  readonly operationId: string
}

export interface PaymentFilter {
  readonly status?: PaymentStatus
  readonly merchantReference?: string
  readonly provider?: string
  readonly currency?: string
  /** Created at or after, before; updated at or after. */
  readonly from?: Instant
  readonly to?: Instant
  readonly updatedFrom?: Instant
  /** Newest first, those that sort before this id. */
  readonly before?: string
  readonly limit: number
}

/** Payments, their attempts, operations and events. Every method sees the caller's organization and client alone. */
export class PaymentStore extends Context.Service<
  PaymentStore,
  {
    /** Commits the payment, its first attempt, its event and the request's record together. False: the merchantReference is taken. */
    begin(
      payment: Payment,
      event: PaymentEvent,
      record: RequestRecord
    ): Effect.Effect<boolean, RequestAlreadyBegun | Unavailable>
    /**
     * Commits the events that lead from `before` to `after`, with the audit row, and the record of the request where it
     * began something. Compare-and-set on `before.version`: of two concurrent commits one succeeds.
     */
    commit(change: {
      readonly before: Payment
      readonly after: Payment
      readonly events: ReadonlyArray<PaymentEvent>
      readonly actor: Actor
      readonly record?: RequestRecord
    }): Effect.Effect<void, PaymentChanged | RequestAlreadyBegun | Unavailable>
    find(id: string): Effect.Effect<Payment, PaymentNotFound | Unavailable, GatewayCaller>
    /** The payment that holds this merchantReference now. */
    findByReference(merchantReference: string): Effect.Effect<Payment | undefined, Unavailable, GatewayCaller>
    /** Whose payment an attempt is, of all organizations: by the reference that its provider knows it by. */
    findAttempt(provider: string, reference: string): Effect.Effect<FoundAttempt | undefined, Unavailable>
    /** In their order. */
    events(id: string): Effect.Effect<ReadonlyArray<PaymentEvent>, Unavailable, GatewayCaller>
    /** Refunds of all organizations whose time has come, the oldest first. */
    dueRefunds(now: Instant, limit: number): Effect.Effect<ReadonlyArray<DueRefund>, Unavailable>
    /** Newest first, at most `limit`. */
    list(filter: PaymentFilter): Effect.Effect<ReadonlyArray<Payment>, Unavailable, GatewayCaller>
  }
>()("@sarraf/domain/payments/PaymentStore") {}
