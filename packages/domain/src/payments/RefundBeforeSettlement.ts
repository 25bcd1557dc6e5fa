import { Clock, Effect } from "effect"
import type { Instant } from "../time/Instant.ts"
import type { Outcome } from "./Outcome.ts"
import type { Payment } from "./Payment.ts"
import type { OperationCall, PaymentProvider } from "./PaymentProvider.ts"

/** A refund that the provider can only take once its batch has closed. */
export interface Deferred {
  readonly _tag: "Deferred"
  readonly availableFrom: Instant
}

const dayMillis = 86_400_000

/** When the batch that is open now will have closed, a minute to spare. */
export const nextBatchClose = (now: Instant, minuteUtc: number): Instant => {
  const today = Math.floor(now / dayMillis) * dayMillis + minuteUtc * 60_000
  return (today > now ? today : today + dayMillis) + 60_000
}

/** The whole of one capture, nothing refunded yet: then its void gives the same back. */
const isWholeCapture = ({ sums }: Payment, { captures, money }: OperationCall): boolean =>
  captures.length === 1 && sums.refunded === 0n && money.minor === sums.captured

/**
 * A refund at a provider that cannot refund what has not settled (contract section 4): decided from the provider's own
 * state; a whole capture is voided, a part waits for the batch to close; on a refusal the other way is tried once.
 */
export const refundBeforeSettlement = Effect.fnUntraced(function* (
  provider: PaymentProvider,
  payment: Payment,
  call: OperationCall
): Effect.fn.Return<Outcome | Deferred> {
  const { voidCapture } = provider
  if (voidCapture === undefined) return yield* provider.refund(call)
  const finding = yield* provider.query(call.authorization)
  const settled = finding._tag === "Found" ? finding.settled : null
  const deferred: Deferred = {
    _tag: "Deferred",
    availableFrom: nextBatchClose(yield* Clock.currentTimeMillis, provider.capabilities.batchClosesAtMinuteUtc ?? 0)
  }
  if (settled === false && !isWholeCapture(payment, call)) return deferred
  const first = yield* settled === false ? voidCapture(call) : provider.refund(call)
  if (first._tag !== "Refused") return first
  if (first.reason === "alreadySettled") return yield* provider.refund(call)
  if (first.reason !== "notSettled") return first
  return isWholeCapture(payment, call) ? yield* voidCapture(call) : deferred
})
