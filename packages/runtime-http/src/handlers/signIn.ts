import { AcceptLink } from "@sarraf/domain/organizations/AcceptLink"
import type { BegunSession, SignInRefused } from "@sarraf/domain/organizations/BeginSession"
import { SignIn } from "@sarraf/domain/organizations/SignIn"
import { Effect, Redacted, Struct } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { AcceptBody, SignInBody } from "../api/auth.ts"
import * as problems from "../api/problems.ts"
import { challenge } from "../auth/Bearer.ts"
import { GatewayMode } from "../auth/GatewayMode.ts"
import { Guesses } from "../auth/Guesses.ts"
import { withOrigin } from "../auth/origin.ts"
import { isSecureAddress, PublicAddress } from "../auth/PublicAddress.ts"
import { csrfToken, setSessionCookie } from "../auth/sessionCookie.ts"
import { withHeader } from "../http/AnswerHeaders.ts"
import { refusals, timeOf, warningsAbout, withSecretShown } from "./conventions.ts"
import { identityBody } from "./sessionIdentity.ts"

/** One answer for everything that is not right, so that it tells nothing; only who has the password hears of the code. */
const details = {
  credentials: "The e-mail address, the password or the organization is not right.",
  codeMissing: "The password is right: send the code that the authenticator shows as `code`, too.",
  codeWrong: "The `code` is not right or was used before: send the next one that the authenticator shows.",
  codesSpent: "There were too many wrong codes: wait some minutes, then send the one that the authenticator shows."
} satisfies Record<SignInRefused["reason"], string>

/** One more wrong code is looked at after so many seconds. */
const withRetryAfter = withHeader("retry-after", "180")

const refused = {
  ...Struct.pick(refusals, ["Unavailable"]),
  SignInRefused: Effect.fnUntraced(function* ({ reason }: SignInRefused) {
    const detail = details[reason]
    yield* reason === "codesSpent" ? withRetryAfter : challenge
    return yield* reason === "codesSpent"
      ? new problems.RateLimited({ detail })
      : new problems.Unauthenticated({ detail })
  })
}

const refusedLink = {
  ...refused,
  ...Struct.pick(refusals, ["InvalidFields"]),
  NotFound: () =>
    Effect.fail(
      new problems.NotFound({ detail: "This link was used or replaced, or its time is over: ask for a new one." })
    )
}

const isWrong = ({ _tag, reason }: { readonly _tag: string; readonly reason?: string }) =>
  _tag === "SignInRefused" && reason !== "codeMissing"

const userAgent = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => headers["user-agent"] ?? null)

/** A page of another origin can send a body without a type unasked, and would sign the browser in as somebody else. */
const requireType = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  headers["content-type"] === undefined
    ? Effect.fail(
        new problems.UnsupportedMediaType({ detail: "Send the body as JSON with Content-Type: application/json." })
      )
    : Effect.void
)

const redacted = (text: string | null | undefined) => (text == null ? undefined : Redacted.make(text))

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "signIn",
  Effect.fn(function* (handlers) {
    const ways = yield* SignIn
    const links = yield* AcceptLink
    const guesses = yield* Guesses
    const { livemode } = yield* GatewayMode
    const isSecure = isSecureAddress(yield* PublicAddress)
    const unknownOfSignIn = warningsAbout(SignInBody)
    const unknownOfAccept = warningsAbout(AcceptBody)

    /** The token in the answer, or in a cookie beside it. */
    const begunBody = Effect.fnUntraced(function* (begun: BegunSession, isCookie: boolean) {
      const { expiresAt, membership, memberships, mustEnrol, person, token } = begun
      yield* withSecretShown
      if (isCookie) yield* setSessionCookie(token, expiresAt, isSecure)
      const hasSecondFactor = person.secondFactor !== null
      return {
        ...(isCookie ? { csrf_token: csrfToken(token) } : { token: Redacted.value(token) }),
        expires_at: timeOf(expiresAt),
        ...identityBody({ person, membership, memberships, mustEnrol, hasSecondFactor })
      }
    })

    return handlers
      .handle("signIn", ({ payload }) =>
        Effect.gen(function* () {
          yield* requireType
          const attempt = ways.signIn({
            email: payload.email,
            password: Redacted.make(payload.password),
            organizationId: payload.organization_id ?? undefined,
            code: redacted(payload.code),
            livemode,
            userAgent: yield* userAgent
          })
          const begun = yield* withOrigin(guesses.count(attempt, isWrong))
          return { ...(yield* begunBody(begun, payload.cookie === true)), ...(yield* unknownOfSignIn) }
        }).pipe(Effect.catchTags(refused))
      )
      .handle("accept", ({ payload }) =>
        Effect.gen(function* () {
          yield* requireType
          const attempt = links.accept({
            token: Redacted.make(payload.token),
            password: Redacted.make(payload.password),
            name: payload.name?.trim(),
            code: redacted(payload.code),
            livemode,
            userAgent: yield* userAgent
          })
          const begun = yield* withOrigin(guesses.count(attempt, isWrong))
          return { ...(yield* begunBody(begun, payload.cookie === true)), ...(yield* unknownOfAccept) }
        }).pipe(Effect.catchTags(refusedLink))
      )
  })
)
