/** No answer came; `message` is the sentence that the owner of the endpoint reads. */
export class SendFailure extends Error {}

/** Longer than this nobody is waited for, from the look-up of the name to the answer (contract section 7). */
export const deadlineMillis = 10_000
export const noAnswer = `No answer within ${deadlineMillis / 1_000} seconds`

/** By the codes of Node, OpenSSL and undici; their own messages name addresses and functions of this service. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  EHOSTUNREACH: "The address cannot be reached",
  ENETUNREACH: "The address cannot be reached",
  EADDRNOTAVAIL: "The address cannot be reached",
  EINVAL: "The address cannot be reached",
  ETIMEDOUT: noAnswer,
  EMFILE: "The service has no connection free",
  ENFILE: "The service has no connection free",
  ENOBUFS: "The service has no connection free",
  CERT_HAS_EXPIRED: "The certificate has expired",
  CERT_NOT_YET_VALID: "The certificate is not valid yet",
  CERT_REVOKED: "The certificate was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate is signed by nobody who is trusted",
  UNABLE_TO_GET_ISSUER_CERT: "The certificate is signed by nobody who is trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate is signed by nobody who is trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate is signed by nobody who is trusted",
  EPROTO: "No encrypted connection came about",
  UND_ERR_HEADERS_OVERFLOW: "The headers of the answer are too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The length of the answer is not the one that it says",
  UND_ERR_INVALID_ARG: "A header of the endpoint cannot be sent",
  UND_ERR_NOT_SUPPORTED: "A header of the endpoint cannot be sent"
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

/** Where a connection can end under a request: by the other side, by what lies between, or when we see that it has. */
const closings: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "UND_ERR_DESTROYED"])

/** What undici's parser refuses, and answers that it has no use for: 100 and 101, which nobody asked for. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "HTTPParserError" || error.message === "bad response" || error.message === "bad upgrade")

/** Whether the connection was closed, as servers do to one that has been idle. */
export const isClosing = (error: unknown): boolean => closings.has(codeOf(error)) && !isUnreadable(error)

/** The name servers know the name, or its end, and no address of it. */
const absences: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"])
export const isAbsence = (error: unknown): boolean => absences.has(codeOf(error))
export const noAddress = "The name has no address"

/** A failure while the addresses of a name were asked for. */
export const lookupFailure = (error: unknown): SendFailure =>
  new SendFailure(isAbsence(error) ? noAddress : "The name could not be looked up")

/** A failure while the connection came about. */
export const connectFailure = (error: unknown): SendFailure => {
  if (error instanceof SendFailure) return error
  const code = codeOf(error)
  const sentence = sentences[code] ?? (code.startsWith("ERR_SSL_") ? "No encrypted connection came about" : undefined)
  return new SendFailure(sentence ?? "The connection was closed before it was ready")
}

/** A failure of a request on a connection that was there. */
export const exchangeFailure = (error: unknown, hadBegun: boolean): SendFailure => {
  if (error instanceof SendFailure) return error
  const code = codeOf(error)
  const sentence = sentences[code] ?? (isUnreadable(error) ? "The answer is not HTTP" : undefined)
  return new SendFailure(
    sentence ??
      (hadBegun
        ? "The connection was closed in the middle of the answer"
        : "The connection was closed without an answer")
  )
}
