import type { Caller } from "@sarraf/domain/organizations/Caller"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { Forbidden, RateLimited, ServiceUnavailable, Unauthenticated, VerificationRequired } from "./problems.ts"

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "An API key of the organization, `Authorization: Bearer key_test_…` (`key_live_…` in live mode), or the token of a session, `sess_…`. A browser may send a session's cookie instead, and then the header `x-csrf-token` with what changes something."
  )
)

/** On an endpoint: that it is open to a session that must set a second factor up before anything else. */
export const OpenToEnrolment = Context.Reference<boolean>("@sarraf/runtime-http/api/OpenToEnrolment", {
  defaultValue: () => false
})

/** Who asks on `/api`: a bearer credential, known by its prefix (contract section 3). */
export class Bearer extends HttpApiMiddleware.Service<Bearer, { provides: Caller }>()(
  "@sarraf/runtime-http/api/Bearer",
  {
    security: { bearer },
    error: [Unauthenticated, Forbidden, VerificationRequired, RateLimited, ServiceUnavailable]
  }
) {}
