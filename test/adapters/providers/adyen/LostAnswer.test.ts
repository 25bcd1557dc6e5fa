import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { open, returnUrl } from "../ProviderSession.ts"
import { subject } from "./Subject.ts"

const lostCard = "4000000000000259"

/** There is no question to ask: Adyen's notification decides, or a cancellation by our own reference. */
describe("a payment whose answer was lost", () => {
  it.effect("is told by notification with all that later steps need", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const fiber = yield* Effect.forkChild(session.authorize(lostCard))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unknown")
      yield* TestClock.adjust("31 seconds")
      const [item] = session.notified()
      assert(item?.word._tag === "Authorization" && item.word.outcome._tag === "Accepted")
      const { echo, providerReference } = item.word.outcome
      assert.deepStrictEqual(echo, { reference: session.reference, minor: 1001n, currency: "EUR", last4: "0259" })
      const authorization = { ...session.authorization(), providerReference }
      assert.strictEqual((yield* session.capture(session.amount, { authorization }))._tag, "Accepted")
    })
  )

  it.effect("is cancelled by our reference, whether it arrived or not", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const fiber = yield* Effect.forkChild(session.authorize(lostCard))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      assert.strictEqual((yield* session.cancel())._tag, "Unknown")
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* session.cancel())._tag, "Accepted")
      const never = yield* open(subject, { seed: 2 })
      assert.strictEqual((yield* never.cancel())._tag, "Refused")
    })
  )

  it.effect("is told by notification after a challenge too", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const outcome = yield* session.authorize(lostCard, { threeDS: { returnUrl } })
      assert(outcome._tag === "ActionRequired")
      const { returned } = yield* session.browse(outcome.step, "right")
      const fiber = yield* Effect.forkChild(session.complete(returned))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))?._tag, "Unknown")
      assert.deepStrictEqual(
        session.notified().map(({ word }) => word._tag),
        ["Authorization"]
      )
    })
  )
})

describe("what changes after a capture or a refund", () => {
  it.effect("is a refund that failed after all, and a capture that was charged back", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      assert.strictEqual((yield* session.authorize())._tag, "Accepted")
      assert.strictEqual((yield* session.capture(913n))._tag, "Accepted")
      assert.strictEqual((yield* session.refund(77n))._tag, "Accepted")
      const words = session.notified().map(({ word }) => {
        if (word._tag === "Operation") return `${word.type} ${word.status} ${word.minor}`
        return word._tag === "Dispute" ? `Dispute ${word.minor}` : word._tag
      })
      assert.deepStrictEqual(words, [
        "Authorization",
        "CAPTURE SUCCEEDED 913",
        "Dispute 913",
        "REFUND SUCCEEDED 77",
        "REFUND FAILED 77"
      ])
      const refunds = session.notified().flatMap(({ word }) => (word._tag === "Operation" ? [word] : []))
      assert.strictEqual(refunds[1]?.providerReference, refunds[2]?.providerReference)
    })
  )
})
