import { setTimeout as pause } from "node:timers/promises"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { Outage } from "./faults.ts"
import { forgottenOf } from "./forgotten.ts"
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
  /** What the simulators' book has lost with its database. */
  readonly forgotten: ReadonlySet<string>
}

/** What is waited for. */
interface Quiet {
  readonly until: number
  /** When the book's database was away; null where the book cannot be read, and is in memory. */
  readonly outages: ReadonlyArray<Outage> | null
}

const without = (unfinished: ReadonlyMap<string, Unfinished>, forgotten: ReadonlySet<string>) =>
  new Map([...unfinished].filter(([id]) => !forgotten.has(id)))

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
  { outages, until }: Quiet
): Promise<Seen> => {
  const calmSince = Date.now()
  await endChallenges(gateway, await take(sql))
  for (;;) {
    const snapshot = await take(sql)
    const forgotten = forgottenOf(snapshot, outages ?? [])
    const unfinished = without(unfinishedOf(snapshot, patience, calmSince), forgotten)
    const isWorthWaiting = [...unfinished.values()].some(({ dueAt }) => outages === null || dueAt <= until)
    if (!isWorthWaiting || Date.now() >= until) return { snapshot, unfinished, forgotten }
    await pause(lookMillis)
  }
}
