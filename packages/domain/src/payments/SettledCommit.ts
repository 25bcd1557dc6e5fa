import { Effect, Schedule } from "effect"
import type { RequestAlreadyBegun } from "../admission/RequestLedger.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Payment } from "./Payment.ts"
import { apply, type PaymentEvent } from "./PaymentEvent.ts"
import type { Actor, PaymentNotFound, PaymentStore } from "./PaymentStore.ts"

/** 50 ms, doubled up to 2 s, for about a minute: longer than a restart of the database takes. */
const firstPause = "50 millis"
const untilTheDatabaseIsBack = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]).pipe(
  Schedule.upTo({ duration: "60 seconds" })
)

/** Changes that may come in between: an attempt's notes, of which there are a few at most. */
const changesMax = 5

/** Whether what the event says is still to be written: neither an earlier try of it nor somebody else has settled it. */
const isDue = (payment: Payment, event: PaymentEvent): boolean => {
  if (event.type === "authorization.settled" || event.type === "payment.rerouted") {
    return payment.attempts.some(({ number, outcome }) => number === event.result.number && outcome === "RUNNING")
  }
  if (event.type === "attempt.reversed") {
    return payment.attempts.some(({ number, reversal }) => number === event.attempt && reversal !== "DONE")
  }
  if (event.type !== "operation.settled") return false
  const { id, status } = event.result
  const operation = payment.operations.find((one) => one.id === id)
  return operation?.status === "PENDING" && (status !== "PENDING" || operation.deadline !== null)
}

const commit = (
  store: PaymentStore["Service"],
  before: Payment,
  events: ReadonlyArray<PaymentEvent>,
  actor: Actor,
  changesLeft: number
): Effect.Effect<Payment, PaymentNotFound | RequestAlreadyBegun | Unavailable, GatewayCaller> => {
  const after = events.reduce(apply, before)
  const written = store.commit({ before, after, events, actor })
  return written.pipe(
    // The schedule is made where it is needed: that costs more than all the rest here.
    Effect.catchTag("Unavailable", () =>
      Effect.retry(written, { schedule: untilTheDatabaseIsBack, while: ({ _tag }) => _tag === "Unavailable" }).pipe(
        Effect.delay(firstPause)
      )
    ),
    Effect.as(after),
    Effect.catchTag("PaymentChanged", () =>
      Effect.flatMap(store.find(before.id), (present) =>
        changesLeft > 0 && events.every((event) => isDue(present, event))
          ? commit(store, present, events, actor, changesLeft - 1)
          : Effect.succeed(present)
      )
    )
  )
}

/**
 * Commits what a provider has said. It is tried again while the database is away, and on top of what came in between,
 * for the money has moved whether we can write it down or not. Answers the state as it then is: `before` where it could
 * not be written, so that nothing is acknowledged without its commit; the stored state where an earlier try, or somebody
 * else, was first.
 */
export const commitSettled = (
  store: PaymentStore["Service"],
  before: Payment,
  events: ReadonlyArray<PaymentEvent>,
  actor: Actor
): Effect.Effect<Payment, never, GatewayCaller> =>
  commit(store, before, events, actor, changesMax).pipe(
    Effect.catch((error) =>
      Effect.logError("An outcome could not be committed; the payment stays as it was", error).pipe(
        Effect.annotateLogs({ transactionId: before.id }),
        Effect.as(before)
      )
    )
  )
