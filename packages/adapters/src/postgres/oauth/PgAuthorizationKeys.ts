import { createHash, generateKeyPair } from "node:crypto"
import { promisify } from "node:util"
import { AuthorizationKeys } from "@sarraf/domain/assistants/AuthorizationKeys"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { derive, EncryptionKeys } from "../../signing/EncryptionKeys.ts"
import { makeVault } from "../../signing/Vault.ts"

/** The one there is. A second one, for a rotation, would have another name. */
const keyName = "es256"
const place = `oauth_signing_keys ${keyName}`

const makeKeyPair = promisify(generateKeyPair)

/** A new P-256 key as a JWK; its `kid` is derived from the public part. */
const makeSigningKey = Effect.promise(async () => {
  const { privateKey } = await makeKeyPair("ec", { namedCurve: "P-256" })
  const jwk = privateKey.export({ format: "jwk" })
  const kid = createHash("sha256").update(`${jwk.x}.${jwk.y}`).digest("base64url").slice(0, 16)
  return Redacted.make(JSON.stringify({ ...jwk, alg: "ES256", use: "sig", kid }))
})

/** Whichever process comes first makes the key and stores it sealed; all of them use that one. */
export const layer = Layer.effect(
  AuthorizationKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* makeVault
    const { current, old } = yield* EncryptionKeys
    const find = sql<{ readonly sealed: string }>`SELECT sealed FROM oauth_signing_keys WHERE id = ${keyName}`
    const [before] = yield* find
    if (before === undefined) {
      const sealed = vault.seal(yield* makeSigningKey, place)
      yield* sql`INSERT INTO oauth_signing_keys (id, sealed) VALUES (${keyName}, ${sealed}) ON CONFLICT DO NOTHING`
    }
    const [kept] = before === undefined ? yield* find : [before]
    if (kept === undefined) return yield* Effect.die(new Error("The signing key that was just stored is not there"))
    return {
      signingKey: yield* vault.open(kept.sealed, place),
      cookieKeys: [current, ...old].map((key) => Redacted.make(derive(key, "oauth cookies").toString("base64url")))
    }
  })
)
