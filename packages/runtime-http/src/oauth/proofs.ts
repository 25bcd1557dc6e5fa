import { timingSafeEqual } from "node:crypto"
import type { Person } from "@sarraf/domain/organizations/People"
import type { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { Redacted } from "effect"

/** For as long as a code of an authenticator is looked for. */
const millisMax = 5 * 60_000

const isEqual = (given: string, right: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** What a page of one sign-in puts into its form: `uid` names it, and its cookie has to come along. */
export const csrfOf = (fingerprints: Fingerprints["Service"], uid: string): string =>
  fingerprints.content(`form of a connection\n${uid}`)

export const isCsrf = (fingerprints: Fingerprints["Service"], uid: string, given: string): boolean =>
  isEqual(given, csrfOf(fingerprints, uid))

const storedPassword = ({ passwordHash }: Person): string => (passwordHash === null ? "" : Redacted.value(passwordHash))

/** The password as it is stored is a part of it, so that one that was changed meanwhile shows nothing any more. */
const digest = (fingerprints: Fingerprints["Service"], uid: string, person: Person, at: string) =>
  fingerprints.content(`password was right\n${uid}\n${person.id}\n${at}\n${storedPassword(person)}`)

/** With which password a person has signed in, for the step after it. */
export const passwordMark = (fingerprints: Fingerprints["Service"], person: Person): string =>
  fingerprints.content(`signed in with\n${person.id}\n${storedPassword(person)}`)

/** Whether it is still the same person's, and the same password. */
export const isPasswordMark = (fingerprints: Fingerprints["Service"], person: Person, given: string): boolean =>
  isEqual(given, passwordMark(fingerprints, person))

/** That this person's password was right a moment ago, in this sign-in: `<time>.<person>.<digest>`. */
export const passwordProof = (
  fingerprints: Fingerprints["Service"],
  uid: string,
  person: Person,
  now: number
): string => {
  const at = now.toString(36)
  return `${at}.${person.id}.${digest(fingerprints, uid, person, at)}`
}

/** Whom a proof is about, as it says itself. */
export const personOfProof = (proof: string): string => proof.split(".")[1] ?? ""

export const isPasswordProof = (
  fingerprints: Fingerprints["Service"],
  uid: string,
  person: Person,
  proof: string,
  now: number
): boolean => {
  const [at = "", id = "", given = ""] = proof.split(".")
  const age = now - Number.parseInt(at, 36)
  return age >= 0 && age <= millisMax && id === person.id && isEqual(given, digest(fingerprints, uid, person, at))
}
