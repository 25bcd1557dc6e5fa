import { OwnAccount, type ProofWrong } from "@sarraf/domain/organizations/OwnAccount"
import { mustEnrol, type Session } from "@sarraf/domain/organizations/SessionStore"
import { Effect, Redacted, Struct } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Guesses } from "../auth/Guesses.ts"
import { withOrigin } from "../auth/origin.ts"
import { isSecureAddress, PublicAddress } from "../auth/PublicAddress.ts"
import { csrfToken, dropSessionCookie, sessionCookie } from "../auth/sessionCookie.ts"
import { invalid, refusals, timeOf, withSecretShown } from "./conventions.ts"
import { identityBody } from "./sessionIdentity.ts"

const shared = Struct.pick(refusals, ["RoleMissing", "Forbidden", "Unavailable"])

const messages = {
  current_password: "is not your present password",
  password: "is not your password",
  code: "is not right or was used before"
} satisfies Record<ProofWrong["field"], string>

const proof = {
  ...shared,
  ProofWrong: ({ field }: ProofWrong) => Effect.fail(invalid({ path: field, message: messages[field] }))
}

const isWrong = ({ _tag }: { readonly _tag: string }) => _tag === "ProofWrong"

const sessionBody = (session: Session, current: string) => ({
  id: session.id,
  created_at: timeOf(session.createdAt),
  last_used_at: timeOf(session.lastUsedAt),
  expires_at: timeOf(session.expiresAt),
  address: session.address,
  user_agent: session.userAgent,
  current: session.id === current
})

/** The token, where it came in the cookie. */
const cookieTokenOf = (isSecure: boolean) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ cookies, headers }) => {
    const token = cookies[sessionCookie(isSecure)]
    return headers.authorization === undefined && token !== undefined ? Redacted.make(token) : undefined
  })

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "auth",
  Effect.fn(function* (handlers) {
    const account = yield* OwnAccount
    const guesses = yield* Guesses
    const isSecure = isSecureAddress(yield* PublicAddress)
    const cookieToken = cookieTokenOf(isSecure)
    return handlers
      .handle("signOut", () =>
        Effect.gen(function* () {
          yield* withOrigin(account.signOut)
          if ((yield* cookieToken) !== undefined) yield* dropSessionCookie(isSecure)
        }).pipe(Effect.catchTags(shared))
      )
      .handle("current", () =>
        Effect.gen(function* () {
          const { memberships, signedIn } = yield* account.whoAmI
          const { hasSecondFactor, membership, person, session } = signedIn
          const token = yield* cookieToken
          return {
            id: session.id,
            expires_at: timeOf(session.expiresAt),
            ...identityBody({ person, membership, memberships, hasSecondFactor, mustEnrol: mustEnrol(signedIn) }),
            ...(token === undefined ? {} : { csrf_token: csrfToken(token) })
          }
        }).pipe(Effect.catchTags(shared))
      )
      .handle("sessions", () =>
        account.sessions.pipe(
          Effect.map(({ all, current }) => ({ data: all.map((session) => sessionBody(session, current)) })),
          Effect.catchTags(shared)
        )
      )
      .handle("endSession", ({ params }) =>
        withOrigin(account.endSession(params.id)).pipe(
          Effect.catchTags({ ...shared, ...Struct.pick(refusals, ["NotFound"]) })
        )
      )
      .handle("changePassword", ({ payload: { current_password, new_password } }) =>
        withOrigin(
          guesses.count(account.changePassword(Redacted.make(current_password), Redacted.make(new_password)), isWrong)
        ).pipe(Effect.catchTags({ ...proof, ...Struct.pick(refusals, ["InvalidFields"]) }))
      )
      .handle("beginSecondFactor", ({ payload }) =>
        withOrigin(guesses.count(account.beginSecondFactor(Redacted.make(payload.password)), isWrong)).pipe(
          Effect.tap(() => withSecretShown),
          Effect.map(({ secret, uri }) => ({ secret: Redacted.value(secret), uri: Redacted.value(uri) })),
          Effect.catchTags({ ...proof, ...Struct.pick(refusals, ["StateRefused"]) })
        )
      )
      .handle("confirmSecondFactor", ({ payload }) =>
        withOrigin(guesses.count(account.confirmSecondFactor(Redacted.make(payload.code)), isWrong)).pipe(
          Effect.catchTags({ ...proof, ...Struct.pick(refusals, ["StateRefused"]) })
        )
      )
      .handle("removeSecondFactor", ({ payload }) =>
        withOrigin(guesses.count(account.removeSecondFactor(Redacted.make(payload.password)), isWrong)).pipe(
          Effect.catchTags({ ...proof, ...Struct.pick(refusals, ["StateRefused"]) })
        )
      )
  })
)
