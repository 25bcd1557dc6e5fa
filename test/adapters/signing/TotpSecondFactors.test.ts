import { assert, layer } from "@effect/vitest"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import * as TotpSecondFactors from "@sarraf/adapters/signing/TotpSecondFactors"
import { makeVault } from "@sarraf/adapters/signing/Vault"
import { SecondFactors } from "@sarraf/domain/organizations/SecondFactors"
import { Effect, Exit, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

/** The secret of RFC 6238, appendix B, in base32. */
const known = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

const stepOf = (sealed: string, code: string, personId = "usr_1") =>
  Effect.flatMap(SecondFactors, (factors) => factors.stepOf({ personId, sealed, code: Redacted.make(code) }))

layer(Layer.provideMerge(TotpSecondFactors.layer, keys))("Second factors", (it) => {
  it.effect("know the codes of RFC 6238, one step to either side of now", () =>
    Effect.gen(function* () {
      const vault = yield* makeVault
      const sealed = vault.seal(Redacted.make(known), "second factor of usr_1")
      yield* TestClock.setTime(59_000)
      assert.strictEqual(yield* stepOf(sealed, "287082"), 1)
      yield* TestClock.setTime(89_000)
      assert.strictEqual(yield* stepOf(sealed, "287082"), 1)
      yield* TestClock.setTime(90_000)
      assert.isUndefined(yield* stepOf(sealed, "287082"))
      yield* TestClock.setTime(1_000)
      assert.strictEqual(yield* stepOf(sealed, "287082"), 1)
      for (const wrong of ["287083", "", "0287082", "28708"]) assert.isUndefined(yield* stepOf(sealed, wrong), wrong)
    })
  )

  it.effect("are no place to try all codes: after ten wrong ones each has to be waited for", () =>
    Effect.gen(function* () {
      const vault = yield* makeVault
      const sealed = vault.seal(Redacted.make(known), "second factor of usr_tried")
      yield* TestClock.setTime(59_000)
      const tried = (code: string) =>
        stepOf(sealed, code, "usr_tried").pipe(Effect.catchTag("CodesSpent", ({ _tag }) => Effect.succeed(_tag)))
      for (let times = 0; times < 20; times++) assert.strictEqual(yield* tried("287082"), 1, "right ones do not count")
      const atOnce = yield* Effect.all(
        Array.from({ length: 25 }, () => tried("000000")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(atOnce.filter((outcome) => outcome === undefined).length, 10)
      assert.strictEqual(yield* tried("287082"), "CodesSpent", "nor is a right one looked at")
      const sealedOfOther = vault.seal(Redacted.make(known), "second factor of usr_other")
      assert.strictEqual(yield* stepOf(sealedOfOther, "287082", "usr_other"), 1)
      yield* TestClock.adjust("3 minutes")
      assert.isUndefined(yield* tried("000000"))
      assert.strictEqual(yield* tried("000000"), "CodesSpent")
    })
  )

  it.effect("are sealed for their person, and shown as authenticators read them", () =>
    Effect.gen(function* () {
      const factors = yield* SecondFactors
      const made = yield* factors.make({ id: "usr_1", email: "ayse@example.com" })
      const secret = Redacted.value(made.secret)
      assert.match(secret, /^[A-Z2-7]{32}$/)
      assert.notInclude(made.sealed, secret)
      const uri = new URL(Redacted.value(made.uri))
      assert.strictEqual(uri.protocol, "otpauth:")
      assert.strictEqual(uri.searchParams.get("secret"), secret)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(stepOf(made.sealed, "000000", "usr_2"))))
    })
  )
})
