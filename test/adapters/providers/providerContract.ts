import { assert, describe, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import { ConnectFailed, NoAnswer, type ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import { compare } from "@sarraf/domain/payments/Integrity"
import type { Outcome, RefusalCode } from "@sarraf/domain/payments/Outcome"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { goodCard, open, type ProviderSession, type Send, type Subject } from "./ProviderSession.ts"
import { sandboxContract } from "./sandboxContract.ts"
import { assertSums, assertTag, authorized, captured, found, providerOf } from "./steps.ts"
import { threeDSContract } from "./threeDSContract.ts"
import { unreadableAnswers } from "./unreadableAnswers.ts"

const letterCount = { digits: 10, alphanumeric: 62, lowercase: 36, uppercase: 36 } as const

/** Contract section 5. */
const acceptedCards = [
  "4111111111111111",
  "5555555555554444",
  "378282246310005",
  "9792030000000000",
  "4000000000003220",
  "4000000000003063",
  "4000008400001629"
]
const refusedCards: ReadonlyArray<readonly [string, RefusalCode, boolean]> = [
  ["4000000000009995", "INSUFFICIENT_FUNDS", false],
  ["4000000000000002", "CARD_DECLINED", false],
  ["4000000000000069", "INVALID_CARD", false],
  ["4000000000000119", "PROVIDER_ERROR", true]
]

const assertRefused = (outcome: Outcome) => {
  assertTag(outcome, "Refused")
  if (outcome._tag !== "Refused") return
  assert.match(outcome.detail, /^[A-Z][^\n]{5,250}\.$/u)
  assert.isFalse(outcome.mayTryAnother)
}

type Step = (session: ProviderSession) => Effect.Effect<Outcome>

/** Every step with what has to come before it; the void of a capture where the provider has one. */
const stepsOf = (subject: Subject): Readonly<Record<string, readonly [typeof authorized, Step]>> => {
  const hasVoid = providerOf(subject).voidCapture !== undefined
  return {
    authorize: [open, (session) => session.authorize()],
    capture: [authorized, (session) => session.capture(session.amount)],
    cancel: [authorized, (session) => session.cancel()],
    refund: [captured, (session) => session.refund(session.amount)],
    ...(hasVoid
      ? {
          voidCapture: [
            (one: Subject, options) => captured(one, { ...options, settlement: "daily" }),
            (session) => session.voidCapture(session.amount)
          ]
        }
      : {})
  }
}

const authorization = (subject: Subject) => {
  it.effect("accepts a card, and tells of the payment that was asked for", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const outcome = yield* session.authorize()
      assert(outcome._tag === "Accepted")
      assert.isNotEmpty(outcome.providerReference)
      assert.isNotEmpty(Object.values(outcome.echo))
      const last4 = goodCard.slice(-4)
      const money = session.moneyOf(session.amount)
      assert.deepStrictEqual(compare({ reference: session.reference, money, last4 }, outcome.echo), { _tag: "matches" })
      yield* assertSums(session, "AUTHORIZED", 0n, 0n)
    })
  )

  for (const number of acceptedCards) {
    it.effect(`accepts ${number} without 3-D Secure, where it takes the brand`, () =>
      Effect.gen(function* () {
        const session = yield* open(subject)
        const { brand } = Result.getOrThrow(CardNumber.parse(number))
        if (session.capabilities.brands.includes(brand)) assertTag(yield* session.authorize(number), "Accepted")
      })
    )
  }

  for (const [number, code, mayTryAnother] of refusedCards) {
    it.effect(`refuses ${number} with ${code}, and nothing is authorized`, () =>
      Effect.gen(function* () {
        const session = yield* open(subject)
        const outcome = yield* session.authorize(number)
        assert(outcome._tag === "Refused")
        assert.strictEqual(outcome.code, code)
        assert.strictEqual(outcome.mayTryAnother, mayTryAnother)
        assertRefused({ ...outcome, mayTryAnother: false })
        const finding = yield* session.query()
        assert(finding._tag !== "Found" || finding.stage === "DECLINED")
      })
    )
  }

  it.effect("authorizes once under one reference, and never for another amount", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const first = yield* session.authorize()
      assert(first._tag === "Accepted")
      const again = yield* session.authorize()
      assertTag(again, "Accepted", "Unknown")
      if (again._tag === "Accepted") assert.strictEqual(again.providerReference, first.providerReference)
      assertTag(yield* session.authorize(goodCard, { money: session.moneyOf(2002n) }), "Unknown")
      if (!session.capabilities.query.byReference) return
      const finding = found(yield* session.query())
      assert.strictEqual(finding.stage, "AUTHORIZED")
      assert.include([session.amount, undefined], finding.echo.minor)
    })
  )

  it.effect("keeps payments apart by their references", () =>
    Effect.gen(function* () {
      const book = MemoryOrderBook.make()
      const one = yield* authorized(subject, { book, seed: 1 })
      const other = yield* authorized(subject, { book, seed: 2 })
      assertTag(yield* one.cancel(), "Accepted")
      yield* assertSums(one, "VOIDED", 0n, 0n)
      yield* assertSums(other, "AUTHORIZED", 0n, 0n)
    })
  )
}

