import { assert, it } from "@effect/vitest"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import * as HmacFingerprints from "@sarraf/adapters/signing/HmacFingerprints"
import type { Person } from "@sarraf/domain/organizations/People"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { csrfOf, isCsrf, isPasswordProof, passwordProof, personOfProof } from "@sarraf/runtime-http/oauth/proofs"
import { Effect, Layer, Redacted, Schema } from "effect"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })
const fingerprints = Layer.provide(HmacFingerprints.layer, keys)

const person: Person = {
  id: "usr_1",
  email: "a@b.test",
  name: "A",
  passwordHash: Redacted.make("hash"),
  secondFactor: "sealed",
  pendingSecondFactor: null,
  lastOrganizationId: null
}

it.effect("a form is of its own sign-in", () =>
  Effect.gen(function* () {
    const key = yield* Fingerprints
    assert.isTrue(isCsrf(key, "uid", csrfOf(key, "uid")))
    for (const given of ["", "x", csrfOf(key, "other"), `${csrfOf(key, "uid")}0`])
      assert.isFalse(isCsrf(key, "uid", given))
  }).pipe(Effect.provide(fingerprints))
)

it.effect("a proof of the password is of one person, one sign-in, one password and five minutes", () =>
  Effect.gen(function* () {
    const key = yield* Fingerprints
    const at = 1_800_000_000_000
    const proof = passwordProof(key, "uid", person, at)
    assert.strictEqual(personOfProof(proof), "usr_1")
    assert.isTrue(isPasswordProof(key, "uid", person, proof, at))
    assert.isTrue(isPasswordProof(key, "uid", person, proof, at + 300_000))
    assert.isFalse(isPasswordProof(key, "uid", person, proof, at + 300_001))
    assert.isFalse(isPasswordProof(key, "uid", person, proof, at - 1), "from the future")
    assert.isFalse(isPasswordProof(key, "other", person, proof, at))
    assert.isFalse(isPasswordProof(key, "uid", { ...person, id: "usr_2" }, proof, at))
    assert.isFalse(isPasswordProof(key, "uid", { ...person, id: "usr_2" }, proof.replace("usr_1", "usr_2"), at))
    assert.isFalse(isPasswordProof(key, "uid", { ...person, passwordHash: Redacted.make("new") }, proof, at))
    assert.notInclude(proof, "hash")
  }).pipe(Effect.provide(fingerprints))
)

it.effect.prop("no text but the proof is one", [Schema.String], ([text]) =>
  Effect.gen(function* () {
    const key = yield* Fingerprints
    assert.isFalse(isPasswordProof(key, "uid", person, text, 1_800_000_000_000))
    assert.isString(personOfProof(text))
  }).pipe(Effect.provide(fingerprints))
)
