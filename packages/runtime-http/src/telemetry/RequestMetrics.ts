import { type Context, Effect, Metric, Option, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import { PrometheusMetrics } from "effect/observability"
import type { ServedRoute } from "../http/allowedMethods.ts"
import { problemResponse } from "../http/Problem.ts"

/** Anything else a client invents is counted as OTHER, so that no client can add series. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Seconds. Narrow around what a provider takes (tenths), wide up to the request's own end at 30 s. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const makeSeries = (labels: { readonly method: string; readonly route: string; readonly status: string }) => ({
  count: Metric.counter("http_requests_total", {
    description: "Requests answered, by route, method and class of the status.",
    attributes: labels,
    incremental: true
  }),
  seconds: Metric.histogram("http_request_duration_seconds", {
    description: "Time from the request's headers to its answer, in seconds.",
    attributes: labels,
    boundaries
  })
})
type Series = ReturnType<typeof makeSeries>

/** The label of requests that no route answered. */
export const unmatched = "unmatched"

/** `route` is the router's pattern (`/pf/v1/payments/:id`), never a path, which could hold an identifier or a token. */
interface AnsweredRequest {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly millis: number
}

/**
 * Counts answered requests in the metric registry of `context`. Labels name no organization, and their number is
 * bounded: routes come from the router, methods and classes of status from fixed sets. A plain function, since it runs
 * for every request.
 */
export const makeRecorder = () => {
  const seriesByLabels = new Map<string, Series>()
  return (context: Context.Context<never>, { method, millis, route, status }: AnsweredRequest) => {
    const known = methods.has(method) ? method : "OTHER"
    const statusClass = `${Math.trunc(status / 100)}xx`
    const key = `${known} ${route} ${statusClass}`
    let series = seriesByLabels.get(key)
    if (series === undefined) {
      series = makeSeries({ method: known, route, status: statusClass })
      seriesByLabels.set(key, series)
    }
    series.count.updateUnsafe(1, context)
    series.seconds.updateUnsafe(millis / 1000, context)
  }
}

/** Headers that a proxy adds: behind one, every client's connection comes from this machine. */
const proxyHeaders = ["forwarded", "via", "x-forwarded-for", "x-real-ip"]

const isLoopback = (address: string) => {
  const parsed = NetAddress.ipFromString(address.replace(/^::ffff:(?=\d+\.)/i, ""))
  return Result.isSuccess(parsed) && NetAddress.isLoopback(parsed.success)
}

const isLocal = (request: HttpServerRequest.HttpServerRequest) =>
  Option.exists(request.peerAddress, isLoopback) && !proxyHeaders.some((name) => request.headers[name] !== undefined)

/** Everything this layer serves, for telling 404 and 405 apart. */
export const routes: ReadonlyArray<ServedRoute> = [["GET", "/metrics"]]

/** `GET /metrics` in Prometheus' text format, for clients on this machine alone (contract section 1); else FORBIDDEN. */
export const layer = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!isLocal(request)) {
      return problemResponse("FORBIDDEN", {
        detail: "Metrics are served to clients on the same machine only. Scrape them there, without a proxy between."
      })
    }
    return HttpServerResponse.text(yield* PrometheusMetrics.format({ prefix: "sarraf" }), {
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      headers: { "cache-control": "no-store" }
    })
  })
)
