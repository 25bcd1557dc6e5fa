import type { OperationType } from "./Operation.ts"
import type { Payment } from "./Payment.ts"
import { capturable, refundable } from "./Sums.ts"

export const paymentStatuses = [
  "PENDING",
  "REQUIRES_ACTION",
  "AUTHORIZED",
  "PARTIALLY_CAPTURED",
  "CAPTURED",
  "PARTIALLY_REFUNDED",
  "REFUNDED",
  "VOIDED",
  "EXPIRED",
  "DECLINED",
  "FAILED"
] as const

export type PaymentStatus = (typeof paymentStatuses)[number]

type Facts = Pick<Payment, "authorization" | "lapsed" | "sums">

/** In the order of the contract's section 4: the first row that holds names the status. Total: the last always holds. */
const rows: ReadonlyArray<readonly [PaymentStatus, (facts: Facts) => boolean]> = [
  ["PENDING", ({ authorization }) => authorization === "PENDING"],
  ["REQUIRES_ACTION", ({ authorization }) => authorization === "REQUIRES_ACTION"],
  ["DECLINED", ({ authorization }) => authorization === "DECLINED"],
  ["FAILED", ({ authorization }) => authorization === "FAILED"],
  ["AUTHORIZED", ({ sums }) => sums.captured === 0n && capturable(sums) + sums.capturePending > 0n],
  ["EXPIRED", ({ lapsed, sums }) => sums.captured === 0n && lapsed],
  ["VOIDED", ({ sums }) => sums.captured === 0n],
  ["CAPTURED", ({ sums }) => sums.refunded === 0n && sums.captured === sums.authorized],
  ["PARTIALLY_CAPTURED", ({ sums }) => sums.refunded === 0n],
  ["REFUNDED", ({ sums }) => sums.refunded === sums.captured && capturable(sums) === 0n],
  ["PARTIALLY_REFUNDED", () => true]
]

/** The status follows from the sums; it is never set. */
export const statusOf = (facts: Facts): PaymentStatus =>
  rows.find(([, holds]) => holds(facts))?.[0] ?? "PARTIALLY_REFUNDED"

/** Statuses that give the merchantReference free for another payment (contract section 4). */
export const releasesReference = (status: PaymentStatus): boolean =>
  (["DECLINED", "FAILED", "VOIDED", "EXPIRED"] as ReadonlyArray<PaymentStatus>).includes(status)

/** Nothing more is captured of an authorization that has expired and is being given back. */
export const isBeingGivenBack = ({ attempts }: Pick<Payment, "attempts">): boolean =>
  (attempts.at(-1)?.reversal ?? null) !== null

/**
 * What may be done next, from the sums and from what is being given back: the guard, the error's "allowed" and the
 * documentation read this.
 */
export const allowedOperations = (facts: Facts & Pick<Payment, "attempts">): ReadonlyArray<OperationType> => {
  const isOpen = facts.authorization === "PENDING" || facts.authorization === "REQUIRES_ACTION"
  const left = capturable(facts.sums) > 0n
  return [
    ...(left && !isBeingGivenBack(facts) ? (["CAPTURE"] as const) : []),
    ...(left || isOpen ? (["VOID"] as const) : []),
    ...(refundable(facts.sums) > 0n ? (["REFUND"] as const) : [])
  ]
}
