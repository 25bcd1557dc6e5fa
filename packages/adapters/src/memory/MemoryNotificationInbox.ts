import { type KeptNotification, NotificationInbox } from "@sarraf/domain/payments/NotificationInbox"
import { Effect, Layer } from "effect"

/** Longer than an item takes: what a process that died held is given to another after it, in milliseconds. */
const leaseMillis = 90_000

interface Kept extends Pick<KeptNotification, "id" | "message" | "provider" | "tries"> {
  readonly dueAt: number | null
  readonly leaseUntil: number | null
}

/** The providers' messages in this process, each item once, for as long as the process lives. */
export const layer: Layer.Layer<NotificationInbox> = Layer.sync(NotificationInbox, () => {
  const kept = new Map<string, Kept>()
  const keyOf = ({ id, provider }: Pick<Kept, "id" | "provider">) => `${provider} ${id}`
  return NotificationInbox.of({
    keep: (provider, ids, message, now) =>
      Effect.sync(() => {
        for (const id of ids) {
          const one = { provider, id, message, tries: 0, dueAt: now, leaseUntil: null }
          if (!kept.has(keyOf(one))) kept.set(keyOf(one), one)
        }
      }),
    claim: (now, limit) =>
      Effect.sync(() =>
        [...kept.values()]
          .filter(({ dueAt, leaseUntil }) => dueAt !== null && dueAt <= now && (leaseUntil ?? 0) <= now)
          .sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
          .slice(0, limit)
          .map((one) => {
            const leaseUntil = now + leaseMillis
            kept.set(keyOf(one), { ...one, leaseUntil })
            const { id, message, provider, tries } = one
            return { id, message, provider, tries, leaseUntil }
          })
      ),
    release: ({ id, leaseUntil, provider }, againAt) =>
      Effect.sync(() => {
        const one = kept.get(keyOf({ id, provider }))
        if (one?.leaseUntil !== leaseUntil) return
        const tries = againAt === null ? one.tries : one.tries + 1
        kept.set(keyOf(one), { ...one, tries, dueAt: againAt, leaseUntil: null })
      })
  })
})
