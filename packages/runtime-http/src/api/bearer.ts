import type { Caller } from "@sarraf/domain/organizations/Caller"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { Forbidden, RateLimited, ServiceUnavailable, Unauthenticated, VerificationRequired } from "./problems.ts"

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "An API key of the organization, `Authorization: Bearer key_test_…`, or `key_live_…` in live mode."
  )
)

/** Who asks on `/api`: a bearer credential, known by its prefix (contract section 3). */
export class Bearer extends HttpApiMiddleware.Service<Bearer, { provides: Caller }>()(
  "@sarraf/runtime-http/api/Bearer",
  {
    security: { bearer },
    error: [Unauthenticated, Forbidden, VerificationRequired, RateLimited, ServiceUnavailable]
  }
) {}
