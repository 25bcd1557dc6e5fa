import { Role } from "@sarraf/domain/organizations/Caller"
import { passwordLengthMax } from "@sarraf/domain/organizations/Passwords"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Bearer, OpenToEnrolment } from "./bearer.ts"
import { idParams, isStorable, listOf, optional, Text, Timestamp, warnings } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

/** As it was typed: spaces count. What a new one must be is the domain's rule. */
const PasswordText = Schema.String.check(isStorable, Schema.isMaxLength(passwordLengthMax)).annotate({
  format: "password"
})

const Code = Schema.String.check(
  Schema.isPattern(/^\d{6}$/u, { message: "must be the six digits that the authenticator shows" })
)

/** What an organization is to who signed in to it. */
const SessionOrganization = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  role: Role,
  base_currency: Schema.String,
  timezone: Schema.String
}).annotate({ identifier: "SessionOrganization" })

const person = { id: Schema.String, email: Schema.String, name: Schema.String }

/** The part that the start of a session and every later look at it have in common. */
const identity = {
  user: Schema.Struct(person).annotate({ identifier: "SessionUser" }),
  organization: SessionOrganization,
  organizations: Schema.Array(SessionOrganization),
  second_factor: Schema.Literals(["active", "none", "required"]).annotate({
    description: "required: the organization demands one, and until it is set up nothing else is open."
  }),
  csrf_token: Schema.optionalKey(Schema.String).annotate({
    description: "Only with the cookie: to be sent as x-csrf-token with every request that changes something."
  })
}

/** The answer to a sign-in; `token` is shown once, and left out where it is in the cookie. */
const BegunSessionBody = Schema.Struct({
  token: Schema.optionalKey(Schema.String),
  expires_at: Timestamp.annotate({
    description: "At the latest; a session that is not used for 12 hours ends sooner."
  }),
  ...identity,
  ...warnings
}).annotate({ identifier: "BegunSession" })

const CurrentSessionBody = Schema.Struct({ id: Schema.String, expires_at: Timestamp, ...identity }).annotate({
  identifier: "CurrentSession"
})

const SessionBody = Schema.Struct({
  id: Schema.String,
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
  address: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  current: Schema.Boolean
}).annotate({ identifier: "Session" })

/** Body of `POST /api/auth/sign-in`. */
export const SignInBody = Schema.Struct({
  email: Schema.String.check(isStorable, Schema.isMaxLength(254)),
  password: PasswordText,
  organization_id: optional(Schema.String.check(isStorable)),
  code: optional(Code),
  cookie: optional(Schema.Boolean)
}).annotate({ identifier: "SignIn" })

/** Body of `POST /api/auth/accept`. */
export const AcceptBody = Schema.Struct({
  token: Schema.String.check(isStorable, Schema.isMaxLength(100)),
  password: PasswordText,
  name: optional(Text(200)),
  code: optional(Code),
  cookie: optional(Schema.Boolean)
}).annotate({ identifier: "AcceptLink" })

/** Body of `POST /api/auth/password`. */
export const ChangePasswordBody = Schema.Struct({
  current_password: PasswordText,
  new_password: PasswordText
}).annotate({ identifier: "ChangePassword" })

export const ConfirmSecondFactorBody = Schema.Struct({ code: Code }).annotate({ identifier: "ConfirmSecondFactor" })

export const SecondFactorPasswordBody = Schema.Struct({ password: PasswordText }).annotate({
  identifier: "SecondFactorPassword"
})

const NewSecondFactorBody = Schema.Struct({ secret: Schema.String, uri: Schema.String }).annotate({
  identifier: "NewSecondFactor"
})

const signIn = HttpApiEndpoint.post("signIn", "/api/auth/sign-in", {
  payload: SignInBody,
  success: BegunSessionBody,
  error: [
    problems.InvalidRequest,
    problems.Unauthenticated,
    problems.UnsupportedMediaType,
    problems.RateLimited,
    problems.ServiceUnavailable
  ]
}).annotate(OpenApi.Summary, "Sign in with e-mail and password")