const capture = (subject: Subject) => {
  it.effect("captures the whole authorization, once", () =>
    Effect.gen(function* () {
      const session = yield* authorized(subject)
      assertTag(yield* session.capture(session.amount), "Accepted")
      yield* assertSums(session, "CAPTURED", session.amount, 0n)
      assertTag(yield* session.capture(1n), "Refused", "Unknown")
      yield* assertSums(session, "CAPTURED", session.amount, 0n)
    })
  )

  it.effect("captures a part where it can, and after that as much as its capabilities say", () =>
    Effect.gen(function* () {
      const session = yield* authorized(subject)
      const { partialCapture } = session.capabilities
      if (partialCapture === "none") return
      assertTag(yield* session.capture(400n), "Accepted")
      yield* assertSums(session, "CAPTURED", 400n, 0n)
      const second = yield* session.capture(601n)
      if (partialCapture === "single") assertRefused(second)
      else assertTag(second, "Accepted")
      yield* assertSums(session, "CAPTURED", partialCapture === "single" ? 400n : 1001n, 0n)
    })
  )

  it.effect("refuses to capture more than was authorized, and the authorization stands", () =>
    Effect.gen(function* () {
      const session = yield* authorized(subject)
      assertRefused(yield* session.capture(session.amount + 1n))
      yield* assertSums(session, "AUTHORIZED", 0n, 0n)
      assertTag(yield* session.capture(session.amount), "Accepted")
    })
  )

  it.effect("captures nothing of a payment that it does not know", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      assertTag(yield* session.capture(session.amount), "Refused", "NotSent")
    })
  )
}

const release = (subject: Subject) => {
  it.effect("releases an authorization, after which there is nothing to capture", () =>
    Effect.gen(function* () {
      const session = yield* authorized(subject)
      assertTag(yield* session.cancel(), "Accepted")
      yield* assertSums(session, "VOIDED", 0n, 0n)
      assertRefused(yield* session.capture(session.amount))
      yield* assertSums(session, "VOIDED", 0n, 0n)
    })
  )

  it.effect("refuses to release what is captured, and the capture stands", () =>
    Effect.gen(function* () {
      const session = yield* captured(subject, { settlement: "daily" })
      assertRefused(yield* session.cancel())
      yield* assertSums(session, "CAPTURED", session.amount, 0n)
    })
  )
}

