import { PgConnection } from "@effect/sql-pg"
import { Effect, Option, Queue, Schedule } from "effect"

/** Any number nobody else takes: advisory locks are shared by all users of a database. */
const lock = "5999718374114"
/** How long the server may still count a connection whose process has just closed it, or was killed. */
const partingTime = "500 millis"

const connect = Effect.fnUntraced(function* (host: string, applicationName: "sarraf-lease" | "sarraf-leaving") {
  const session = yield* PgConnection.make({ host, username: "sarraf", database: "postgres", applicationName })
  return yield* session.pin
})

/**
 * One process's claim that it uses the server: a connection with a shared lock, held until the scope closes. Waits while
 * another process makes out whether it is the last, and fails when that one then stops the server. Answers an effect
 * that returns when the connection breaks: the server stopped, crashed or ended the session.
 */
export const take = Effect.fn("ServerLease.take")(function* (host: string) {
  const connection = yield* connect(host, "sarraf-lease")
  yield* connection.query(`SELECT pg_advisory_lock_shared(${lock})`)
  // Nobody notifies: a listener is told when its connection breaks, an idle one is not.
  const notifications = yield* connection.listen("sarraf_lease")
  return { lost: Effect.ignore(Effect.forever(Queue.take(notifications))) }
})

/** Asks until the answer is a wanted one; undefined when it still is not after the parting time. */
const settlesOn = <A, E>(ask: Effect.Effect<A, E>, isWanted: (answer: A) => boolean) =>
  Effect.repeat(ask, { until: isWanted, schedule: Schedule.spaced("10 millis") }).pipe(
    Effect.timeoutOption(partingTime),
    Effect.map(Option.getOrUndefined)
  )

/**
 * Whether nobody uses the server any more, after giving up one's own lease. While the scope is open a true answer stays
 * true, since nobody can take a lease: the server can be stopped without pulling it from under a process that has just
 * found it.
 */
export const takeLast = Effect.fn("ServerLease.takeLast")(function* (host: string) {
  const connection = yield* connect(host, "sarraf-leaving")
  const isAlone = Effect.map(
    connection.query(`SELECT pg_try_advisory_lock(${lock}) AS alone`),
    ({ rows }) => rows[0]?.alone === true
  )
  if ((yield* settlesOn(isAlone, Boolean)) !== true) return false
  const others = Effect.map(
    connection.query(`SELECT application_name AS name FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND application_name <> 'sarraf-leaving'`),
    ({ rows }) => rows.map(({ name }) => name)
  )
  // A lease that is there now waits for the lock: its process has just come, and need not be waited for.
  const left = yield* settlesOn(others, (names) => names.length === 0 || names.includes("sarraf-lease"))
  return left?.length === 0
})
