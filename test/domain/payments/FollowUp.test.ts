import { assert, describe, it } from "@effect/vitest"
import {
  type FollowUp,
  followUpOf,
  isExhausted,
  pauseAfter,
  type Question,
  questionOf,
  reviewMillis,
  unwantedAttempts
} from "@sarraf/domain/payments/FollowUp"
import { isUnderWay } from "@sarraf/domain/payments/Operation"
import { ActionRequired } from "@sarraf/domain/payments/Outcome"
import { lastAttempt, openOperation, type Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { attemptResult } from "@sarraf/domain/payments/Settlement"
import { capturable } from "@sarraf/domain/payments/Sums"
import { Arbitrary, Schema } from "effect"
import { Moves, play } from "./support/History.ts"
import {
  accepted,
  authorized,
  begunOperation,
  carriedOut,
  noon,
  operation,
  settledBy,
  settledOperation,
  type Told,
  tell,
  told
} from "./support/SamplePayment.ts"
import { declined, lost, notSent } from "./support/ScriptedProvider.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const histories = Arbitrary.all([Arbitrary.schema(Moves), Arbitrary.schema(Schema.Boolean)]).pipe(
  Arbitrary.map(([moves, isAuthorized]) => play(moves, isAuthorized ? authorized() : told()))
)
const many = { arbitrary: { runs: 300 } }

const step = { type: "redirect", url: "https://issuer.test" } as const
const challenged = (): Told => {
  const begun = told()
  const answer = { responseCode: null, fields: {} }
  return tell(begun, settledBy(begun.payment, ActionRequired({ step, answer, echo: {} })))
}
const unknown = (): Told => {
  const begun = told()
  return tell(begun, settledBy(begun.payment, lost))
}
const review: PaymentEvent = { type: "review.requested", at: noon + minute, reason: "another amount" }

/** When it is looked at again after the last of its commits, if each of them was one event. */
const dueAfter = ({ events, payment }: Told, before: Told) => {
  assert.isAbove(events.length, before.events.length)
  return followUpOf(before.payment, payment)
}

describe("The schedule", () => {
  const all = (kind: "open" | "late", first: number) => {
    const looks = [first]
    for (let tries = 0; tries < 8; tries++) {
      const pause = pauseAfter(kind, tries)
      if (pause === null) break
      looks.push(pause)
    }
    return looks
  }

  it("of what is open is the contract's, and goes on once a day", () => {
    const first = dueAfter(unknown(), told())
    assert.deepStrictEqual(first, { at: noon + 6 * second, kind: "open", tries: 0 })
    const schedule = [5 * second, 15 * second, minute, 5 * minute, hour, 6 * hour, day, day, day]
    assert.deepStrictEqual(all("open", (first?.at ?? 0) - unknown().payment.updatedAt), schedule)
  })

  it("of a late approval is the contract's, and ends", () => {
    const before = unknown()
    const ended = tell(before, settledBy(before.payment, declined))
    const first = dueAfter(ended, before)
    assert.deepInclude(first, { kind: "late", tries: 0 })
    assert.deepStrictEqual(all("late", (first?.at ?? 0) - ended.payment.updatedAt), [5 * minute, hour, day])
  })

  const whole = 31 * hour + 6 * minute + 20 * second

  it("needs a person when its time has gone by, and not before, however often was asked", () => {
    const { payment } = unknown()
    for (const tries of [3, 6, 40]) {
      assert.isFalse(isExhausted(payment, { kind: "open", tries }, payment.updatedAt + whole - 1))
      assert.isTrue(isExhausted(payment, { kind: "open", tries }, payment.updatedAt + whole))
      assert.isFalse(isExhausted(payment, { kind: "late", tries }, payment.updatedAt + whole))
    }
  })

  it("needs nobody where no process ran in that time, before it has been asked a few times", () => {
    const { payment } = unknown()
    assert.isFalse(isExhausted(payment, { kind: "open", tries: 2 }, payment.updatedAt + 30 * day))
  })

  it("of an expiry begins with that, however long ago the payment was changed", () => {
    const { payment } = authorized()
    const expiresAt = payment.expiresAt ?? assert.fail("it never expires")
    assert.isFalse(isExhausted(payment, { kind: "open", tries: 40 }, expiresAt + minute))
    assert.isTrue(isExhausted(payment, { kind: "open", tries: 6 }, expiresAt + 2 * day))
  })
})

