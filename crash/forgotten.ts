import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { capturable } from "@sarraf/domain/payments/Sums"
import type { Order } from "./books.ts"
import type { Outage } from "./faults.ts"
import type { Snapshot } from "./Snapshot.ts"
import { orderOf } from "./unfinished.ts"

/**
 * PostgreSQL writes what does not wait for the disk within three rounds of its writer, of 200 ms each; the rest is for
 * clocks that are read at different moments. Source: PostgreSQL documentation, Asynchronous Commit.
 */
const relaxedMillis = 1_000

/** The book has less than what is settled with us: no order, or a step less. Never more. */
const hasLess = (payment: Payment, order: Order | undefined): boolean => {
  const { authorized, captured, refunded } = payment.sums
  const wasAnswered = authorized > 0n || lastAttempt(payment)?.outcome === "ActionRequired"
  if (order === undefined) return wasAnswered
  // What was captured or released is no longer held.
  const isHeld = order.held !== null && BigInt(order.held) > capturable(payment.sums)
  return authorized > 0n && (isHeld || BigInt(order.captured) < captured || BigInt(order.refunded) < refunded)
}

/**
 * Payments of which the simulators' book has lost an order or a step. It commits without waiting for the disk, so that
 * PostgreSQL forgets what it wrote just before it is killed; a gateway that lives on commits the answer afterwards. A
 * provider that forgets is none that a gateway could survive, so these are left out of the comparison, and counted. What
 * is open of them stays so until a person has looked.
 */
export const forgottenOf = ({ kept, orders }: Snapshot, outages: ReadonlyArray<Outage>): ReadonlySet<string> =>
  new Set(
    [...kept].flatMap(([id, { events, payment }]) => {
      const wasWritten = events.some(({ at }) =>
        outages.some(({ from, to }) => Number(at) >= from - relaxedMillis && Number(at) <= to + relaxedMillis)
      )
      return wasWritten && hasLess(payment, orderOf(orders, lastAttempt(payment))) ? [id] : []
    })
  )
