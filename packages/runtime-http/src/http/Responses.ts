import { Cause, Context, Effect, type Fiber, LogLevel, References } from "effect"
import {
  HttpBody,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  ProblemDetails
} from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { errorCodeOf, isErrorCode } from "../api/errorCatalogue.ts"
import * as RequestMetrics from "../telemetry/RequestMetrics.ts"
import { makeAllowedMethods, type ServedRoute } from "./allowedMethods.ts"
import { refuseNul } from "./nulInAddress.ts"
import { problemBody, problemResponse } from "./Problem.ts"
import { RequestId, requestIdFrom } from "./RequestId.ts"

type Response = HttpServerResponse.HttpServerResponse
type Members = Readonly<Record<string, unknown>>

/** What is known of a request when its answer leaves. */
interface Exchange {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly requestId: string
  /** The router's pattern; `undefined` when no route matched. */
  readonly route: string | undefined
}

/** A request as it came in; `at` counts milliseconds from the start of the process. */
interface Arrived {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly requestId: string
  readonly at: number
}

/** What is counted and logged of an answer; `code` is a failure's. */
interface Answered {
  readonly status: number
  readonly code: string | undefined
  readonly millis: number
}

const isProblem = (response: Response) =>
  response.headers["content-type"]?.startsWith(ProblemDetails.contentType) === true

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The members of a problem that a handler made, or none: any other body of a failure is dropped, not passed on. */
const membersOf = (response: Response): Members => {
  if (!isProblem(response) || response.body._tag !== "Uint8Array") return {}
  const text = response.body.text ?? new TextDecoder().decode(response.body.body)
  const parsed: unknown = JSON.parse(text)
  return isObject(parsed) ? parsed : {}
}