describe("followUpOf", () => {
  it("leaves what is settled within its request without a time, so that it costs no row", () => {
    const begun = told()
    assert.isNull(dueAfter(tell(begun, settledBy(begun.payment, accepted())), begun))
    assert.isNull(dueAfter(tell(begun, settledBy(begun.payment, declined)), begun))
    const capture = operation()
    const open = tell(authorized(), begunOperation(capture))
    assert.isNull(dueAfter(open, authorized()))
    assert.isNull(dueAfter(tell(open, settledOperation(capture, accepted())), open))
  })

  it("looks at a challenge when its time is over, and at its end when whoever works on it should be done", () => {
    const waiting = challenged()
    const endsAt = waiting.payment.challenge?.endsAt ?? 0
    assert.deepStrictEqual(dueAfter(waiting, told()), { at: endsAt, kind: "open", tries: 0 })
    const at = noon + 3 * minute
    const back = tell(waiting, { type: "challenge.ended", at, by: "buyer", deadline: at + 30 * second })
    // A crash after this commit is found then, and not when the quarter of an hour is over.
    assert.deepStrictEqual(dueAfter(back, waiting), { at: at + 30 * second, kind: "open", tries: 0 })
  })

  it("asks daily what a person has to look at, as often as its provider wakes", () => {
    const before = unknown()
    const due = dueAfter(tell(before, review), before)
    assert.deepStrictEqual(due, { at: review.at + reviewMillis, kind: "open", tries: 7 })
  })

  it("waits with a review for no longer than for what comes first", () => {
    const before = challenged()
    const endsAt = before.payment.challenge?.endsAt
    assert.strictEqual(dueAfter(tell(before, review), before)?.at, endsAt)
  })

  it("keeps a payment under review on the list where there is nothing to ask", () => {
    const before = authorized()
    const under = tell(before, review)
    assert.deepStrictEqual(dueAfter(under, before), { at: review.at + reviewMillis, kind: "open", tries: 7 })
    const disputed = tell(under, { type: "payment.disputed", at: noon + hour, minor: 0n })
    assert.deepStrictEqual(dueAfter(disputed, under), { at: noon + hour + reviewMillis, kind: "open", tries: 7 })
    // Closed, it is looked at once more and taken off the list.
    const closed = tell(under, { type: "review.closed", at: noon + hour, evidence: "seen" })
    assert.deepStrictEqual(dueAfter(closed, under), { at: noon + hour, kind: "open", tries: 0 })
  })

  it("never lets a far time of before hide what is begun now", () => {
    const unsettled = unknown()
    const found = tell(unsettled, settledBy(unsettled.payment, accepted(), noon + hour))
    // Its row may say "in six hours": it says "now", so that the row is gone when a crash leaves something open.
    assert.deepStrictEqual(dueAfter(found, unsettled), { at: noon + hour, kind: "open", tries: 0 })
    const capture = operation({ createdAt: noon + hour, deadline: noon + hour + 30 * second })
    const late = tell(failedOver(), begunOperation(capture))
    assert.deepStrictEqual(dueAfter(late, failedOver())?.at, noon + hour + 30 * second)
  })

  it("asks at once about what is past its expiry when something of it becomes free again", () => {
    const before = authorized()
    const over = (before.payment.expiresAt ?? 0) + minute
    const capture = operation({ createdAt: over, deadline: over + 30 * second })
    const open = tell(before, begunOperation(capture))
    const failed = tell(open, settledOperation(capture, declined, over + second))
    assert.deepStrictEqual(dueAfter(failed, open), { at: over + 6 * second, kind: "open", tries: 0 })
  })
})

/** Authorized by the second provider, after the first had been in doubt. */
const failedOver = (): Told => {
  const begun = told()
  const [first] = begun.payment.attempts
  if (first === undefined) throw new Error("A payment without an attempt")
  const rerouted: PaymentEvent = {
    type: "payment.rerouted",
    at: noon + second,
    result: attemptResult(first, notSent, noon + second, true),
    attempt: { number: 2, provider: "isbank", reference: "REF2", startedAt: noon + second, deadline: first.deadline }
  }
  const second_ = tell(begun, rerouted)
  return tell(second_, settledBy(second_.payment, accepted()))
}

