import { createHash, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

/** Fields that take no part in the hash, whatever their case (provider sheet, section 3). */
const leftOut: ReadonlySet<string> = new Set(["hash", "encoding", "nationalidno"])

const escape = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll("|", "\\|")

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * Hash version 3 of a 3-D Secure form or of the form that comes back: Base64 of SHA-512 over the values in the order of
 * their names, case set aside, joined by `|` and closed by the store key. Every posted field takes part, so that one more
 * field is another hash; the values are those before HTML or URL encoding. Nothing on the payment address itself is
 * signed. Source: provider sheet, section 3, vectors A to C.
 */
export const hashVersion3 = (
  fields: Readonly<Record<string, string | null>>,
  storeKey: Redacted.Redacted<string>
): string => {
  const values = Object.entries(fields)
    .map(([name, value]) => [name.toLowerCase(), value ?? ""] as const)
    .filter(([name]) => !leftOut.has(name))
    .sort(([one], [other]) => compare(one, other))
    .map(([, value]) => escape(value))
  const plaintext = [...values, escape(Redacted.value(storeKey))].join("|")
  return createHash("sha512").update(plaintext, "utf8").digest("base64")
}

/**
 * Whether a form that came back carries the hash of its own fields, in `HASH` (`hash` in older pages). Names that differ
 * in case alone would leave open which of them is meant, and are not accepted. Version 1, in which the sender chooses
 * what is hashed, is never checked.
 */
export const isSigned = (posted: Readonly<Record<string, string>>, storeKey: Redacted.Redacted<string>): boolean => {
  const names = Object.keys(posted).map((name) => name.toLowerCase())
  const signed = names.filter((name) => !leftOut.has(name))
  if (new Set(signed).size !== signed.length) return false
  const given = Buffer.from(posted.HASH ?? posted[Object.keys(posted)[names.indexOf("hash")] ?? ""] ?? "")
  const expected = Buffer.from(hashVersion3(posted, storeKey))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
