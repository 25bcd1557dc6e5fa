import { assert, describe, it } from "@effect/vitest"
import * as Tokens from "@sarraf/adapters/signing/ChallengeTokens"
import { EncryptionKeys, type KeyRing } from "@sarraf/adapters/signing/EncryptionKeys"
import { encodeBase32 } from "@sarraf/domain/identifiers/TypeId"
import { type ChallengeOwner, ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import { Effect, Redacted, Schema } from "effect"

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
const baseUrl = "https://pay.example"

const tokensOf = (current: KeyRing["current"], ...old: KeyRing["old"]) =>
  ChallengeTokens.pipe(
    Effect.provide(Tokens.layer({ baseUrl })),
    Effect.provideService(EncryptionKeys, { current, old })
  )

const tokenOf = (tokens: ChallengeTokens["Service"], owner: ChallengeOwner) =>
  tokens.urlOf(owner).slice(`${baseUrl}/pf/v1/3ds/`.length)

const owner: ChallengeOwner = {
  caller: { organizationId: "org_01kd8z0000e0080000000000s1", clientId: "sandbox_client", livemode: false },
  paymentId: "txn_01h455vb4pex5vsknk084sn02q"
}

const Uuid = Schema.Uint8Array.check(Schema.isMinLength(16), Schema.isMaxLength(16))
const Short = Schema.String.check(Schema.isMaxLength(60))
const wellFormed = (text: string) => text.toWellFormed()

describe("ChallengeTokens", () => {
  it.effect.prop("read what they have made", [Uuid, Uuid, Short, Schema.Boolean], ([one, two, client, livemode]) =>
    Effect.gen(function* () {
      const tokens = yield* tokensOf(key(1))
      const made: ChallengeOwner = {
        caller: { organizationId: `org_${encodeBase32(one)}`, clientId: wellFormed(client), livemode },
        paymentId: `txn_${encodeBase32(two)}`
      }
      assert.deepStrictEqual(tokens.read(tokenOf(tokens, made)), made)
    })
  )

  it.effect.prop("read ids of any other form too", [Short, Short, Short], ([organization, payment, client]) =>
    Effect.gen(function* () {
      const tokens = yield* tokensOf(key(1))
      const caller = { organizationId: wellFormed(organization), clientId: wellFormed(client), livemode: true }
      const made: ChallengeOwner = { caller, paymentId: wellFormed(payment) }
      assert.deepStrictEqual(tokens.read(tokenOf(tokens, made)), made)
    })
  )

  it.effect("of the other mode are read as none", () =>
    Effect.gen(function* () {
      const token = tokenOf(yield* tokensOf(key(1)), owner)
      for (const [livemode, read] of [
        [false, owner],
        [true, undefined]
      ] as const) {
        const tokens = ChallengeTokens.pipe(
          Effect.provide(Tokens.layer({ baseUrl, livemode })),
          Effect.provideService(EncryptionKeys, { current: key(1), old: [] })
        )
        assert.deepStrictEqual((yield* tokens).read(token), read)
      }
    })
  )

  it.effect("are the same for the same owner, in every process, and say nothing of it", () =>
    Effect.gen(function* () {
      const token = tokenOf(yield* tokensOf(key(1)), owner)
      assert.strictEqual(token, tokenOf(yield* tokensOf(key(1), key(2)), owner))
      assert.match(token, /^[\w-]{104}$/u)
      assert.notInclude(Buffer.from(token, "base64url").toString("latin1"), "client")
    })
  )

  it.effect("differ in each part of the owner", () =>
    Effect.gen(function* () {
      const tokens = yield* tokensOf(key(1))
      const { caller } = owner
      const owners: ReadonlyArray<ChallengeOwner> = [
        owner,
        { ...owner, paymentId: "txn_01h455vb4pex5vsknk084sn02r" },
        { ...owner, caller: { ...caller, organizationId: "org_01kd8z0000e0080000000000s2" } },
        { ...owner, caller: { ...caller, clientId: "sandbox_client_2" } },
        { ...owner, caller: { ...caller, livemode: true } }
      ]
      const made = owners.map((one) => tokenOf(tokens, one))
      assert.strictEqual(new Set(made).size, owners.length)
      assert.deepStrictEqual(made.map(tokens.read), [...owners])
      // A nonce that two contents share would give both away.
      assert.strictEqual(new Set(made.map((token) => Buffer.from(token, "base64url").toString("hex", 4, 16))).size, 5)
    })
  )

  it.effect("are no tokens any more with one character changed, added or left out", () =>
    Effect.gen(function* () {
      const tokens = yield* tokensOf(key(1), key(2))
      for (const clientId of ["a", "ab", "abc"]) {
        const token = tokenOf(tokens, { ...owner, caller: { ...owner.caller, clientId } })
        assert.isDefined(tokens.read(token))
        for (let at = 0; at < token.length; at++) {
          for (const other of "AEQgw9_-") {
            if (token[at] === other) continue
            assert.isUndefined(tokens.read(token.slice(0, at) + other + token.slice(at + 1)), `${other} at ${at}`)
          }
          assert.isUndefined(tokens.read(token.slice(0, at) + token.slice(at + 1)))
        }
        for (const more of ["A", "=", " ", ".", "%41"]) assert.isUndefined(tokens.read(token + more))
      }
    })
  )

  it.effect.each(["", "A", "txn_01h455vb4pex5vsknk084sn02q", "A".repeat(43), "A".repeat(104), "é", "\u0000", "../.."])(
    "are not %j",
    (text) => Effect.map(tokensOf(key(1)), (tokens) => assert.isUndefined(tokens.read(text)))
  )

  it.effect("are read with an old key, and with no other installation's", () =>
    Effect.gen(function* () {
      const token = tokenOf(yield* tokensOf(key(1)), owner)
      const rotated = yield* tokensOf(key(2), key(3), key(1))
      assert.deepStrictEqual(rotated.read(token), owner)
      assert.notStrictEqual(tokenOf(rotated, owner), token)
      assert.isUndefined((yield* tokensOf(key(2), key(3))).read(token))
    })
  )
})
