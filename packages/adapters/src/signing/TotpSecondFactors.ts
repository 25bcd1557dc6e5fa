import { SecondFactors } from "@sarraf/domain/organizations/SecondFactors"
import { Clock, Effect, Layer, Redacted } from "effect"
import { Secret, TOTP } from "otpauth"
import { makeVault } from "./Vault.ts"

/** 160 bits, as long as the digest (RFC 4226, section 4, R6). */
const secretBytes = 20
/** Steps of 30 seconds to either side of now (RFC 6238, 5.2). */
const stepsAside = 1

/** Six digits, 30 seconds, SHA-1: what every authenticator app knows. */
const totpOf = (secret: Secret, label: string) =>
  new TOTP({ issuer: "Sarraf", label, secret, algorithm: "SHA1", digits: 6, period: 30 })

const place = (personId: string): string => `second factor of ${personId}`

/** Second factors by `otpauth`, their secrets sealed under the installation's key for the person that they are of. */
export const layer = Layer.effect(
  SecondFactors,
  Effect.map(makeVault, (vault) =>
    SecondFactors.of({
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
        const timestamp = yield* Clock.currentTimeMillis
        const aside = totp.validate({ token: Redacted.value(code), timestamp, window: stepsAside })
        return aside === null ? undefined : totp.counter({ timestamp }) + aside
      })
    })
  )
)
