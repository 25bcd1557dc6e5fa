import { ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Bearer } from "../api/bearer.ts"
import * as problems from "../api/problems.ts"
import { GatewayMode } from "./GatewayMode.ts"
import { GatewayRateLimit } from "./GatewayRateLimit.ts"

/** Longer than any key of ours; what is longer is not looked up. */
const isKey = (text: string): boolean => /^key_(?:test|live)_[\x21-\x7e]{1,200}$/u.test(text)

/** RFC 9110, section 11.6.1: a 401 says which scheme it wants. */
const challenge = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "www-authenticate", "Bearer"))
)

const unauthenticated = Effect.andThen(
  challenge,
  Effect.fail(
    new problems.Unauthenticated({
      detail: "Send a valid API key of this mode in the header Authorization: Bearer key_…"
    })
  )
)

/** Bearer credentials by prefix (contract section 3). Unknown, expired, revoked and of the other mode look alike. */
export const layer = Layer.effect(
  Bearer,
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const rateLimit = yield* GatewayRateLimit
    const { livemode } = yield* GatewayMode

    const authenticate = Effect.fnUntraced(
      function* (credential: Redacted.Redacted<string>) {
        const text = Redacted.value(credential)
        if (text.startsWith("mcp_")) {
          return yield* new problems.Forbidden({ detail: "An mcp_ token opens the assistant server and nothing else." })
        }
        const found = isKey(text) ? yield* keys.find(credential) : undefined
        // A sandbox key is unknown in live mode, and a live one in TEST mode.
        const key = found?.livemode === livemode ? found : undefined
        if (key === undefined) {
          const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
          yield* rateLimit.countFailure(Option.getOrElse(remoteAddress, () => "unknown"))
          return yield* unauthenticated
        }
        if (livemode && !key.isVerified) {
          return yield* new problems.VerificationRequired({
            detail: "Complete the business verification of your organization first."
          })
        }
        yield* rateLimit.consume(`key:${key.organizationId}:${key.id}`)
        return Caller.of({
          organizationId: key.organizationId,
          role: key.role,
          name: `key:${key.id}`,
          kind: "key",
          userId: null,
          createdBy: key.createdBy
        })
      },
      Effect.catchTag("Unavailable", () =>
        Effect.fail(new problems.ServiceUnavailable({ detail: "Nothing was begun. Send the request again." }))
      )
    )

    return Bearer.of({
      bearer: (handler, { credential }) =>
        Effect.flatMap(authenticate(credential), (caller) => Effect.provideService(handler, Caller, caller))
    })
  })
)