describe("unwantedAttempts", () => {
  const reversal = (status: "BEGUN" | "DONE", attempt = 1): PaymentEvent => ({
    type: "attempt.reversed",
    at: noon + minute,
    by: "notification",
    attempt,
    status,
    reason: "approved late"
  })

  it("are those in doubt of a payment that another attempt stands for, and never that one", () => {
    assert.deepStrictEqual(
      unwantedAttempts(failedOver().payment).map(({ number }) => number),
      [1]
    )
  })

  it("are those in doubt of a payment that has ended without money", () => {
    const before = unknown()
    for (const outcome of [declined, notSent]) {
      const { payment } = tell(before, settledBy(before.payment, outcome))
      assert.lengthOf(unwantedAttempts(payment), 1)
    }
    const { payment } = tell(told(), settledBy(told().payment, declined))
    assert.lengthOf(unwantedAttempts(payment), 0)
  })

  it("are none while the payment is open, and none of one that was approved and voided", () => {
    assert.lengthOf(unwantedAttempts(unknown().payment), 0)
    assert.lengthOf(unwantedAttempts(challenged().payment), 0)
    const before = unknown()
    const found = tell(before, settledBy(before.payment, accepted()))
    assert.lengthOf(unwantedAttempts(carriedOut(found, operation({ type: "VOID" })).payment), 0)
  })

  it("stay what they are from the moment they are being taken back, though they were never in doubt", () => {
    const ended = tell(told(), settledBy(told().payment, declined))
    const begun = tell(ended, reversal("BEGUN"))
    assert.lengthOf(unwantedAttempts(begun.payment), 1)
    assert.deepInclude(dueAfter(begun, ended), { kind: "open", at: noon + minute + 5 * second })
    assert.lengthOf(unwantedAttempts(tell(begun, reversal("DONE")).payment), 0)
  })
})

/** What a payment's question has to be at a time, in other words than the source's. */
const expectedQuestion = (payment: Payment, now: number): Question["_tag"] => {
  const { authorization, challenge, expiresAt, sums } = payment
  const open = openOperation(payment)
  const attempt = lastAttempt(payment)
  if (open !== undefined && isUnderWay(open, now)) return "Wait"
  if (authorization === "REQUIRES_ACTION" && open === undefined) {
    return challenge !== null && now < challenge.endsAt ? "Wait" : "EndChallenge"
  }
  if (authorization === "PENDING" || authorization === "REQUIRES_ACTION") {
    return attempt?.outcome === "RUNNING" && now < attempt.deadline ? "Wait" : "Authorization"
  }
  if (open !== undefined) return "Operation"
  if (authorization === "AUTHORIZED" && expiresAt !== null && now >= expiresAt && capturable(sums) > 0n) return "Expiry"
  return unwantedAttempts(payment).length > 0 ? "Unwanted" : "Nothing"
}

describe("The question about a payment", () => {
  const times = [0, 31 * second, 16 * minute, 8 * day]

  it.prop(
    "is there after whatever happens, as the contract has it, now and at any later time",
    [histories],
    ([states]) => {
      for (const { payment } of states) {
        for (const later of times) {
          const now = payment.updatedAt + later
          const question = questionOf(payment, now)
          assert.strictEqual(question._tag, expectedQuestion(payment, now))
          if (question._tag === "Wait") assert.isAbove(question.until, now)
        }
      }
    },
    many
  )

  it.prop(
    "is never nothing, and is put one day, while the payment or something of it is not final",
    [histories],
    ([states]) => {
      for (const { payment } of states) {
        const isFinal = !["PENDING", "REQUIRES_ACTION"].includes(statusOf(payment)) && !openOperation(payment)
        if (isFinal) continue
        // Whatever is waited for has ended by then.
        assert.notInclude(["Nothing", "Wait"], questionOf(payment, payment.updatedAt + day)._tag)
      }
    },
    many
  )

  it.prop(
    "has a time, or is found by a deadline: nothing is left that nobody looks at",
    [histories],
    ([states]) => {
      let before = states[0] ?? assert.fail("a history without a state")
      /** The payment's row, as the store keeps it: a commit without a time leaves it as it is. */
      let row: FollowUp | null = null
      for (const after of states.slice(1)) {
        const { needsReview, updatedAt: now } = after.payment
        row = followUpOf(before.payment, after.payment) ?? row
        before = after
        const question = questionOf(after.payment, now)
        if (question._tag === "Wait") {
          // What a crash leaves is found by its deadline only where no row stands for a later time.
          assert.isAtMost(row?.at ?? 0, question.until)
          assert.isTrue(row !== null || after.payment.authorization !== "REQUIRES_ACTION")
        } else if (question._tag === "Nothing") {
          assert.isTrue(row === null || needsReview !== null || row.at <= now + 30 * second)
        } else {
          const latest = needsReview !== null ? day : question._tag === "Unwanted" ? 5 * minute : 5 * second
          assert.isAtMost(row?.at ?? Number.POSITIVE_INFINITY, now + latest)
        }
        assert.isTrue(needsReview === null || row !== null)
      }
    },
    many
  )
})
