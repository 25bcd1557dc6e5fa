import { AllowedOrigins } from "@sarraf/domain/organizations/AllowedOrigins"
import { Context, Effect } from "effect"
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
 * Lets web pages call `/api` with a bearer credential (contract section 3): an answer is shown to origins that the
 * caller's organization lists. A preflight carries no credential, so it is answered for origins that any organization
 * lists. Cookies, and everything outside of `/api`, stay closed to other origins.
 */
export const layer = HttpRouter.middleware(
  Effect.map(AllowedOrigins, (origins) => {
    // Without the database nobody is shown anything.
    const listedBy = (origin: string) => Effect.catch(origins.listedBy(origin), () => Effect.succeed(new Set<string>()))
    const crossOrigin = (origin: string) => (organizationId: string) =>
      Effect.flatMap(listedBy(origin), (listing) => (listing.has(organizationId) ? showTo(origin) : Effect.void))
    return (httpEffect) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!isApi(request.url)) return yield* httpEffect
        const { authorization, origin, ...sent } = request.headers
        if (origin === undefined) return varies(yield* httpEffect)
        if (request.method === "OPTIONS" && sent["access-control-request-method"] !== undefined) {
          return (yield* listedBy(origin)).size > 0 ? preflightAnswer(origin) : varies(yield* httpEffect)
        }
        const shown =
          authorization === undefined ? httpEffect : Effect.provideService(httpEffect, CrossOrigin, crossOrigin(origin))
        return varies(yield* shown)
      })
  }),
  { global: true }
)
