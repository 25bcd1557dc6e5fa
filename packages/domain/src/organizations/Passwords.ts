import { Context, type Effect, Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"

/** Bounds in characters: NIST SP 800-63B, 5.1.1.2 asks for 8 at least; the upper one bounds the work of a request. */
export const passwordLengthMin = 8
export const passwordLengthMax = 200

/** What is wrong with a new password of the person with this e-mail; undefined: nothing. */
export const passwordFault = (password: Redacted.Redacted<string>, email: string): string | undefined => {
  const text = Redacted.value(password)
  const length = [...text].length
  if (length < passwordLengthMin || length > passwordLengthMax) {
    return `must have ${passwordLengthMin} to ${passwordLengthMax} characters`
  }
  return text.trim().toLowerCase() === email ? "must not be the e-mail address" : undefined
}

/** Driven port: passwords are kept as slow salted hashes, and as nothing else. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** A new hash, with its parameters and salt in it. `Unavailable` where too many wait to be hashed already. */
    hash(password: Redacted.Redacted<string>): Effect.Effect<string, Unavailable>
    /** Whether it is the password of this hash. Without a hash the same work is done, and the answer is no. */
    verify(
      password: Redacted.Redacted<string>,
      hash: Redacted.Redacted<string> | null
    ): Effect.Effect<boolean, Unavailable>
  }
>()("@sarraf/domain/organizations/Passwords") {}
