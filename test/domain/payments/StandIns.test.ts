import { assert, it } from "@effect/vitest"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { startAttempt } from "@sarraf/domain/payments/PrepareAuthorization"
import { Effect } from "effect"
import { able } from "../routing/support/SampleCandidates.ts"

const identifiers = Identifiers.of({
  next: () => Effect.die("unused"),
  randomBytes: (count) => Effect.succeed(new Uint8Array(count))
})
const provider = {
  id: "akbank",
  capabilities: { ...able, standIns: { "buyer.ip": "127.0.0.1", "buyer.phone": "+900000000000" } }
}

it.effect(
  "An attempt names the missing fields that its provider gets a stand-in for, and not what is sent for them",
  () =>
    Effect.gen(function* () {
      const attempt = yield* startAttempt(identifiers, provider, 1, 0, ["buyer.phone", "cardHolderName"])
      assert.deepStrictEqual(attempt.standIns, ["buyer.ip"])
      assert.notInclude(JSON.stringify(attempt), "127.0.0.1")
    })
)

it.effect("An attempt names none where nothing is missing, or nothing can stand in", () =>
  Effect.gen(function* () {
    const complete = yield* startAttempt(identifiers, provider, 1, 0, ["buyer.ip", "buyer.phone"])
    assert.notProperty(complete, "standIns")
    assert.notProperty(yield* startAttempt(identifiers, { id: "isbank", capabilities: able }, 1, 0, []), "standIns")
  })
)
