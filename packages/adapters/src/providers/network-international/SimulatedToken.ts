import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"
import type { NetworkInternationalCredentials } from "./Credentials.ts"

/** Seconds (provider sheet, section 3). */
export const tokenLifetime = 300

/** Says nothing and opens nothing but the simulator. */
const secret = "simulated-ngenius-tokens"

const sign = (until: string): string => createHmac("sha256", secret).update(until).digest("hex")

/** A token that any process of the sandbox recognises: when it ends, in milliseconds, and a mark that it was made here. */
export const issueToken = (now: number): string => {
  const until = `${now + tokenLifetime * 1000}`
  return `${until}.${sign(until)}`
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

export const isTokenValid = (authorization: string | undefined, now: number): boolean => {
  const [, until = "", mark = ""] = /^Bearer (\d{1,15})\.([0-9a-f]{64})$/u.exec(authorization ?? "") ?? []
  return until !== "" && isSame(mark, sign(until)) && now < Number(until)
}

export const isKeyValid = (authorization: string | undefined, { apiKey }: NetworkInternationalCredentials): boolean =>
  isSame(authorization ?? "", `Basic ${Redacted.value(apiKey)}`)
