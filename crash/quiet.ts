import { setTimeout as pause } from "node:timers/promises"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { Gateway } from "./Gateway.ts"
import { patience } from "./patience.ts"
import { type Snapshot, take } from "./Snapshot.ts"
import { type Unfinished, unfinishedOf } from "./unfinished.ts"

const lookMillis = 1_500
const voidTries = 5

/** What was last seen, and what of it is not settled. */
export interface Seen {
  readonly snapshot: Snapshot
  readonly unfinished: ReadonlyMap<string, Unfinished>
}

/** Ends the challenges whose buyer never came back, as their shop would. */
const endChallenges = async (gateway: Gateway, { kept }: Snapshot): Promise<void> => {
  const waiting = [...kept.values()].filter(({ payment }) => statusOf(payment) === "REQUIRES_ACTION")
  for (const { payment } of waiting) {
    const request = {
      story: payment.merchantReference,
      asked: "void",
      key: `${payment.merchantReference}-end`,
      paymentId: payment.id,
      minor: null,
      currency: payment.money.currency,
      body: {}
    } as const
    for (let tries = 0; tries < voidTries; tries++) {
      const { status } = await gateway.send(request)
      if (status !== null && status < 500) break
      await pause(lookMillis)
    }
  }
}

/**
 * Waits until everything is settled, or what is not will not be before `until`. Nothing is broken any more, and nobody
 * pays: what happens now the gateway does by itself. Where the book cannot be read nobody knows what is worth waiting for.
 */
export const awaitQuiet = async (
  sql: Parameters<typeof take>[0],
  gateway: Gateway,
  { isBookRead, until }: { readonly isBookRead: boolean; readonly until: number }
): Promise<Seen> => {
  const calmSince = Date.now()
  await endChallenges(gateway, await take(sql))
  for (;;) {
    const snapshot = await take(sql)
    const unfinished = unfinishedOf(snapshot, patience, calmSince)
    const isWorthWaiting = [...unfinished.values()].some(({ dueAt }) => !isBookRead || dueAt <= until)
    if (!isWorthWaiting || Date.now() >= until) return { snapshot, unfinished }
    await pause(lookMillis)
  }
}
