import type { Instant } from "../time/Instant.ts"

/** state × command → state. `fail` after SUCCEEDED is the provider's later, verified word (contract section 4). */
export const operationTransitions = {
  PENDING: { succeed: "SUCCEEDED", fail: "FAILED" },
  SUCCEEDED: { fail: "FAILED" },
  FAILED: {}
} as const

export type OperationStatus = keyof typeof operationTransitions

/** Whether the table leads from one to the other. What is PENDING may also stay so, as a refund does that is deferred. */
export const mayBecome = (from: OperationStatus, to: OperationStatus): boolean =>
  (from === "PENDING" && to === "PENDING") || Object.values<OperationStatus>(operationTransitions[from]).includes(to)

export type OperationType = "CAPTURE" | "REFUND" | "VOID"

/** The codes of the contract's section 2 in which a payment or an operation can end. */
export const paymentErrorCodes = [
  "INSUFFICIENT_FUNDS",
  "CARD_DECLINED",
  "INVALID_CARD",
  "3DS_FAILED",
  "PROVIDER_ERROR",
  "TIMEOUT"
] as const

/** A code of the contract's section 2 and one sentence that says what to do. */
export interface PaymentError {
  readonly code: (typeof paymentErrorCodes)[number]
  readonly detail: string
}

/** A capture, refund or void. While PENDING its amount is reserved. */
export interface Operation {
  /** `op_…` */
  readonly id: string
  readonly type: OperationType
  readonly minor: bigint
  /** CAPTURE: nothing more will be captured, the rest is released with it. */
  readonly final: boolean
  readonly status: OperationStatus
  /** The caller's own, unique per payment. */
  readonly reference: string | null
  /** Ours, as the provider was told it. */
  readonly providerRequest: string
  readonly providerReference: string | null
  readonly responseCode: string | null
  readonly fields: Readonly<Record<string, string>>
  /** A refund that the provider cannot take yet: when it will be sent. */
  readonly availableFrom: Instant | null
  readonly error: PaymentError | null
  readonly createdAt: Instant
  /** When it was sent, where that was later: its absence at the provider is proven by the time from here on. */
  readonly sentAt?: Instant
  /** Until when the request that began it may still be at work; null once that request has ended. */
  readonly deadline: Instant | null
  readonly completedAt: Instant | null
}

/** Whether the request that began it is still at work on it. */
export const isUnderWay = ({ deadline, status }: Operation, now: Instant): boolean =>
  status === "PENDING" && deadline !== null && deadline > now
