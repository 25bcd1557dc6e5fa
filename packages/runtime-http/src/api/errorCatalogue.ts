import { Struct } from "effect"

/** What one error code means to the reader of an answer that carries it. */
interface CatalogueEntry {
  readonly status: number
  /** The problem's `title`: the same words for every occurrence (RFC 9457, section 3.1.3). */
  readonly title: string
  /** What happened. */
  readonly meaning: string
  /** What to do. Also the `detail` of a problem that came without one. */
  readonly cure: string
}

const payments = {
  INSUFFICIENT_FUNDS: {
    status: 402,
    title: "Insufficient funds",
    meaning: "The issuer refused the payment because the account behind the card does not cover the amount.",
    cure: "Ask the cardholder for another card or a smaller amount, and send it as a new payment with a new Idempotency-Key."
  },
  CARD_DECLINED: {
    status: 402,
    title: "Card declined",
    meaning:
      "The issuer refused the payment. pspResponseCode holds the reason as the provider gave it, if it gave one; trying other providers with the same card does not change an issuer's mind.",
    cure: "Ask the cardholder to call the bank or to use another card. Do not repeat the same card automatically."
  },
  "3DS_FAILED": {
    status: 402,
    title: "3-D Secure failed",
    meaning:
      "The cardholder's authentication failed, was cancelled or ran out of time, or the issuer demands it and the request did not set is3DS. A challenge is never started unasked.",
    cure: "Repeat the payment with is3DS set to true and a new Idempotency-Key, and let the cardholder finish the challenge."
  },
  INVALID_CARD: {
    status: 422,
    title: "Invalid card",
    meaning:
      "The card's number, expiry date or security code cannot be right: the check digit or a length is wrong, the date is in the past, or the issuer does not know the card.",
    cure: "Let the cardholder type the card again. Nothing was charged."
  },
  PROVIDER_ERROR: {
    status: 502,
    title: "No provider could take the payment",
    meaning:
      "Every provider that may handle the payment definitely failed, or none may handle it. Nothing was charged; detail says why each was left out.",
    cure: "Check the currency, the country and the provider settings that detail names, then send a new payment."
  },
  TIMEOUT: {
    status: 504,
    title: "The outcome is not known yet",
    meaning:
      "The request may have reached a provider, but no answer came in time. The payment is PENDING, and it is settled by asking the provider until the outcome is certain.",
    cure: "Do not pay again another way. Read the transaction until its status is final, or repeat the request with the same Idempotency-Key."
  }
} as const satisfies Record<string, CatalogueEntry>

const requests = {
  INVALID_REQUEST: {
    status: 400,
    title: "The request is not valid",
    meaning:
      "A field is missing, unknown or not of the expected form, or the request is not well-formed HTTP or JSON. errors lists every fault with its path.",
    cure: "Correct each field in errors and send the request again. The Idempotency-Key was not used up."
  },
  NOT_FOUND: {
    status: 404,
    title: "Not found",
    meaning:
      "Nothing is there: the path does not exist, or the resource does not, or it belongs to another organization. These look alike on purpose.",
    cure: "Check the path and the identifier, and that the credential belongs to the organization that owns the resource."
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "Method not allowed",
    meaning: "The path exists, but not for this method.",
    cure: "Use one of the methods in the Allow header."
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: "The body is too large",
    meaning: "Bodies may have 256 KiB, uploaded receipts 10 MiB.",
    cure: "Send less in one request, or a smaller image of the receipt."
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: "Unsupported media type",
    meaning: "The Content-Type of the body is not one that this path reads.",
    cure: "Send application/json in UTF-8, or for a receipt the type that the reference of the path names."
  },
  RATE_LIMITED: {
    status: 429,
    title: "Too many requests",
    meaning: "The credential, or for sign-ins the network address, sent more requests than its limit allows.",
    cure: "Wait as many seconds as Retry-After says, then send at the pace that RateLimit-Policy allows."
  }
} as const satisfies Record<string, CatalogueEntry>

