import { assert, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import { NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { Effect } from "effect"
import { goodCard, open, type ProviderSession, returnUrl, type Send, type Subject } from "./ProviderSession.ts"
import { unreadableAnswers } from "./unreadableAnswers.ts"

const challengeCard = "4000000000003220"
const frictionlessCard = "4000000000003063"
const failingCard = "4000008400001629"

const assertTag = (outcome: Outcome | undefined, ...tags: ReadonlyArray<Outcome["_tag"]>) =>
  assert.include(tags, outcome?._tag, outcome !== undefined && "reason" in outcome ? String(outcome.reason) : undefined)

const assertFailed = (outcome: Outcome | undefined) => {
  assertTag(outcome, "Refused")
  assert(outcome?._tag === "Refused")
  assert.strictEqual(outcome.code, "3DS_FAILED")
  assert.isFalse(outcome.mayTryAnother)
}

const assertStage = Effect.fnUntraced(function* (session: ProviderSession, isAuthorized: boolean) {
  if (!session.capabilities.query.byReference) return
  const finding = yield* session.query()
  assert.strictEqual(finding._tag === "Found" && finding.stage === "AUTHORIZED", isAuthorized)
})

/** A payment whose buyer has been sent to the issuer. */
const challenged = Effect.fnUntraced(function* (
  subject: Subject,
  options: Parameters<typeof open>[1] = {},
  card = challengeCard
) {
  const session = yield* open(subject, options)
  const outcome = yield* session.authorize(card, { threeDS: { returnUrl } })
  assertTag(outcome, "ActionRequired")
  assert(outcome._tag === "ActionRequired")
  assert.strictEqual(outcome.step.type, session.capabilities.threeDS)
  return { session, step: outcome.step }
})

/** The same, back with the right code and not completed yet. */
const returned = Effect.fnUntraced(function* (
  subject: Subject,
  options: Parameters<typeof open>[1] = {},
  card = challengeCard
) {
  const { session, step } = yield* challenged(subject, options, card)
  const { pagesWithCode, returned } = yield* session.browse(step, "right")
  assert.strictEqual(pagesWithCode, 1)
  return { session, returned }
})

const lose: (send: Send) => Send = (send) => (request) =>
  Effect.flatMap(send(request), () => Effect.fail(new NoAnswer({ reason: "connection reset" })))

const passing = (subject: Subject) => {
  for (const card of [challengeCard, goodCard]) {
    it.effect(`authorizes ${card} after the right code`, () =>
      Effect.gen(function* () {
        const { returned: fields, session } = yield* returned(subject, {}, card)
        assertTag(yield* session.complete(fields), "Accepted")
        yield* assertStage(session, true)
        assertTag(yield* session.capture(session.amount), "Accepted")
      })
    )
  }

  it.effect("authorizes without asking the buyer where the issuer wants nothing", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const outcome = yield* session.authorize(frictionlessCard, { threeDS: { returnUrl } })
      assertTag(outcome, "Accepted", "ActionRequired")
      if (outcome._tag === "ActionRequired") {
        const { pagesWithCode, returned } = yield* session.browse(outcome.step, "right")
        assert.strictEqual(pagesWithCode, 0)
        assertTag(yield* session.complete(returned), "Accepted")
      }
      yield* assertStage(session, true)
    })
  )

  it.effect("passes on the issuer's refusal of an authenticated buyer", () =>
    Effect.gen(function* () {
      const { returned: fields, session } = yield* returned(subject, {}, "4000000000009995")
      const outcome = yield* session.complete(fields)
      assert(outcome?._tag === "Refused")
      assert.strictEqual(outcome.code, "INSUFFICIENT_FUNDS")
      assert.isFalse(outcome.mayTryAnother)
    })
  )
}

const failing = (subject: Subject) => {
  it.effect("refuses a card whose authentication fails", () =>
    Effect.gen(function* () {
      const session = yield* open(subject)
      const outcome = yield* session.authorize(failingCard, { threeDS: { returnUrl } })
      if (outcome._tag !== "ActionRequired") return assertFailed(outcome)
      const { returned } = yield* session.browse(outcome.step, "right")
      assertFailed(yield* session.complete(returned))
      yield* assertStage(session, false)
    })
  )

  for (const answer of ["wrong", "cancel"] as const) {
    it.effect(`refuses a buyer whose answer is ${answer}`, () =>
      Effect.gen(function* () {
        const { session, step } = yield* challenged(subject)
        const { returned } = yield* session.browse(step, answer)
        assertFailed(yield* session.complete(returned))
        yield* assertStage(session, false)
      })
    )
  }

  it.effect("believes no return before the buyer has been to the issuer", () =>
    Effect.gen(function* () {
      const { session } = yield* challenged(subject)
      for (const fields of [{}, { success: "true", status: "success", mdStatus: "1", redirect_status: "succeeded" }]) {
        const outcome = yield* session.complete(fields)
        assert.notStrictEqual(outcome?._tag, "Accepted")
        assert.notStrictEqual(outcome?._tag, "Refused")
      }
      yield* assertStage(session, false)
    })
  )

  it.effect("believes no return of another payment", () =>
    Effect.gen(function* () {
      const book = MemoryOrderBook.make()
      const other = yield* returned(subject, { book, seed: 2 })
      const { session } = yield* challenged(subject, { book, seed: 1 })
      const outcome = yield* session.complete(other.returned)
      assert.notStrictEqual(outcome?._tag, "Accepted")
      assert.notStrictEqual(outcome?._tag, "Refused")
      yield* assertStage(session, false)
    })
  )
}

const disturbed = (subject: Subject) => {
  it.effect("does not know what came of a completion whose answer was lost", () =>
    Effect.gen(function* () {
      const { returned: fields, session } = yield* returned(subject)
      session.wire(lose)
      assertTag(yield* session.complete(fields), "Unknown")
      session.wire()
      if (!session.capabilities.query.byReference) return
      const finding = yield* session.query()
      assert(finding._tag === "Found")
    })
  )

  for (const [fault, spoil] of Object.entries(unreadableAnswers)) {
    it.effect(`makes nothing certain of a completion out of ${fault}`, () =>
      Effect.gen(function* () {
        const { returned: fields, session } = yield* returned(subject)
        session.wire((send) => (request) => Effect.map(send(request), spoil))
        assertTag(yield* session.complete(fields), "Unknown")
      })
    )

    it.effect(`sends nobody to the issuer out of ${fault}`, () =>
      Effect.gen(function* () {
        const session = yield* open(subject)
        if (session.capabilities.threeDS === "form") return
        session.wire((send) => (request) => Effect.map(send(request), spoil))
        const outcome = yield* session.authorize(challengeCard, { threeDS: { returnUrl } })
        // Before the card is sent there may be steps of which nothing is left to settle.
        assertTag(outcome, "Unknown", "NotSent", "Refused")
        if (outcome._tag === "Refused") assert.isTrue(outcome.mayTryAnother)
      })
    )
  }
}

/** 3D Secure as every adapter that has it answers against its own simulator (contract sections 4 and 5). */
export const threeDSContract = (subject: Subject): void => {
  passing(subject)
  failing(subject)
  disturbed(subject)
}
