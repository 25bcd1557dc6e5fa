import { Cause, Duration, Effect, Option, Queue, Semaphore } from "effect"
import { Agent } from "undici"
import type { KeptNotification, NotificationOutbox } from "./NotificationOutbox.ts"
import type { PostedNotification } from "./Simulator.ts"

/** Posts under way at once: the gateway is this process or one like it, and has other work. */
const postsAtOnce = 16
/** First tries that wait in memory; what comes above is left to the outbox. */
const waitingMax = 2_000
/** Longer than a post takes, so that nobody posts the same meanwhile. */
const holdMillis = 30_000
const postMillis = 10_000
/** The pause after the first try in vain; it doubles up to the longest. */
const pauseMillisMin = 1_000
const pauseMillisMax = 30_000
/** About eight minutes in all. */
const triesMax = 20
const claimedMax = 50
/** What another process left behind is noticed after this long at the latest. */
const lookMillisMax = 10_000
const lookMillisMin = 20

const pauseAfter = (tries: number): number => Math.min(pauseMillisMin * 2 ** tries, pauseMillisMax)

interface Options {
  /** The gateway's address without a slash at its end: `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  readonly outbox: NotificationOutbox
}

/** True where the gateway has acknowledged it. */
const makePost = (baseUrl: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ connections: postsAtOnce, headersTimeout: postMillis, bodyTimeout: postMillis })),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent) =>
      ({ body, headers, provider }: KeptNotification): Effect.Effect<boolean> =>
        Effect.tryPromise(async (signal) => {
          const { origin, pathname } = new URL(baseUrl)
          const path = `${pathname.replace(/\/$/u, "")}/pf/v1/providers/${encodeURIComponent(provider)}/notifications`
          const answer = await agent.request({ origin, path, method: "POST", headers: { ...headers }, body, signal })
          await answer.body.dump()
          return answer.statusCode >= 200 && answer.statusCode < 300
        }).pipe(
          Effect.timeoutOption(postMillis),
          Effect.map(Option.getOrElse(() => false)),
          Effect.catch(() => Effect.succeed(false))
        )
  )

/**
 * Posts what simulators notify to the gateway's notification addresses, until it is acknowledged or some minutes have
 * passed. What is not acknowledged stays in the outbox: a process that ends loses nothing, and the next one goes on.
 * Ends with the scope. Answers the `notify` of each provider's simulator, which returns once the message is kept.
 */
export const make = Effect.fnUntraced(function* ({ baseUrl, outbox }: Options) {
  const scope = yield* Effect.scope
  const post = yield* makePost(baseUrl)
  const places = yield* Semaphore.make(postsAtOnce)
  const wake = yield* Queue.sliding<void>(1)
  let waiting = 0
  const leave = Effect.sync(() => {
    waiting -= 1
  })

  const attempt = Effect.fnUntraced(function* (kept: KeptNotification) {
    if (yield* Semaphore.withPermits(places, 1)(post(kept))) return yield* outbox.remove(kept.id)
    if (kept.tries + 1 < triesMax) {
      yield* outbox.postpone(kept.id, pauseAfter(kept.tries))
      return yield* Queue.offer(wake, undefined)
    }
    yield* Effect.logWarning(`A simulated notification of ${kept.provider} was never acknowledged and is given up.`)
    yield* outbox.remove(kept.id)
  })

  const look = Effect.gen(function* () {
    const due = yield* outbox.nextDueMillis
    if (due === undefined || due > 0) return due ?? lookMillisMax
    const claimed = yield* outbox.claim(claimedMax, holdMillis)
    yield* Effect.forEach(claimed, attempt, { concurrency: postsAtOnce, discard: true })
    return 0
  }).pipe(
    // The database is away, or its tables are not there yet: the next look does what this one could not.
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.succeed(pauseMillisMin)
    )
  )
  yield* look.pipe(
    Effect.flatMap((due) =>
      Effect.timeoutOption(Queue.take(wake), Duration.millis(Math.min(Math.max(due, lookMillisMin), lookMillisMax)))
    ),
    Effect.forever,
    Effect.forkScoped
  )

  return (provider: string) =>
    ({ body, delayMillis, headers }: PostedNotification): Effect.Effect<void> =>
      Effect.gen(function* () {
        const message = { provider, headers, body }
        if (waiting >= waitingMax) return yield* Effect.asVoid(outbox.add(message, delayMillis))
        const id = yield* outbox.add(message, delayMillis + holdMillis)
        waiting += 1
        yield* attempt({ ...message, id, tries: 0 }).pipe(
          Effect.delay(Duration.millis(delayMillis)),
          Effect.catchCause((cause) => Effect.logDebug("A simulated notification is left to the next try", cause)),
          Effect.ensuring(leave),
          Effect.forkIn(scope)
        )
      })
})
