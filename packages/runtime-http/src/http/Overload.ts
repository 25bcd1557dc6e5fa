import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { performance } from "node:perf_hooks"
import { Clock, Context, Effect, Metric, Schedule } from "effect"
import { HttpServerRequest, ProblemDetails } from "effect/http"
import { makeLoadGate, type RequestKind } from "./LoadGate.ts"
import { problemBody } from "./Problem.ts"
import { requestIdFrom } from "./RequestId.ts"

/** How often the load is looked at. */
const lookMillis = 100
/** Refusals are told once, and their end when there were none for this long. */
const calmMillis = 5_000
/** Seconds, in turn, so that those who were refused together do not come back together. */
const retryAfterSeconds = [1, 2, 3] as const

/** Where the event loop's time went. */
interface Meter {
  /** The part of the time since the last call in which it was busy, 0 … 1. */
  readonly utilization: () => number
}

const eventLoop = (): Meter => {
  let before = performance.eventLoopUtilization()
  return {
    utilization: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    }
  }
}

/** A label of few values, by the path's beginning. The router ignores case and repeated slashes, and so does this. */
const groups: ReadonlyArray<readonly [group: string, path: RegExp]> = [
  ["notifications", /^\/+pf\/+v1\/+providers\//i],
  ["pages", /^\/+(?:pf\/+v1\/+3ds|sandbox)\//i],
  ["payments", /^\/+pf\//i],
  ["api", /^\/+api\//i]
]
const groupOf = (url: string) => groups.find(([, path]) => path.test(url))?.[0] ?? "other"

/** What tells whether the process is well has to be answered when it is not. */
const isWatching = (url: string) => /^\/+(?:healthz|readyz|metrics)\/?(?:[?#]|$)/i.test(url)

/** A notification is a provider's word about work that is done, and a page a buyer's way to end what was begun. */
const kindOf = (method: string | undefined, group: string): RequestKind =>
  method === "GET" || method === "HEAD" || group === "notifications" || group === "pages" ? "read" : "write"

/** A request that asks to be kept waiting (`?wait=20`). */
const isPatient = (url: string) => /[?&]wait=/.test(url)

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/** A request under way. It counts while the process works at it: not before it is whole, nor while a provider has it. */
interface Place {
  counts: boolean
  isOver: boolean
}

/** What of the load can be seen in one place only, told from there. */
export interface Load {
  /** Answers with 503 what cannot be served in time, before anything of it is read, and passes on the rest. */
  readonly guard: (dispatch: RequestListener) => RequestListener
  /** A provider has the request that `message` brought; the result is called when its answer is there. */
  readonly away: (message: object) => () => void
  /** Somebody waits for the database; the result is called when it has answered. */
  readonly waiting: () => () => void
}

const nothing = () => {}

/** The load of the process that serves the request; undefined in background work, and in programs without one. */
export const CurrentLoad: Context.Reference<Load | undefined> = Context.Reference(
  "@sarraf/runtime-http/http/Overload/CurrentLoad",
  { defaultValue: (): Load | undefined => undefined }
)

/** A call over the network, during which the request that makes it costs this process nothing. */
export const away = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const request = Context.getOrUndefined(fiber.context, HttpServerRequest.HttpServerRequest)
    const load = fiber.getRef(CurrentLoad)
    return request === undefined || load === undefined
      ? call
      : Effect.ensuring(call, Effect.sync(load.away(request.source)))
  })

/** Begins a wait for the database, and gives what ends it. */
export const beginWaiting: Effect.Effect<() => void> = Effect.map(CurrentLoad, (load) => load?.waiting() ?? nothing)

/** A question to the database before anything of a request is begun: its time tells how busy the database is. */
export const waited = <A, E, R>(question: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentLoad, (load) =>
    load === undefined ? question : Effect.ensuring(question, Effect.sync(load.waiting()))
  )

/** How long statements took since the last look: those that ended on average, or longer if the oldest still waits. */
const makeWaits = (now: () => number) => {
  const begun = new Set<{ readonly at: number }>()
  let sum = 0
  let count = 0
  return {
    begin: () => {
      const wait = { at: now() }
      begun.add(wait)
      return () => {
        if (!begun.delete(wait)) return
        sum += now() - wait.at
        count += 1
      }
    },
    /** Milliseconds. */
    take: () => {
      const [oldest] = begun
      const mean = count === 0 ? 0 : sum / count
      sum = 0
      count = 0
      return Math.max(mean, oldest === undefined ? 0 : now() - oldest.at)
    }
  }
}

/** Which requests are under way, and how many of them count. */
const makePlaces = () => {
  const places = new WeakMap<object, Place>()
  let counted = 0
  let answered = 0
  const set = (place: Place, counts: boolean) => {
    if (place.counts === counts || (counts && place.isOver)) return
    place.counts = counts
    counted += counts ? 1 : -1
  }
  return {
    counted: () => counted,
    take: (request: IncomingMessage, response: ServerResponse) => {
      const place: Place = { counts: false, isOver: false }
      places.set(request, place)
      // A body may be sent slowly, at no cost to anybody.
      if (hasBody(request)) request.once("end", () => set(place, true))
      else set(place, true)
      response.once("close", () => {
        set(place, false)
        place.isOver = true
        // Refusals are quick and say nothing about how many requests can be served.
        if (response.statusCode < 400) answered += 1
      })
    },
    away: (message: object) => {
      const place = places.get(message)
      if (place === undefined) return nothing
      set(place, false)
      return () => set(place, true)
    },
    takeAnswered: () => {
      const count = answered
      answered = 0
      return count
    }
  }
}

const detail =
  "More requests come than can be served. Nothing of this one was begun: repeat it as it is after the seconds in Retry-After."

/** The complete problem (contract section 2), for as little work as possible. */
const refuse = (request: IncomingMessage, response: ServerResponse, count: number) => {
  const given = request.headers["x-request-id"]
  const requestId = requestIdFrom(typeof given === "string" ? given : undefined)
  const instance = (request.url ?? "").replace(/[?#].*$/s, "")
  const body = JSON.stringify(problemBody("UNAVAILABLE", { detail, instance, requestId }))
  response
    .writeHead(503, {
      "content-type": ProblemDetails.contentType,
      "content-length": Buffer.byteLength(body),
      "x-request-id": requestId,
      "retry-after": String(retryAfterSeconds[count % retryAfterSeconds.length]),
      "cache-control": "no-store"
    })
    .end(body)
}

const makeShed = (context: Context.Context<never>) => {
  const counters = new Map<string, Metric.Counter<number>>()
  let total = 0
  return {
    total: () => total,
    shed: (group: string, request: IncomingMessage, response: ServerResponse) => {
      let counter = counters.get(group)
      if (counter === undefined) {
        counter = Metric.counter("requests_shed_total", {
          description:
            "Requests refused with 503 before anything of them was begun, since more came than can be served.",
          attributes: { group },
          incremental: true
        })
        counters.set(group, counter)
      }
      counter.updateUnsafe(1, context)
      refuse(request, response, total)
      total += 1
    }
  }
}

/** Says once that requests are refused, and once that they are not any more. */
const makeTold = () => {
  let told = 0
  let since: number | undefined
  let last = 0
  return (total: number, now: number) => {
    if (total > last) {
      const isFirst = since === undefined
      if (isFirst) told = last
      last = total
      since = now
      if (isFirst) return Effect.logWarning("More requests come than can be served: some are refused with 503")
    } else if (since !== undefined && now - since >= calmMillis) {
      since = undefined
      return Effect.logWarning(`All requests are served again; ${total - told} were refused with 503`)
    }
    return Effect.void
  }
}

/**
 * Watches how busy the event loop and the database are, and refuses what is too much: writes first, reads when that is
 * not enough, health and metrics never. Runs until the scope closes. `meter`: the event loop of this process by default.
 */
export const make = Effect.fnUntraced(function* (meter: Meter = eventLoop()) {
  const context = yield* Effect.context<never>()
  const gate = makeLoadGate()
  const places = makePlaces()
  const { shed, total } = makeShed(context)
  const tell = makeTold()
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const waits = makeWaits(now)

  let before = now()
  const look = Effect.suspend(() => {
    const at = now()
    const elapsedMillis = Math.max(1, at - before)
    before = at
    const answered = places.takeAnswered()
    gate.observe({ elapsedMillis, answered, utilization: meter.utilization(), statementMillis: waits.take() })
    return tell(total(), at)
  })
  yield* look.pipe(Effect.repeat(Schedule.spaced(lookMillis)), Effect.forkScoped)

  const guard =
    (dispatch: RequestListener): RequestListener =>
    (request, response) => {
      const { method, url = "" } = request
      if (!isWatching(url)) {
        const group = groupOf(url)
        if (gate.refuses(kindOf(method, group), places.counted())) return shed(group, request, response)
        if (!isPatient(url)) places.take(request, response)
      }
      dispatch(request, response)
    }
  return { guard, away: places.away, waiting: waits.begin } satisfies Load
})