const refund = (subject: Subject) => {
  it.effect("refunds a whole capture, and no more", () =>
    Effect.gen(function* () {
      const session = yield* captured(subject)
      assertTag(yield* session.refund(session.amount), "Accepted")
      yield* assertSums(session, "CAPTURED", session.amount, session.amount)
      assertRefused(yield* session.refund(1n))
      yield* assertSums(session, "CAPTURED", session.amount, session.amount)
    })
  )

  it.effect("refunds in parts up to what was captured, where it can", () =>
    Effect.gen(function* () {
      const session = yield* authorized(subject)
      const { partialCapture, partialRefund } = session.capabilities
      if (!partialRefund) return
      const captures = partialCapture === "none" ? session.amount : 900n
      assertTag(yield* session.capture(captures), "Accepted")
      assertTag(yield* session.refund(400n), "Accepted")
      yield* assertSums(session, "CAPTURED", captures, 400n)
      assertRefused(yield* session.refund(captures - 399n))
      assertTag(yield* session.refund(captures - 400n), "Accepted")
      yield* assertSums(session, "CAPTURED", captures, captures)
    })
  )

  it.effect("refunds nothing of what is not captured", () =>
    Effect.gen(function* () {
      const session = yield* authorized(subject)
      assertRefused(yield* session.refund(session.amount))
      yield* assertSums(session, "AUTHORIZED", 0n, 0n)
    })
  )

  it.effect("gives a capture back before it settles in the way that its capabilities say", () =>
    Effect.gen(function* () {
      const session = yield* captured(subject, { settlement: "daily" })
      if (session.capabilities.refundBeforeSettlement === "any") {
        assertTag(yield* session.refund(400n), "Accepted")
        yield* assertSums(session, "CAPTURED", session.amount, 400n)
        return
      }
      const early = yield* session.refund(session.amount)
      assertRefused(early)
      assert(early._tag === "Refused" && early.reason === "notSettled")
      if (session.capabilities.query.byReference) assert.isFalse(found(yield* session.query()).settled)
      assertTag(yield* session.voidCapture(session.amount), "Accepted")
      yield* assertSums(session, "VOIDED", 0n, 0n)
      assertRefused(yield* session.refund(session.amount))
    })
  )

  it.effect("refunds and no longer voids a capture that has settled", () =>
    Effect.gen(function* () {
      const session = yield* captured(subject, { settlement: "daily" })
      yield* TestClock.adjust(Duration.days(1))
      if (session.provider.voidCapture !== undefined) {
        const late = yield* session.voidCapture(session.amount)
        assertRefused(late)
        assert(late._tag === "Refused" && late.reason === "alreadySettled")
      }
      assertTag(yield* session.refund(session.amount), "Accepted")
    })
  )
}

const lose: (send: Send) => Send = (send) => (request) =>
  Effect.flatMap(send(request), () => Effect.fail(new NoAnswer({ reason: "connection reset" })))

