/**
 * What has become of a payment's money, in minor units. What a permission or a status is decided by (contract section 4):
 * authorized = captured + capturePending + released + capturable; refundable = captured − refunded − refundPending − disputed.
 */
export interface Sums {
  readonly authorized: bigint
  readonly captured: bigint
  readonly capturePending: bigint
  readonly released: bigint
  readonly refunded: bigint
  readonly refundPending: bigint
  readonly disputed: bigint
}

export const noSums: Sums = {
  authorized: 0n,
  captured: 0n,
  capturePending: 0n,
  released: 0n,
  refunded: 0n,
  refundPending: 0n,
  disputed: 0n
}

/** What can still be captured. */
export const capturable = (sums: Sums): bigint => sums.authorized - sums.captured - sums.capturePending - sums.released

/** What can still be refunded. */
export const refundable = (sums: Sums): bigint => {
  const left = sums.captured - sums.refunded - sums.refundPending - sums.disputed
  return left > 0n ? left : 0n
}

/** 0 ≤ refunded ≤ captured ≤ authorized, and nothing negative: the invariant that the tables state as CHECKs too. */
export const isSound = (sums: Sums): boolean =>
  [
    sums.captured,
    sums.capturePending,
    sums.released,
    sums.refunded,
    sums.refundPending,
    sums.disputed,
    capturable(sums)
  ].every((sum) => sum >= 0n) && sums.refunded + sums.refundPending <= sums.captured
