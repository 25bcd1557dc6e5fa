import { Redacted } from "effect"
import { entryPath } from "./EntryPath.ts"

const nameLengthMax = 100
const valueLengthMax = 1_000

/**
 * What belongs to the connection and not to the message (RFC 9110, 7.6.1), and what says how the message is framed,
 * where it goes, or who signed it.
 */
const reserved: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings",
  "x-service-signature"
])

/** Whether the service alone sets a header; the name in lower case. */
export const isReserved = (name: string): boolean =>
  reserved.has(name) || name.startsWith("content-") || name.startsWith("webhook-")

/** A credential of this service in `Authorization`, which would hand it to the receiver. */
const ourCredential = /^(?:bearer\s+)?(?:sess_|key_test_|key_live_|mcp_)/iu

/** Whether it is a field value of visible ASCII, with spaces inside (RFC 9110, 5.5). */
const isVisible = (value: string): boolean => /^[!-~](?:[ -~]*[!-~])?$/u.test(value)

const nameFault = (name: string): string | undefined => {
  if (name.length > nameLengthMax) return `must have a name of at most ${nameLengthMax} characters`
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name))
    return "must have a name that is a token of HTTP: letters, digits, hyphens"
  return isReserved(name.toLowerCase()) ? "is set by the service: leave it out" : undefined
}

const valueFault = (name: string, value: string): string | undefined => {
  if (value.length > valueLengthMax) return `must be at most ${valueLengthMax} characters`
  if (!isVisible(value)) return "must be visible ASCII, without spaces at its ends"
  return name.toLowerCase() === "authorization" && ourCredential.test(value)
    ? "must not be a credential of this service: the receiver would have it"
    : undefined
}

/**
 * What is wrong with custom headers, by their paths; no message holds a value. An empty value takes a header away, which
 * there is none of on a new endpoint.
 */
export const headerFaults = (headers: Readonly<Record<string, Redacted.Redacted<string>>>, mayRemove: boolean) => {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([name, redacted]) => {
    const value = Redacted.value(redacted)
    const isRepeated = seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    const message =
      nameFault(name) ??
      (isRepeated ? "is there twice: names of headers know no case" : undefined) ??
      (value === "" && mayRemove ? undefined : valueFault(name, value))
    return message === undefined ? [] : [{ path: entryPath("headers", name), message }]
  })
}
