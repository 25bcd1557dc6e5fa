import { ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import { personAsCaller } from "@sarraf/domain/organizations/BeginSession"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { CurrentSession, mustEnrol, SessionStore, type SignedIn } from "@sarraf/domain/organizations/SessionStore"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Bearer, OpenToEnrolment } from "../api/bearer.ts"
import * as problems from "../api/problems.ts"
import { CrossOrigin } from "../http/Cors.ts"
import { GatewayMode } from "./GatewayMode.ts"
import { GatewayRateLimit } from "./GatewayRateLimit.ts"
import { isSecureAddress, PublicAddress } from "./PublicAddress.ts"
import { isCsrfToken, sessionCookie } from "./sessionCookie.ts"

/** Longer than any key of ours; what is longer is not looked up. */
const isKey = (text: string): boolean => /^key_(?:test|live)_[\x21-\x7e]{1,200}$/u.test(text)
const isSession = (text: string): boolean => /^sess_[A-Za-z0-9_-]{43}$/u.test(text)
/** An `mcp_` token, or what the authorization server gives assistants: 256 bits without a prefix. */
const isAssistants = (text: string): boolean => text.startsWith("mcp_") || /^[A-Za-z0-9_-]{43}$/u.test(text)

/** RFC 9110, section 11.6.1: a 401 says which scheme it wants. */
export const challenge = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "www-authenticate", "Bearer"))
)

const unauthenticated = Effect.andThen(
  challenge,
  Effect.fail(
    new problems.Unauthenticated({
      detail:
        "Send a valid credential of this mode in the header Authorization: Bearer, an API key or a session's token."
    })
  )
)

const isRead = (method: string): boolean => ["GET", "HEAD", "OPTIONS"].includes(method)

/**
 * What the request is made with: the header, or where there is none the cookie of a session. Browsers send cookies along
 * with whatever, so that a changing request must show that it was made by a page of ours.
 */
const credentialOf = (bearer: Redacted.Redacted<string>, cookie: string) =>
  Effect.gen(function* () {
    const { cookies, headers, method } = yield* HttpServerRequest.HttpServerRequest
    const text = cookies[cookie]
    if (headers.authorization !== undefined || text === undefined || !isSession(text)) return bearer
    const token = Redacted.make(text)
    if (isRead(method) || isCsrfToken(headers["x-csrf-token"], token)) return token
    return yield* new problems.Forbidden({
      detail: "With the session's cookie a changing request needs the header x-csrf-token: /api/auth/session tells it."
    })
  })

/** Who asks, and with which session. */
interface Authenticated {
  readonly caller: Caller["Service"]
  readonly session: SignedIn | undefined
}

/** Bearer credentials by prefix (contract section 3). Unknown, expired, revoked and of the other mode look alike. */
export const layer = Layer.effect(
  Bearer,
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const sessions = yield* SessionStore
    const rateLimit = yield* GatewayRateLimit
    const { livemode } = yield* GatewayMode
    const showTo = yield* CrossOrigin
    const cookie = sessionCookie(isSecureAddress(yield* PublicAddress))

    const refused = Effect.gen(function* () {
      const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
      yield* rateLimit.countFailure(Option.getOrElse(remoteAddress, () => "unknown"))
      return yield* unauthenticated
    })

    const ofSession = Effect.fnUntraced(function* (token: Redacted.Redacted<string>, isOpenToEnrolment: boolean) {
      const found = yield* sessions.find(token)
      // A sandbox's person is unknown in live mode, and the other way round.
      if (found === undefined || found.membership.isSandbox === livemode) return yield* refused
      yield* rateLimit.consume(`user:${found.person.id}`)
      if (mustEnrol(found) && !isOpenToEnrolment) {
        return yield* new problems.Forbidden({
          detail:
            "The organization demands a second factor: set one up with POST /api/auth/second-factor, then confirm it."
        })
      }
      return { caller: personAsCaller(found.person.id, found.membership), session: found } satisfies Authenticated
    })

    const ofKey = Effect.fnUntraced(function* (credential: Redacted.Redacted<string>) {
      const found = isKey(Redacted.value(credential)) ? yield* keys.find(credential) : undefined
      // A sandbox key is unknown in live mode, and a live one in TEST mode.
      const key = found?.livemode === livemode ? found : undefined
      if (key === undefined) return yield* refused
      if (livemode && !key.isVerified) {
        return yield* new problems.VerificationRequired({
          detail: "Complete the business verification of your organization first."
        })
      }
      yield* rateLimit.consume(`key:${key.organizationId}:${key.id}`)
      const caller = Caller.of({
        organizationId: key.organizationId,
        role: key.role,
        name: `key:${key.id}`,
        kind: "key",
        userId: null,
        createdBy: key.createdBy
      })
      return { caller, session: undefined } satisfies Authenticated
    })

    const authenticate = (bearer: Redacted.Redacted<string>, isOpenToEnrolment: boolean) =>
      Effect.gen(function* () {
        const credential = yield* credentialOf(bearer, cookie)
        const text = Redacted.value(credential)
        if (isAssistants(text)) {
          return yield* new problems.Forbidden({
            detail: "An assistant's token opens the assistant server and nothing else."
          })
        }
        return yield* isSession(text) ? ofSession(credential, isOpenToEnrolment) : ofKey(credential)
      }).pipe(
        Effect.catchTag("Unavailable", () =>
          Effect.fail(new problems.ServiceUnavailable({ detail: "Nothing was begun. Send the request again." }))
        )
      )

    return Bearer.of({
      bearer: (handler, { credential, endpoint }) =>
        Effect.flatMap(
          authenticate(credential, Context.get(endpoint.annotations, OpenToEnrolment)),
          ({ caller, session }) =>
            showTo(caller.organizationId).pipe(
              Effect.andThen(handler),
              Effect.provideService(Caller, caller),
              Effect.provideService(CurrentSession, session)
            )
        )
    })
  })
)
