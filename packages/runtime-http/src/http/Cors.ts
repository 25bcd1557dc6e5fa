import { AllowedOrigins } from "@sarraf/domain/organizations/AllowedOrigins"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** What pages of other origins may send, beside what browsers allow anyway. */
const methods = "GET, POST, PUT, PATCH, DELETE"
const headers = "Authorization, Content-Type, Idempotency-Key, If-Match, X-Request-Id"

/** What of an answer their scripts may read, beside the body. */
const exposed =
  "ETag, Location, Idempotent-Replayed, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Disposition"

/** How long a browser remembers the answer to a preflight; an origin that is taken out is refused by the answers at once. */
const rememberedSeconds = "600"

const isApi = (url: string): boolean => /^\/+api(?:[/?]|$)/iu.test(url)

/** Who may read the answer is known with the caller: whoever authenticates calls it with the caller's organization. */
export const CrossOrigin = Context.Reference<
  (organizationId: string) => Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>
>("@sarraf/runtime-http/http/Cors/CrossOrigin", { defaultValue: () => () => Effect.void })

const varies = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeader(
    response,
    "vary",
    response.headers.vary === undefined ? "Origin" : `${response.headers.vary}, Origin`
  )

const preflightAnswer = (origin: string) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": headers,
      "access-control-max-age": rememberedSeconds,
      "cache-control": "no-store",
      vary: "Origin"
    }
  })

/** The organizations that list the origin. Without the database nobody is shown anything. */
const listedBy = (origins: AllowedOrigins["Service"], origin: string) =>
  Effect.catch(origins.listedBy(origin), () => Effect.succeed<ReadonlySet<string>>(new Set()))

/** Adds what lets the browser hand the answer to a page of this origin. Never with credentials of the browser's own. */
const showTo = (origin: string) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(
      HttpServerResponse.setHeaders(response, {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": exposed
      })
    )
  )

/**
 * Shows the answer to the page that asks, where its credential is no cookie and the caller's organization lists its origin.
 * No middleware around the route provides this: what is provided around a route hides from the others which it was.
 */
export const crossOriginLayer = Layer.effect(
  CrossOrigin,
  Effect.map(
    AllowedOrigins,
    (origins) => (organizationId: string) =>
      Effect.gen(function* () {
        const { headers, url } = yield* HttpServerRequest.HttpServerRequest
        const { authorization, origin } = headers
        if (origin === undefined || authorization === undefined || !isApi(url)) return
        if ((yield* listedBy(origins, origin)).has(organizationId)) yield* showTo(origin)
      })
  )
)

/**
 * Lets web pages call `/api` with a bearer credential (contract section 3): an answer is shown to origins that the
 * caller's organization lists. A preflight carries no credential, so it is answered for origins that any organization
 * lists. Cookies, and everything outside of `/api`, stay closed to other origins.
 */
export const layer = HttpRouter.middleware(
  Effect.map(
    AllowedOrigins,
    (origins) => (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method, url }) => {
        if (!isApi(url)) return httpEffect
        const { origin, "access-control-request-method": asked } = headers
        const answer = Effect.map(httpEffect, varies)
        if (origin === undefined || method !== "OPTIONS" || asked === undefined) return answer
        return Effect.flatMap(listedBy(origins, origin), ({ size }) =>
          size > 0 ? Effect.succeed(preflightAnswer(origin)) : answer
        )
      })
  ),
  { global: true }
)
