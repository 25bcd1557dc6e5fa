import { CodesSpent, SecondFactors } from "@sarraf/domain/organizations/SecondFactors"
import { Clock, Duration, Effect, Layer, Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import { Secret, TOTP } from "otpauth"
import { makeVault } from "./Vault.ts"

/** 160 bits, as long as the digest (RFC 4226, section 4, R6). */
const secretBytes = 20
/** Steps of 30 seconds to either side of now (RFC 6238, 5.2). */
const stepsAside = 1

/** Six digits, 30 seconds, SHA-1: what every authenticator app knows. */
const totpOf = (secret: Secret, label: string) =>
  new TOTP({ issuer: "Sarraf", label, secret, algorithm: "SHA1", digits: 6, period: 30 })

/**
 * Wrong codes of one person that are looked at: ten at once, then one in three minutes. Three of a million codes are right
 * at any time, so that whoever has the password finds one after two years on average (RFC 4226, 7.3).
 */
const wrongCodesMax = 10
const wrongCodesWindow = Duration.minutes(30)

const bucketOf = (personId: string) =>
  ({ algorithm: "token-bucket", key: personId, limit: wrongCodesMax, window: wrongCodesWindow }) as const

const place = (personId: string): string => `second factor of ${personId}`

/**
 * Second factors by `otpauth`, their secrets sealed under the installation's key for the person that they are of. Wrong
 * codes are counted by each process, before they are compared, so that many at once count too.
 */
export const layer = Layer.effect(
  SecondFactors,
  Effect.gen(function* () {
    const vault = yield* makeVault
    const limiter = yield* RateLimiter.RateLimiter
    const count = (personId: string) =>
      Effect.catch(limiter.consume(bucketOf(personId)), ({ reason }) =>
        reason._tag === "RateLimitExceeded" ? Effect.fail(new CodesSpent()) : Effect.die(reason)
      )
    const forgive = (personId: string) =>
      Effect.ignore(limiter.consume({ ...bucketOf(personId), tokens: -1, onExceeded: "delay" }))

    return SecondFactors.of({
      make: ({ email, id }) =>
        Effect.sync(() => {
          const secret = new Secret({ size: secretBytes })
          const shown = Redacted.make(secret.base32)
          return {
            secret: shown,
            uri: Redacted.make(totpOf(secret, email).toString()),
            sealed: vault.seal(shown, place(id))
          }
        }),
      stepOf: Effect.fn("TotpSecondFactors.stepOf")(function* ({ code, personId, sealed }) {
        const secret = yield* Effect.orDie(vault.open(sealed, place(personId)))
        const totp = totpOf(Secret.fromBase32(Redacted.value(secret)), personId)
        yield* count(personId)
        const timestamp = yield* Clock.currentTimeMillis
        const aside = totp.validate({ token: Redacted.value(code), timestamp, window: stepsAside })
        if (aside === null) return undefined
        yield* forgive(personId)
        return totp.counter({ timestamp }) + aside
      })
    })
  })
).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory))
