import { Notifications } from "@sarraf/domain/payments/Notifications"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { GatewayRateLimit } from "../auth/GatewayRateLimit.ts"
import type { ServedRoute } from "./allowedMethods.ts"
import { problemResponse } from "./Problem.ts"

const path = "/pf/v1/providers/:provider/notifications"

/** Everything this layer serves, for telling 404 and 405 apart. */
export const routes: ReadonlyArray<ServedRoute> = [["POST", path]]

const queryOf = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(/\?([^#]*)/u.exec(url)?.[1] ?? ""))

/**
 * Where the providers post what they have to say (contract section 4, inbound notifications): the exact bytes are
 * verified and stored before the answer, which is in the provider's own words. Forged ones are counted against their
 * address, apart from failed signatures of clients, and after sixty in a minute refused with 429.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications
    const rateLimit = yield* GatewayRateLimit

    const forged = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const address = Option.getOrElse(request.remoteAddress, () => "unknown")
      yield* rateLimit.countFailure(address, "notifications")
      return problemResponse("INVALID_SIGNATURE", { detail: "The notification's signature is missing or wrong." })
    })

    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { provider = "" } = yield* HttpRouter.params
      const body = new Uint8Array(yield* request.arrayBuffer)
      const { headers, url } = request
      const received = notifications.receive(provider, { headers, query: queryOf(url), body })
      return yield* received.pipe(
        Effect.map((acknowledged) =>
          HttpServerResponse.text(acknowledged.body, {
            contentType: acknowledged.contentType,
            headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" }
          })
        ),
        Effect.catchTags({
          NotificationForged: () => forged(request),
          NotificationsUnknown: () =>
            Effect.succeed(
              problemResponse("NOT_FOUND", { detail: "No provider here posts notifications to this address." })
            ),
          Unavailable: () =>
            Effect.succeed(
              HttpServerResponse.setHeader(
                problemResponse("UNAVAILABLE", { detail: "The notification was not stored. Post it again." }),
                "retry-after",
                "5"
              )
            )
        })
      )
    }).pipe(
      Effect.catchTags({
        RATE_LIMITED: ({ detail }) => Effect.succeed(problemResponse("RATE_LIMITED", { detail })),
        HttpServerError: () => Effect.succeed(problemResponse("PAYLOAD_TOO_LARGE"))
      })
    )
    yield* router.add("POST", path, answer)
  })
)