const accept = HttpApiEndpoint.post("accept", "/api/auth/accept", {
  payload: AcceptBody,
  success: BegunSessionBody,
  error: [
    problems.InvalidRequest,
    problems.Unauthenticated,
    problems.NotFound,
    problems.UnsupportedMediaType,
    problems.RateLimited,
    problems.ServiceUnavailable
  ]
}).annotate(OpenApi.Summary, "Accept an invitation or set a new password with a one-time link, and sign in")

/** The ways in, for which no credential is needed (contract section 3). No Idempotency-Key: section 1. */
export class SignInApi extends HttpApiGroup.make("signIn")
  .add(signIn)
  .add(accept)
  .middleware(StrictDecoding)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}

const ofSession = [problems.Forbidden, problems.ServiceUnavailable] as const

const signOut = HttpApiEndpoint.post("signOut", "/api/auth/sign-out", {
  success: HttpApiSchema.NoContent,
  error: ofSession
})
  .annotate(OpenApi.Summary, "End the session that the request is made with")
  .annotate(OpenToEnrolment, true)

const current = HttpApiEndpoint.get("current", "/api/auth/session", { success: CurrentSessionBody, error: ofSession })
  .annotate(OpenApi.Summary, "See who is signed in, and to which organization")
  .annotate(OpenToEnrolment, true)

const sessions = HttpApiEndpoint.get("sessions", "/api/auth/sessions", {
  success: listOf(SessionBody, "Sessions"),
  error: ofSession
}).annotate(OpenApi.Summary, "List one's own sessions in the organization, newest first")

const endSession = HttpApiEndpoint.delete("endSession", "/api/auth/sessions/:id", {
  params: idParams,
  success: HttpApiSchema.NoContent,
  error: [problems.NotFound, ...ofSession]
}).annotate(OpenApi.Summary, "End one of one's own sessions")

const changePassword = HttpApiEndpoint.post("changePassword", "/api/auth/password", {
  payload: ChangePasswordBody,
  success: HttpApiSchema.NoContent,
  error: [problems.InvalidRequest, problems.RateLimited, ...ofSession]
}).annotate(OpenApi.Summary, "Change one's password; all other sessions end")

const beginSecondFactor = HttpApiEndpoint.post("beginSecondFactor", "/api/auth/second-factor", {
  payload: SecondFactorPasswordBody,
  success: NewSecondFactorBody,
  error: [problems.InvalidRequest, problems.InvalidState, problems.RateLimited, ...ofSession]
})
  .annotate(OpenApi.Summary, "Begin to set up a second factor; takes the password, and shows the secret once")
  .annotate(OpenToEnrolment, true)

const confirmSecondFactor = HttpApiEndpoint.post("confirmSecondFactor", "/api/auth/second-factor/confirm", {
  payload: ConfirmSecondFactorBody,
  success: HttpApiSchema.NoContent,
  error: [problems.InvalidRequest, problems.InvalidState, problems.RateLimited, ...ofSession]
})
  .annotate(OpenApi.Summary, "Take the second factor into use with its first code")
  .annotate(OpenToEnrolment, true)

const removeSecondFactor = HttpApiEndpoint.delete("removeSecondFactor", "/api/auth/second-factor", {
  payload: SecondFactorPasswordBody,
  success: HttpApiSchema.NoContent,
  error: [problems.InvalidRequest, problems.InvalidState, problems.RateLimited, ...ofSession]
}).annotate(OpenApi.Summary, "Do without the second factor; takes the password")

/** One's own account. */
export class AuthApi extends HttpApiGroup.make("auth")
  .add(signOut)
  .add(current)
  .add(sessions)
  .add(endSession)
  .add(changePassword)
  .add(beginSecondFactor)
  .add(confirmSecondFactor)
  .add(removeSecondFactor)
  .middleware(StrictDecoding)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
