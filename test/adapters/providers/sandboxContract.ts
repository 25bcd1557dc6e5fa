import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { open, type Subject } from "./ProviderSession.ts"
import { assertSums, assertTag, captured, providerOf } from "./steps.ts"

/** Contract section 5. */
const network = (subject: Subject) => {
  it.effect("is down for a card that the next provider takes", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      assertTag(yield* session.authorize("4000000000000341"), "NotSent")
    })
  )

  it.effect("takes a payment, loses the answer, and is silent for half a minute", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const fiber = yield* Effect.forkChild(session.authorize("4000000000000259"))
      yield* TestClock.adjust("2 seconds")
      assertTag(yield* Fiber.join(fiber), "Unknown")
      assert.strictEqual((yield* session.query())._tag, "Unanswered")
      yield* TestClock.adjust("31 seconds")
      if (session.capabilities.query.byReference) yield* assertSums(session, "AUTHORIZED", 0n, 0n)
      else
        assert.include(
          session.notified().map(({ word }) => word._tag),
          "Authorization"
        )
    })
  )

  it.effect("never hears of a payment whose connection was lost", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const fiber = yield* Effect.forkChild(session.authorize("4000000000000267"))
      yield* TestClock.adjust("2 seconds")
      assertTag(yield* Fiber.join(fiber), "Unknown", "NotSent")
      const finding = yield* session.query()
      assert(finding._tag !== "Found" || finding.stage === "PENDING")
    })
  )
}

const notifications = (subject: Subject) => {
  const { capabilities, readNotification } = providerOf(subject)

  it("trusts nothing that is not a genuine message", () => {
    for (const body of ["", "{}", "[]", "null", "a=b", "<x/>", "\u0000", '{"notificationItems":[]}']) {
      const reading = readNotification?.({ headers: {}, query: {}, body: new TextEncoder().encode(body) })
      assert(reading !== undefined)
      assert.isTrue(reading._tag === "Forged" || reading.items.every(({ word }) => word._tag === "Ask"))
    }
  })

  it.effect("tells of a payment that it authorized and captured, under our reference and once for each message", () =>
    Effect.gen(function* () {
      const session = yield* captured(subject)
      const items = session.notified()
      assert.isNotEmpty(items)
      if (capabilities.notifications?.isSigned !== true) {
        assert.deepStrictEqual([...new Set(items.map(({ word }) => word._tag))], ["Ask"])
      }
      assert.strictEqual(new Set(items.map(({ id }) => id)).size, items.length)
    })
  )
}

/** What every simulator adds to its provider's own rules: the network's test cards, and notifications (contract section 5). */
export const sandboxContract = (subject: Subject): void => {
  network(subject)
  if (providerOf(subject).capabilities.notifications !== undefined) notifications(subject)
}
