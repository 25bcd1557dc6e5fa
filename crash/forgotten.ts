import type { Order } from "./books.ts"
import type { Outage } from "./faults.ts"
import type { Snapshot } from "./Snapshot.ts"
import { orderOf, type Unfinished } from "./unfinished.ts"

/**
 * PostgreSQL writes what does not wait for the disk within three rounds of its writer, of 200 ms each; the rest is for
 * clocks that are read at different moments. Source: PostgreSQL documentation, Asynchronous Commit.
 */
const relaxedMillis = 1_000

/** The book has less than was answered for: never more. */
const hasLess = (order: Order | undefined, captured: bigint, refunded: bigint): boolean =>
  order === undefined || BigInt(order.captured) < captured || BigInt(order.refunded) < refunded

/**
 * Payments of which the simulators' book has lost an order or a step. It commits without waiting for the disk, so that
 * PostgreSQL forgets what it wrote just before it is killed; a gateway that lives on commits the answer afterwards. A
 * provider that forgets is none that a gateway could survive, so these are left out of the comparison, and counted.
 */
export const forgottenOf = (
  { kept, orders }: Snapshot,
  unfinished: ReadonlyMap<string, Unfinished>,
  outages: ReadonlyArray<Outage>
): ReadonlySet<string> =>
  new Set(
    [...kept].flatMap(([id, { events, payment }]) => {
      const { authorized, captured, refunded } = payment.sums
      const order = orderOf(orders, payment.attempts.at(-1))
      const wasWritten = events.some(({ at }) =>
        outages.some(({ from, to }) => Number(at) >= from - relaxedMillis && Number(at) <= to + relaxedMillis)
      )
      const isLess = authorized > 0n && hasLess(order, captured, refunded)
      return isLess && wasWritten && !unfinished.has(id) ? [id] : []
    })
  )
