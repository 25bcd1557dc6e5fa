import { Context, Effect, Layer } from "effect"
import { NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Money } from "../money/Money.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import type { RoutingExplanation } from "../routing/Route.ts"
import type { Instant } from "../time/Instant.ts"
import type { AttemptOutcome } from "./Attempt.ts"
import type { CardSummary } from "./Card.ts"
import type { Operation, PaymentError } from "./Operation.ts"
import type { PaymentStatus } from "./PaymentStatus.ts"
import type { Sums } from "./Sums.ts"

/** A payment of any of the organization's clients, without what only the gateway and its operators need. */
export interface PaymentRecord {
  readonly id: string
  readonly clientId: string
  readonly merchantReference: string
  readonly status: PaymentStatus
  readonly money: Money
  readonly sums: Sums
  /** Of its last attempt. */
  readonly provider: string
  readonly card: Pick<CardSummary, "brand" | "last4">
  readonly description: string | null
  /** 1 means none. */
  readonly installment: number
  readonly is3DS: boolean
  readonly expiresAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** One try to authorize at one provider. */
export interface AttemptRecord {
  readonly number: number
  readonly provider: string
  readonly outcome: AttemptOutcome
  readonly responseCode: string | null
  readonly detail: string | null
  readonly startedAt: Instant
  readonly completedAt: Instant | null
}

/** A payment with what was done to it, and why it went where it went: without costs and success rates (contract section 4). */
export interface PaymentAccount extends PaymentRecord {
  readonly attempts: ReadonlyArray<AttemptRecord>
  readonly operations: ReadonlyArray<
    Pick<Operation, "id" | "type" | "minor" | "status" | "reference" | "availableFrom">
  >
  readonly routing: Omit<RoutingExplanation, "decidedBy">
  readonly error: PaymentError | null
}

/** Every condition that is given must hold. */
export interface PaymentSearch {
  readonly statuses?: ReadonlyArray<PaymentStatus>
  readonly merchantReference?: string
  readonly clientId?: string
  readonly provider?: string
  readonly currency?: string
  /** Created at or after, and before. */
  readonly from?: Instant
  readonly to?: Instant
}

/** Driven port: the payments of the caller's organization. */
export class PaymentRecords extends Context.Service<
  PaymentRecords,
  {
    find(id: string): Effect.Effect<PaymentAccount | undefined, Unavailable, Caller>
    /** Newest first. */
    list(search: PaymentSearch, page: PageRequest): Effect.Effect<Page<PaymentRecord>, Unavailable, Caller>
  }
>()("@sarraf/domain/payments/PaymentRecords") {}

/** Driving port: the organization's payments to look at. */
export class PaymentReading extends Context.Service<
  PaymentReading,
  {
    find(id: string): Effect.Effect<PaymentAccount, NotFound | RoleMissing | Unavailable, Caller>
    list(
      search: PaymentSearch,
      page: PageRequest
    ): Effect.Effect<Page<PaymentRecord>, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/payments/PaymentReading") {
  static readonly layer: Layer.Layer<PaymentReading, never, PaymentRecords> = Layer.effect(
    PaymentReading,
    Effect.map(PaymentRecords, (records) =>
      PaymentReading.of({
        find: Effect.fn("PaymentReading.find")(function* (id) {
          yield* permitted("payment.read")
          const found = yield* records.find(id)
          return found === undefined ? yield* new NotFound({ resource: "payment", id }) : found
        }),
        list: Effect.fn("PaymentReading.list")(function* (search, page) {
          yield* permitted("payment.read")
          return yield* records.list(search, page)
        })
      })
    )
  )
}
