import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"

/** A simulated provider's message to the gateway. */
interface OutboxMessage {
  readonly provider: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface KeptNotification extends OutboxMessage {
  readonly id: string
  /** How often it was postponed. */
  readonly tries: number
}

/** Notifications that the gateway has not acknowledged. Several processes may share one outbox. */
export interface NotificationOutbox {
  /** Keeps a message, due after so many milliseconds; answers its id. */
  add(message: OutboxMessage, dueMillis: number): Effect.Effect<string>
  /** What is due, longest due first; each is given to one caller, and not due again for `holdMillis`. */
  claim(limit: number, holdMillis: number): Effect.Effect<ReadonlyArray<KeptNotification>>
  /** One more try was in vain: due again after so many milliseconds. */
  postpone(id: string, dueMillis: number): Effect.Effect<void>
  remove(id: string): Effect.Effect<void>
  /** Milliseconds until something is due, 0 and less for what is; undefined where nothing is kept. */
  readonly nextDueMillis: Effect.Effect<number | undefined>
}

/** An outbox that ends with the process. */
export const makeMemory = (): NotificationOutbox => {
  const kept = new Map<string, KeptNotification & { readonly dueAt: number }>()
  const after = (millis: number) => Effect.map(Clock.currentTimeMillis, (now) => now + millis)
  return {
    add: (message, dueMillis) =>
      Effect.map(after(dueMillis), (dueAt) => {
        const id = randomUUID()
        kept.set(id, { ...message, id, tries: 0, dueAt })
        return id
      }),
    claim: (limit, holdMillis) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const due = [...kept.values()].filter(({ dueAt }) => dueAt <= now).sort((one, other) => one.dueAt - other.dueAt)
        const claimed = due.slice(0, limit)
        for (const one of claimed) kept.set(one.id, { ...one, dueAt: now + holdMillis })
        return claimed.map(({ dueAt: _, ...one }) => one)
      }),
    postpone: (id, dueMillis) =>
      Effect.map(after(dueMillis), (dueAt) => {
        const found = kept.get(id)
        if (found !== undefined) kept.set(id, { ...found, tries: found.tries + 1, dueAt })
      }),
    remove: (id) => Effect.sync(() => void kept.delete(id)),
    nextDueMillis: Effect.map(Clock.currentTimeMillis, (now) =>
      kept.size === 0 ? undefined : Math.min(...[...kept.values()].map(({ dueAt }) => dueAt)) - now
    )
  }
}
