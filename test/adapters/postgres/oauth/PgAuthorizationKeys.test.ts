import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { assert, it } from "@effect/vitest"
import * as PgAuthorizationKeys from "@sarraf/adapters/postgres/oauth/PgAuthorizationKeys"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { AuthorizationKeys } from "@sarraf/domain/assistants/AuthorizationKeys"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))

/** What a process with these keys of the installation works with. */
const processWith = (current: number, ...old: ReadonlyArray<number>) =>
  Effect.provide(AuthorizationKeys, Layer.fresh(PgAuthorizationKeys.layer)).pipe(
    Effect.provideService(EncryptionKeys, { current: key(current), old: old.map(key) })
  )

it.effect("all processes sign with one key, whichever was first, and it is stored sealed", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = yield* Effect.all(
      Array.from({ length: 8 }, () => processWith(1)),
      { concurrency: "unbounded" }
    )
    const texts = new Set(all.map(({ signingKey }) => Redacted.value(signingKey)))
    assert.strictEqual(texts.size, 1)
    const jwk = JSON.parse([...texts][0] ?? "")
    assert.deepInclude(jwk, { kty: "EC", crv: "P-256", alg: "ES256", use: "sig" })
    const privateKey = createPrivateKey({ key: jwk, format: "jwk" })
    const signature = sign("sha256", Buffer.from("text"), privateKey)
    assert.isTrue(verify("sha256", Buffer.from("text"), createPublicKey(privateKey), signature))
    const rows = yield* sql<{ all: string }>`SELECT k::text AS all FROM oauth_signing_keys k`
    assert.strictEqual(rows.length, 1)
    assert.notInclude(rows[0]?.all, jwk.d)
  }).pipe(Effect.provide(Database.layer))
)

it.effect("a changed encryption key keeps the signing key and the older cookies", () =>
  Effect.gen(function* () {
    const before = yield* processWith(1)
    const after = yield* processWith(2, 1)
    assert.strictEqual(Redacted.value(after.signingKey), Redacted.value(before.signingKey))
    const cookies = (keys: AuthorizationKeys["Service"]) => keys.cookieKeys.map(Redacted.value)
    assert.deepStrictEqual(cookies(after).slice(1), cookies(before))
    assert.notDeepEqual(cookies(after)[0], cookies(before)[0])
    assert.strictEqual((yield* Effect.flip(processWith(3)))._tag, "SealBroken", "without the old key it does not start")
  }).pipe(Effect.provide(Database.layer))
)
