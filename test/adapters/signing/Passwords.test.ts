import { assert, describe, it, layer } from "@effect/vitest"
import * as ArgonPasswords from "@sarraf/adapters/signing/Passwords"
import { Passwords } from "@sarraf/domain/organizations/Passwords"
import { Effect, Fiber, Layer, Redacted } from "effect"

const secret = (text: string) => Redacted.make(text)

layer(ArgonPasswords.layer)("Passwords", (it) => {
  it.effect("are kept as salted argon2id hashes with their parameters, and found again", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const hash = yield* passwords.hash(secret("çok gizli"))
      assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
      assert.notStrictEqual(yield* passwords.hash(secret("çok gizli")), hash)
      assert.isTrue(yield* passwords.verify(secret("çok gizli"), secret(hash)))
      assert.isTrue(yield* passwords.verify(secret("çok gizli".normalize("NFD")), secret(hash)))
      for (const wrong of ["çok gizlı", "", "çok gizli "]) {
        assert.isFalse(yield* passwords.verify(secret(wrong), secret(hash)), wrong)
      }
    })
  )

  it.effect("are compared under the parameters of the hash: a vector of the reference implementation", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const known = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
      assert.isTrue(yield* passwords.verify(secret("password"), secret(known)))
      assert.isFalse(yield* passwords.verify(secret("Password"), secret(known)))
    })
  )

  it.effect("are of nobody where there is no hash, or one that is none or costs too much", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const tag = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
      const strange = [
        "",
        "password",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$",
        `$argon2id$v=19$m=9999999,t=2,p=1$c29tZXNhbHQ$${tag}`,
        `$argon2id$v=19$m=64,t=999,p=1$c29tZXNhbHQ$${tag}`,
        `$argon2id$v=19$m=0,t=1,p=1$c29tZXNhbHQ$${tag}`
      ]
      assert.isFalse(yield* passwords.verify(secret("password"), null))
      for (const hash of strange) assert.isFalse(yield* passwords.verify(secret("password"), secret(hash)), hash)
    })
  )
})

describe("Many passwords at once", () => {
  it.live("wait for their turn, and no more of them than can be served soon", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      // Small ones, so that the queue is what is tried, not the processor.
      const cheap = secret("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
      const outcomes = yield* Effect.all(
        Array.from({ length: 300 }, () => Effect.result(passwords.verify(secret("x"), cheap))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Failure").length, 300 - 256)
      assert.isFalse(yield* passwords.verify(secret("x"), cheap), "later there is room again")
    }).pipe(Effect.provide(Layer.fresh(ArgonPasswords.layer)))
  )

  it.live("take their turn to its end when nobody waits for the answer any more", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const dear = secret("$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
      const begun = performance.now()
      yield* passwords.verify(secret("x"), dear)
      const once = performance.now() - begun
      // Two fill all turns, and who asked for them leaves.
      const leaving = yield* Effect.forEach([1, 2], () => Effect.forkChild(passwords.verify(secret("x"), dear)))
      yield* Effect.sleep(once / 10)
      const left = performance.now()
      yield* Effect.all(leaving.map(Fiber.interrupt), { concurrency: "unbounded", discard: true })
      assert.isAbove(performance.now() - left, once / 3, "the threads were still at it")
    }).pipe(Effect.provide(Layer.fresh(ArgonPasswords.layer)))
  )
})
