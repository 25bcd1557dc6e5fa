import { Effect, Schedule } from "effect"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Payment } from "./Payment.ts"
import { apply, type PaymentEvent } from "./PaymentEvent.ts"
import type { Actor, PaymentStore } from "./PaymentStore.ts"

/** 50 ms, doubled up to 2 s, for about a minute: longer than a restart of the database takes. */
const untilTheDatabaseIsBack = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ duration: "60 seconds" })
)

/**
 * Commits what a provider has said. It is tried again while the database is away, for the money has moved whether we
 * can write it down or not. Answers the state as it then is: `before` where it could not be written, so that nothing is
 * acknowledged without its commit; the stored state where an earlier try, or somebody else, was first.
 */
export const commitSettled = (
  store: PaymentStore["Service"],
  before: Payment,
  events: ReadonlyArray<PaymentEvent>,
  actor: Actor
): Effect.Effect<Payment, never, GatewayCaller> => {
  const after = events.reduce(apply, before)
  return store.commit({ before, after, events, actor }).pipe(
    Effect.retry({ schedule: untilTheDatabaseIsBack, while: ({ _tag }) => _tag === "Unavailable" }),
    Effect.as(after),
    Effect.catchTag("PaymentChanged", () => store.find(before.id)),
    Effect.catch((error) =>
      Effect.logError("An outcome could not be committed; the payment stays as it was", error).pipe(
        Effect.annotateLogs({ transactionId: before.id }),
        Effect.as(before)
      )
    )
  )
}
