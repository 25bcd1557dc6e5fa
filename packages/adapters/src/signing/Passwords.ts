import { argon2, randomBytes, timingSafeEqual } from "node:crypto"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Passwords } from "@sarraf/domain/organizations/Passwords"
import { Effect, Layer, Redacted, Semaphore } from "effect"

/** argon2id as OWASP's password storage sheet has it for 19 MiB; `memory` in KiB. */
interface Cost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}
const presentCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** Each takes 19 MiB while it runs, and a processor. */
const hashesAtOnceMax = 2
/** Some seconds of waiting; who comes after is told to come again. */
const hashesWaitingMax = 256

/** A hash that is stored may have other parameters, but none that cost more than a request may. */
const memoryMax = 262_144
const passesMax = 16

interface Stored extends Cost {
  readonly salt: Buffer
  readonly tag: Buffer
}

const encode = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "")

/** The PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`, base64 without padding. */
const write = ({ memory, parallelism, passes, salt, tag }: Stored): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`

const pattern =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/u

/** Undefined for what is no hash of this kind. */
const read = (text: string): Stored | undefined => {
  const [, memory, passes, parallelism, salt = "", tag = ""] = pattern.exec(text) ?? []
  const stored = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64")
  }
  const isBearable = stored.memory <= memoryMax && stored.passes <= passesMax
  return isBearable && stored.memory >= 8 * stored.parallelism && stored.parallelism > 0 && stored.passes > 0
    ? stored
    : undefined
}

/** The same characters may be typed as different code points: they are compared in one form (NIST SP 800-63B, 5.1.1.2). */
const bytesOf = (password: Redacted.Redacted<string>): Buffer => Buffer.from(Redacted.value(password).normalize("NFKC"))

const derive = (
  password: Redacted.Redacted<string>,
  { memory, parallelism, passes }: Cost,
  salt: Buffer,
  length: number
) =>
  Effect.callback<Buffer>((resume) => {
    const asked = { message: bytesOf(password), nonce: salt, memory, passes, parallelism, tagLength: length }
    argon2("argon2id", asked, (error, tag) => resume(error === null ? Effect.succeed(tag) : Effect.die(error)))
  })

/** A new hash under the present parameters. */
const hashOf = (password: Redacted.Redacted<string>) => {
  const salt = randomBytes(saltBytes)
  return Effect.map(derive(password, presentCost, salt, tagBytes), (tag) => write({ ...presentCost, salt, tag }))
}

/** Compared where there is no account, so that this takes the time that an account does. No password has this tag. */
const nobody: Stored = { ...presentCost, salt: Buffer.alloc(saltBytes), tag: Buffer.alloc(tagBytes) }

/** Passwords hashed by argon2id (RFC 9106) on Node's threads, a few at a time. */
export const layer = Layer.effect(
  Passwords,
  Effect.gen(function* () {
    const turns = yield* Semaphore.make(hashesAtOnceMax)
    let waiting = 0
    const inTurn = <A>(work: Effect.Effect<A>): Effect.Effect<A, Unavailable> =>
      Effect.suspend(() => {
        if (waiting >= hashesWaitingMax) return Effect.fail(new Unavailable())
        waiting++
        return Effect.ensuring(
          // A thread that hashes cannot be stopped: whoever goes away gives the turn back when it is done.
          turns.withPermits(1)(Effect.uninterruptible(work)),
          Effect.sync(() => {
            waiting--
          })
        )
      })
    return Passwords.of({
      hash: (password) => inTurn(hashOf(password)),
      verify: (password, hash) => {
        const known = hash === null ? undefined : read(Redacted.value(hash))
        const stored = known ?? nobody
        return Effect.map(
          inTurn(derive(password, stored, stored.salt, stored.tag.length)),
          (tag) => timingSafeEqual(tag, stored.tag) && known !== undefined
        )
      }
    })
  })
)
