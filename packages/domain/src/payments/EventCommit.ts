import { Clock, Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Payment } from "./Payment.ts"
import { apply, type PaymentEvent } from "./PaymentEvent.ts"
import type { Note } from "./PaymentProvider.ts"
import type { Actor, PaymentChanged, PaymentStore } from "./PaymentStore.ts"

/** Commits events that begin no request, only where nobody has changed the payment since it was read. */
export const commitEvents = (
  store: PaymentStore["Service"],
  before: Payment,
  events: ReadonlyArray<PaymentEvent>,
  actor: Actor
): Effect.Effect<Payment, PaymentChanged | Unavailable> => {
  const after = events.reduce(apply, before)
  return store
    .commit({ before, after, events, actor })
    .pipe(Effect.catchTag("RequestAlreadyBegun", Effect.die), Effect.as(after))
}

/** Commits what an adapter notes of an attempt while it is at work; `current` is the payment with all of it. */
export const notingOn = (store: PaymentStore["Service"], payment: Payment, attempt: number, actor: Actor) => {
  let current = payment
  const note: Note = (notes) =>
    Effect.gen(function* () {
      const event: PaymentEvent = { type: "payment.noted", at: yield* Clock.currentTimeMillis, attempt, notes }
      current = yield* Effect.catchTag(commitEvents(store, current, [event], actor), "PaymentChanged", Effect.die)
      // At the deadline it may be on its way to the database: what follows has to build on it.
    }).pipe(Effect.uninterruptible)
  return { note, current: () => current }
}