const access = {
  INVALID_SIGNATURE: {
    status: 401,
    title: "The signature is not valid",
    meaning:
      "The signature does not fit the client, the timestamp and the exact bytes of the body. An unknown client gets this same answer.",
    cure: "Sign the bytes as they are sent, not a copy encoded a second time, and check the client id, the secret and the header names."
  },
  TIMESTAMP_EXPIRED: {
    status: 401,
    title: "The timestamp is out of range",
    meaning: "The signed timestamp is too far from the server's clock, so the request could be an old one replayed.",
    cure: "Set the clock by NTP, and take the timestamp and the signature anew for every attempt."
  },
  SIGNATURE_REUSED: {
    status: 401,
    title: "The signature was used before",
    meaning:
      "The signature was already spent on another request. The status is 409 when the same method and path were called again with another Idempotency-Key.",
    cure: "Take a new timestamp and sign anew for every request. Keep the Idempotency-Key if the same payment is meant."
  },
  UNAUTHENTICATED: {
    status: 401,
    title: "Not signed in",
    meaning: "The request carries no credential, or one that has expired, was revoked or never existed.",
    cure: "Sign in again, or send a valid key in the Authorization header."
  },
  FORBIDDEN: {
    status: 403,
    title: "Not permitted",
    meaning: "The credential is valid, but its role or scope does not cover this action.",
    cure: "Use a credential with the needed role, or ask an administrator of the organization for it."
  },
  VERIFICATION_REQUIRED: {
    status: 403,
    title: "Verification required",
    meaning: "Live mode serves verified businesses only, and this organization's verification is not complete.",
    cure: "Let an administrator of the organization submit the business verification, and use test mode until it is decided."
  }
} as const satisfies Record<string, CatalogueEntry>

const states = {
  INVALID_STATE: {
    status: 409,
    title: "Not allowed in this state",
    meaning: "The resource is not in a state that allows the action, or the amount is more than what is left.",
    cure: "Read the resource. detail names its state, what that state allows, and the amount still available."
  },
  OPERATION_IN_PROGRESS: {
    status: 409,
    title: "Another operation is under way",
    meaning:
      "Another operation on the same payment, or a payment with the same merchantReference, has not finished yet, and a second one could move money twice.",
    cure: "Wait until the first is final, read the payment, then decide again."
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    title: "The first request is still running",
    meaning: "A request with this Idempotency-Key arrived before and has not been answered yet.",
    cure: "Wait as many seconds as Retry-After says, then repeat the request with the same key."
  },
  DUPLICATE_REFERENCE: {
    status: 409,
    title: "The reference is taken",
    meaning: "The merchantReference, or the reference of the operation, was used before with other content.",
    cure: "Look up what the reference belongs to. If this is a new one, give it a reference of its own."
  },
  VERSION_CONFLICT: {
    status: 412,
    title: "The version is not the present one",
    meaning: "Somebody changed the resource after you read it; If-Match or version names an older one.",
    cure: "Read the resource again, apply your change to what it is now, and send the new version."
  },
  IDEMPOTENCY_CONFLICT: {
    status: 422,
    title: "The key belongs to another request",
    meaning: "This Idempotency-Key was used within 24 hours for a request with another method, path or body.",
    cure: "Use a new key for a new request. To repeat the earlier one, send exactly what was sent then."
  },
  POLICY_BLOCKED: {
    status: 422,
    title: "Blocked by policy",
    meaning: "Rules of the organization forbid it. violations lists every rule with its message.",
    cure: "Change what violations names, or ask somebody who may grant an exception."
  }
} as const satisfies Record<string, CatalogueEntry>

const server = {
  INTERNAL_ERROR: {
    status: 500,
    title: "Internal error",
    meaning: "The server met a fault of its own. It was logged under the requestId.",
    cure: "Repeat the request once with the same Idempotency-Key. If it fails again, report the requestId."
  },
  UNAVAILABLE: {
    status: 503,
    title: "Not available",
    meaning:
      "The server cannot work at the moment: it is starting, stopping, has lost its database, or gets more requests than it can serve. Nothing was sent anywhere.",
    cure: "Repeat the request with the same Idempotency-Key after a short pause that grows with every attempt."
  }
} as const satisfies Record<string, CatalogueEntry>

/** Every `code` that an answer can carry (contract section 2), in the order of the pages under `/docs/errors`. */
export const errorCatalogue = { ...payments, ...requests, ...access, ...states, ...server }

export type ErrorCode = keyof typeof errorCatalogue

export const errorCodes: ReadonlyArray<ErrorCode> = Struct.keys(errorCatalogue)

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code)

/** A problem's `type`: where the code is explained, relative to the server's own address (RFC 9457, section 3.1.1). */
export const problemType = <Code extends ErrorCode>(code: Code) => `/docs/errors/${code}` as const

const codeByStatus: Readonly<Record<number, ErrorCode>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  409: "INVALID_STATE",
  412: "VERSION_CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  429: "RATE_LIMITED",
  503: "UNAVAILABLE",
  504: "TIMEOUT"
}

/** The code of an answer that came with a bare status: the general one of its class where no code has that status. */
export const errorCodeOf = (status: number): ErrorCode =>
  codeByStatus[status] ?? (status >= 500 ? "INTERNAL_ERROR" : "INVALID_REQUEST")