const pathOf = (url: string) => url.replace(/[?#].*$/s, "")

/** Every failure leaves as RFC 9457 demands and contract section 2 lists, whoever made it. */
const toProblem = (response: Response, exchange: Exchange, allow: string | undefined) => {
  const status = allow === undefined ? response.status : 405
  const given = membersOf(response)
  const code = typeof given.code === "string" ? given.code : errorCodeOf(status)
  const body = {
    ...problemBody(isErrorCode(code) ? code : errorCodeOf(status)),
    instance: pathOf(exchange.request.url),
    ...given,
    status,
    code,
    requestId: exchange.requestId
  }
  const rendered = HttpServerResponse.setBody(
    HttpServerResponse.setStatus(response, status),
    HttpBody.jsonUnsafe(body, ProblemDetails.contentType)
  )
  const headers = {
    "x-request-id": exchange.requestId,
    "cache-control": response.headers["cache-control"] ?? "no-store",
    ...(allow === undefined ? {} : { allow })
  }
  return { code, response: HttpServerResponse.setHeaders(rendered, headers) }
}

/**
 * An interrupted request that the client did not leave: the server is stopping. A read moved nothing; of anything else
 * the outcome is not known, and UNAVAILABLE would claim that nothing was sent anywhere.
 */
const interrupted = (method: string) =>
  method === "GET" || method === "HEAD"
    ? problemResponse("UNAVAILABLE", { detail: "The server is stopping. Send the request again." })
    : problemResponse("TIMEOUT", {
        detail: "The server stopped before the outcome was known. Repeat the request with the same Idempotency-Key."
      })

const leftByClient = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some((reason) => reason.annotations.has(HttpServerError.ClientAbort.key))

/** One line per answered request. Faults of the server carry their cause, which goes nowhere else. */
const logAnswer = (level: LogLevel.Severity, exchange: Exchange, answer: Answered, cause: Cause.Cause<unknown>) => {
  const { code, millis, status } = answer
  const route = exchange.route ?? RequestMetrics.unmatched
  return Effect.logWithLevel(level)(`${exchange.request.method} ${route} ${status}`, cause).pipe(
    Effect.annotateLogs({ ...(code === undefined ? {} : { code }), durationMillis: Math.round(millis * 10) / 10 })
  )
}

const levelOf = (status: number, cause: Cause.Cause<unknown>, usual: LogLevel.Severity) =>
  status < 500 ? usual : cause.reasons.length > 0 ? "Error" : "Warn"

/** nginx's number for a client that left before the answer; nobody receives it, but it is counted and logged. */
const clientLeft = 499

export interface Options {
  /** Routes beside the typed API, for the difference between 404 and 405. */
  readonly alsoServed?: ReadonlyArray<ServedRoute>
  /** The level of the line per answered request; at a higher `LOG_LEVEL` it is neither written nor built. */
  readonly requestLogLevel?: LogLevel.Severity
}

/** What every answer passes on its way out: it is completed, counted, and logged where the level asks for it. */
const makeLeave = (options: Options, allowedMethods: (url: string) => string | undefined) => {
  const record = RequestMetrics.makeRecorder()
  const usual = options.requestLogLevel ?? "Debug"
  const pages = new Set<string>((options.alsoServed ?? []).flatMap(([, path, kind]) => (kind === "page" ? [path] : [])))
  return (
    fiber: Fiber.Fiber<unknown, unknown>,
    { at, request, requestId }: Arrived,
    response: Response,
    cause: Cause.Cause<unknown>
  ): Effect.Effect<Response> => {
    const route = Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route.path
    const exchange = { request, requestId, route }
    const mayBeOther = response.status === 404 && route === undefined && refuseNul(request.url) === undefined
    const allow = mayBeOther ? allowedMethods(request.url) : undefined
    const isPage = route !== undefined && pages.has(route) && cause.reasons.length === 0 && !isProblem(response)
    const { code, response: leaving } =
      response.status < 400 || isPage
        ? { code: undefined, response: HttpServerResponse.setHeader(response, "x-request-id", requestId) }
        : toProblem(response, exchange, allow)
    const answer = { status: leaving.status, code, millis: performance.now() - at }
    record(fiber.context, { route: route ?? RequestMetrics.unmatched, method: request.method, ...answer })
    const level = levelOf(answer.status, cause, usual)
    return LogLevel.isGreaterThanOrEqualTo(level, fiber.cache.minimumLogLevel)
      ? Effect.as(logAnswer(level, exchange, answer, cause), leaving)
      : Effect.succeed(leaving)
  }
}

/**
 * Wraps every route. Each answer carries `x-request-id`; each of status 400 and above is `application/problem+json`,
 * but for pages; 404 and 405 are told apart; faults of the server are logged with their cause and answered without
 * it. Counts and times every request. Handlers, and the log lines they write, find the identifier in `RequestId`.
 *
 * Build it before other global middleware, so that it is outermost.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  options: Options = {}
) =>
  HttpRouter.middleware(
    Effect.map(HttpRouter.RouterConfig, (config) => {
      const leave = makeLeave(options, makeAllowedMethods(api, options.alsoServed ?? [], config))
      return (httpEffect) =>
        Effect.withFiber((fiber) => {
          const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
          const requestId = requestIdFrom(request.headers["x-request-id"])
          const arrived = { request, requestId, at: performance.now() }
          const annotations = { ...fiber.getRef(References.CurrentLogAnnotations), requestId }
          // The router leaves the matched route in this fiber's context, so the answer is made inside of it.
          const refused = refuseNul(request.url)
          return Effect.matchCauseEffect(refused === undefined ? httpEffect : Effect.succeed(refused), {
            onSuccess: (response) => leave(fiber, arrived, response, Cause.empty),
            onFailure: (cause) => {
              if (!Cause.hasInterruptsOnly(cause)) {
                return Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) =>
                  leave(fiber, arrived, response, response.status >= 500 ? cause : Cause.empty)
                )
              }
              if (!leftByClient(cause)) return leave(fiber, arrived, interrupted(request.method), cause)
              const left = leave(fiber, arrived, HttpServerResponse.empty({ status: clientLeft }), Cause.empty)
              return Effect.andThen(left, Effect.failCause(cause))
            }
          }).pipe(
            Effect.updateContext((context: Context.Context<never>) =>
              context.pipe(
                Context.add(RequestId, requestId),
                Context.add(References.CurrentLogAnnotations, annotations)
              )
            )
          )
        })
    }),
    { global: true }
  )