const ways = (subject: Subject) => {
  it.effect("does not know a payment that never arrived", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const { byReference } = session.capabilities.query
      assert.strictEqual((yield* session.query())._tag, byReference ? "Absent" : "Unanswered")
    })
  )

  it.effect("finds a payment by our reference alone where its capabilities say so", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      session.wire(lose)
      assertTag(yield* session.authorize(), "Unknown")
      session.wire()
      const { absenceProvenAfter, byReference } = session.capabilities.query
      if (!byReference) return
      if (absenceProvenAfter !== undefined) yield* TestClock.adjust(absenceProvenAfter)
      const finding = found(yield* session.query())
      assert.strictEqual(finding.stage, "AUTHORIZED")
      const expected = { reference: session.reference, money: session.moneyOf(session.amount) }
      assert.deepStrictEqual(compare(expected, finding.echo), { _tag: "matches" })
      const { providerReference } = finding
      const call = {
        reference: session.reference,
        providerReference,
        notes: { ...session.authorization().notes, ...finding.notes },
        money: expected.money
      }
      const known = { authorization: { ...call, authorizedAt: session.now } }
      assertTag(yield* session.cancel(known), "Accepted")
    })
  )

  for (const [name, [prepare, step]] of Object.entries(stepsOf(subject))) {
    it.effect(`tells at ${name} a refused connection from a lost answer`, () =>
      Effect.gen(function* () {
        const session = yield* prepare(subject)
        session.wire(() => () => Effect.fail(new ConnectFailed({ reason: "connection refused" })))
        assertTag(yield* step(session), "NotSent")
        assert.strictEqual((yield* session.query())._tag, "Unanswered")
        session.wire(lose)
        assertTag(yield* step(session), "Unknown")
        assert.strictEqual((yield* session.query())._tag, "Unanswered")
      })
    )

    it.effect(`ends at ${name} when it is interrupted`, () =>
      Effect.gen(function* () {
        const session = yield* prepare(subject)
        session.wire(() => () => Effect.never)
        const fiber = yield* Effect.forkChild(step(session))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      })
    )

    it.effect(`makes nothing certain at ${name} of the answer to another payment`, () =>
      Effect.gen(function* () {
        const book = MemoryOrderBook.make()
        const other = yield* prepare(subject, { book, seed: 2 })
        const answers: Array<ProviderResponse> = []
        other.wire(
          (send) => (request) => Effect.tap(send(request), (answer) => Effect.sync(() => answers.push(answer)))
        )
        assertTag(yield* step(other), "Accepted")
        const session = yield* prepare(subject, { book, seed: 1 })
        session.wire((send) => (request) => Effect.map(send(request), (own) => answers.shift() ?? own))
        assertTag(yield* step(session), "Unknown")
      })
    )
  }
}

const readings = (subject: Subject) => {
  for (const [fault, spoil] of Object.entries(unreadableAnswers)) {
    const spoiled: (send: Send) => Send = (send) => (request) => Effect.map(send(request), spoil)
    for (const [name, [prepare, step]] of Object.entries(stepsOf(subject))) {
      it.effect(`at ${name} out of ${fault}`, () =>
        Effect.gen(function* () {
          const session = yield* prepare(subject)
          session.wire(spoiled)
          assertTag(yield* step(session), "Unknown")
        })
      )
    }
    it.effect(`at a query out of ${fault}`, () =>
      Effect.gen(function* () {
        const session = yield* authorized(subject)
        session.wire(spoiled)
        assert.strictEqual((yield* session.query())._tag, "Unanswered")
      })
    )
  }
}

/**
 * What every adapter of `PaymentProvider` answers against its own simulator (contract sections 4 and 5). Capabilities
 * decide what is asked of it. No test depends on another, and each has a book and a clock of its own.
 */
export const providerContract = (subject: Subject): void => {
  describe(`${subject.name} as a payment provider`, () => {
    it.effect(
      "has a route's capabilities: its currency, references of 60 bits, and the methods that they promise",
      () =>
        Effect.gen(function* () {
          const { capabilities, provider } = yield* open(subject)
          const { alphabet, length } = capabilities.reference
          assert.include(capabilities.currencies, subject.currency)
          assert.isAtLeast(length * Math.log2(letterCount[alphabet]), 60)
          const { readNotification, threeDS, voidCapture } = provider
          assert.strictEqual(voidCapture !== undefined, capabilities.refundBeforeSettlement === "wholeByVoid")
          assert.strictEqual(threeDS !== undefined, capabilities.threeDS !== undefined)
          assert.strictEqual(readNotification !== undefined, capabilities.notifications !== undefined)
        })
    )
    describe("authorizes", () => authorization(subject))
    describe("captures", () => capture(subject))
    describe("releases", () => release(subject))
    describe("refunds", () => refund(subject))
    describe("over a bad connection", () => ways(subject))
    describe("makes nothing certain", () => readings(subject))
    describe("in the sandbox", () => sandboxContract(subject))
    if (providerOf(subject).capabilities.threeDS !== undefined) {
      describe("authenticates buyers", () => threeDSContract(subject))
    }
  })
}
