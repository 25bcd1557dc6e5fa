import { HttpServerResponse, ProblemDetails } from "effect/http"
import { type ErrorCode, errorCatalogue, problemType } from "../api/errorCatalogue.ts"

/** The members of a problem (RFC 9457, contract section 2) that the code alone decides, then the given ones. */
export const problemBody = (code: ErrorCode, members: Readonly<Record<string, unknown>> = {}) => {
  const { cure, status, title } = errorCatalogue[code]
  return { type: problemType(code), title, status, detail: cure, code, ...members }
}

/**
 * A problem as an answer, for routes outside the typed API. The middleware of `Responses` completes it with `instance`
 * and `requestId`. `detail` says what to do; without one it is the catalogue's general advice.
 */
export const problemResponse = (code: ErrorCode, members: Readonly<Record<string, unknown>> = {}) =>
  HttpServerResponse.jsonUnsafe(problemBody(code, members), {
    status: errorCatalogue[code].status,
    contentType: ProblemDetails.contentType
  })
