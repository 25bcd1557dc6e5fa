import { unwantedAttempts } from "@sarraf/domain/payments/FollowUp"
import { lastAttempt, openOperation } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { isCharged, type Order } from "./books.ts"
import type { Kept, Snapshot } from "./Snapshot.ts"

/** What of a provider decides when its silence says something. */
export interface Patience {
  readonly canBeAsked: boolean
  /** From when on "no such order" is proof, in milliseconds after it was sent; null: never. */
  readonly absenceProvenAfter: number | null
}

/** A payment that is not settled, or that holds money which must not stand. */
export interface Unfinished {
  readonly paymentId: string
  /** What it waits for. */
  readonly why: string
  /** When something will decide, in milliseconds since 1970. Infinity: nobody will ever say. */
  readonly dueAt: number
}

/** How long the sandbox's providers are silent about card 0259 (contract section 5). */
const silenceMillis = 32_000
const silentLast4 = "0259"

/** The reconciler looks every second, asks, and writes; the machine may be busy. What is due longer than this is late. */
export const workMillis = 15_000
/** How long after a provider answers again, or its silence is proof, everything is settled (contract section 4). */
const settleMillis = 120_000

/** The order that an attempt made, where it made one. */
export const orderOf = (
  orders: ReadonlyArray<Order>,
  attempt: { readonly provider: string; readonly reference: string } | undefined
): Order | undefined =>
  orders.find(({ provider, reference }) => provider === attempt?.provider && reference === attempt.reference)

const latest = (reasons: ReadonlyArray<readonly [number, string]>): readonly [number, string] =>
  reasons.reduce((last, one) => (one[0] > last[0] ? one : last))

/**
 * What waits, for what and until when (contract section 4, unknown outcomes). Whoever is at work on it has until its
 * deadline; a lease of a killed process, a provider that is silent, and the proof of an absence have their own times.
 */
const waitOf = (
  { payment, scheduled }: Kept,
  { orders }: Snapshot,
  patience: ReadonlyMap<string, Patience>,
  calmSince: number
): Omit<Unfinished, "paymentId"> | undefined => {
  const attempt = lastAttempt(payment)
  const operation = openOperation(payment)
  const status = statusOf(payment)
  const isOpen = status === "PENDING" || status === "REQUIRES_ACTION"
  if (attempt === undefined || (!isOpen && operation === undefined)) return undefined
  const asked = patience.get(attempt.provider)
  const order = orderOf(orders, attempt)
  const { captured, refunded } = payment.sums
  const wasDone =
    operation === undefined || isOpen
      ? order !== undefined && isCharged(order)
      : order !== undefined &&
        (order.captured !== Number(captured) ||
          order.refunded !== Number(refunded) ||
          (operation.type === "VOID" && order.held === 0))
  const sentAt = operation === undefined || isOpen ? attempt.sentAt : (operation.sentAt ?? operation.createdAt)
  const mayBeAbsent = !wasDone
  const proof: ReadonlyArray<readonly [number, string]> =
    !mayBeAbsent || asked === undefined
      ? []
      : asked.canBeAsked && asked.absenceProvenAfter !== null
        ? [[sentAt + asked.absenceProvenAfter, `the proof that ${attempt.provider} never got it`]]
        : [[Number.POSITIVE_INFINITY, `a word of ${attempt.provider}, which cannot be asked`]]
  const [since, why] = latest([
    [calmSince, "nothing"],
    [Math.max(attempt.outcome === "RUNNING" ? attempt.deadline : 0, operation?.deadline ?? 0), "its request"],
    [scheduled?.leaseUntil ?? 0, "the lease of a process that looks at it"],
    [payment.card.last4 === silentLast4 ? attempt.sentAt + silenceMillis : 0, `${attempt.provider}, which is silent`],
    ...proof
  ])
  const what = operation === undefined || isOpen ? status : `${operation.type} ${operation.id}`
  return { why: `${what} waits for ${why}`, dueAt: decidedAt(since, scheduled?.dueAt) }
}

/** By the schedule, unless that is longer than the contract allows. */
const decidedAt = (since: number, dueAt = since): number =>
  dueAt <= since + settleMillis ? Math.max(since, dueAt) : since

/** Money of an attempt that must not stand: asked for again later, and given back then. */
const unwantedOf = ({ payment, scheduled }: Kept, { orders }: Snapshot): Omit<Unfinished, "paymentId"> | undefined => {
  const charged = unwantedAttempts(payment).filter((attempt) => {
    const order = orderOf(orders, attempt)
    return order !== undefined && isCharged(order)
  })
  if (charged.length === 0) return undefined
  const why = `${statusOf(payment)}, and attempt ${charged.map(({ number }) => number).join(", ")} is still to be taken back`
  return { why, dueAt: scheduled === undefined ? 0 : Math.max(scheduled.dueAt, scheduled.leaseUntil) }
}

/**
 * Everything that is not settled, but for what a person has to look at. Since `calmSince`, in milliseconds since 1970,
 * everything runs.
 */
export const unfinishedOf = (
  snapshot: Snapshot,
  patience: ReadonlyMap<string, Patience>,
  calmSince: number
): ReadonlyMap<string, Unfinished> =>
  new Map(
    [...snapshot.kept].flatMap(([paymentId, kept]) => {
      if (kept.payment.needsReview !== null) return []
      const found = waitOf(kept, snapshot, patience, calmSince) ?? unwantedOf(kept, snapshot)
      return found === undefined ? [] : [[paymentId, { paymentId, ...found }] as const]
    })
  )
