import { assert, describe, it } from "@effect/vitest"
import {
  errorCatalogue,
  errorCodeOf,
  errorCodes,
  isErrorCode,
  problemType
} from "@sarraf/runtime-http/api/errorCatalogue"

/** Contract section 2. */
const contract: Readonly<Record<string, number>> = {
  INSUFFICIENT_FUNDS: 402,
  CARD_DECLINED: 402,
  "3DS_FAILED": 402,
  INVALID_CARD: 422,
  PROVIDER_ERROR: 502,
  TIMEOUT: 504,
  INVALID_REQUEST: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  INVALID_SIGNATURE: 401,
  TIMESTAMP_EXPIRED: 401,
  SIGNATURE_REUSED: 401,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  VERIFICATION_REQUIRED: 403,
  INVALID_STATE: 409,
  OPERATION_IN_PROGRESS: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  DUPLICATE_REFERENCE: 409,
  VERSION_CONFLICT: 412,
  IDEMPOTENCY_CONFLICT: 422,
  POLICY_BLOCKED: 422,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503
}

describe("errorCatalogue", () => {
  it("has every code of the contract with its status, and no other", () => {
    const statuses = Object.fromEntries(errorCodes.map((code) => [code, errorCatalogue[code].status]))
    assert.deepStrictEqual(statuses, contract)
  })

  it("says in whole sentences what happened and what to do", () => {
    for (const code of errorCodes) {
      const { cure, meaning, title } = errorCatalogue[code]
      assert.match(meaning, /^[A-Z].*\.$/, code)
      assert.match(cure, /^[A-Z].*\.$/, code)
      assert.notMatch(title, /\.$/, code)
    }
  })

  it("does not take a name that every object has for a code", () => {
    assert.isFalse(isErrorCode("constructor"))
    assert.isTrue(isErrorCode("3DS_FAILED"))
  })

  it("points a problem's type at the page of its code", () => {
    assert.strictEqual(problemType("TIMEOUT"), "/docs/errors/TIMEOUT")
  })

  it("gives a bare status the code of that status, or the general one of its class", () => {
    for (const [status, code] of [
      [404, "NOT_FOUND"],
      [409, "INVALID_STATE"],
      [410, "INVALID_REQUEST"],
      [501, "INTERNAL_ERROR"],
      [503, "UNAVAILABLE"]
    ] as const) {
      assert.strictEqual(errorCodeOf(status), code)
    }
  })
})
