import { timingSafeEqual } from "node:crypto"
import type { Fingerprints } from "@sarraf/domain/payments/Fingerprints"

/** As long as a challenge stays open (contract section 4, 3DS). */
const millisMax = 15 * 60_000

/** Requests are compared under the same key, and their text begins with a method. */
const digest = (fingerprints: Fingerprints["Service"], token: string, at: string) =>
  fingerprints.content(`hosted 3D Secure page\n${token}\n${at}`)

/** What a hosted page puts into its form: only a page of ours, shown within a quarter of an hour, holds it. */
export const oneTimeValue = (fingerprints: Fingerprints["Service"], token: string, now: number): string => {
  const at = now.toString(36)
  return `${at}.${digest(fingerprints, token, at)}`
}

/** Whether a form brought the value of a page of this token. That it works once is the challenge's own rule. */
export const isOneTimeValue = (
  fingerprints: Fingerprints["Service"],
  token: string,
  value: string,
  now: number
): boolean => {
  const [at = "", given = ""] = value.split(".")
  const age = now - Number.parseInt(at, 36)
  if (!(age >= 0 && age <= millisMax)) return false
  const right = Buffer.from(digest(fingerprints, token, at))
  const sent = Buffer.from(given)
  return right.length === sent.length && timingSafeEqual(right, sent)
}
