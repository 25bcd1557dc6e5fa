import type { Instant } from "../time/Instant.ts"

/** The first use of a signature, remembered until its own timestamp is five minutes old. */
export interface SignatureUse {
  /** `POST /pf/v1/payments/txn_…/capture`. */
  readonly target: string
  /** `capture`: the same for all payments. */
  readonly operation: string
  readonly idempotencyKey: string | null
  readonly usedAt: Instant
}

export type SignatureVerdict = "fresh" | "retry" | "accepted" | "otherKey" | "spent"

/** Two equal bodies of one millisecond are signed alike: so long the same operation on another payment is believed. */
const sharedMillis = 2_000

/**
 * Whether a signature that was seen before may be used now (contract section 3). `retry`: the same request again, to be
 * answered from what the first began. `otherKey`: the same under another Idempotency-Key. `spent`: somewhere else.
 */
export const judgeUse = (first: SignatureUse | undefined, now: SignatureUse): SignatureVerdict => {
  if (first === undefined) return "fresh"
  if (first.target === now.target) {
    return now.idempotencyKey === null || now.idempotencyKey === first.idempotencyKey ? "retry" : "otherKey"
  }
  return first.operation === now.operation && first.operation !== "read" && now.usedAt - first.usedAt <= sharedMillis
    ? "accepted"
    : "spent"
}
