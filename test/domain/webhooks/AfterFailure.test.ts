import { assert, describe, it } from "@effect/vitest"
import { afterFailure, isAccepted } from "@sarraf/domain/webhooks/AfterFailure"
import { jitteredPause } from "@sarraf/domain/webhooks/RetrySchedule"
import { usualRetry } from "@sarraf/domain/webhooks/RetrySettings"
import type { SendOutcome } from "@sarraf/domain/webhooks/WebhookSender"
import { Schema } from "effect"

const dayMillis = 24 * 3_600_000
const at = 1_000 * dayMillis

const outcome = (changes: Partial<SendOutcome>): SendOutcome => ({
  at,
  durationMillis: 40,
  status: null,
  error: null,
  answer: null,
  retryAfter: null,
  ...changes
})

const made = (
  changes: Partial<SendOutcome>,
  {
    chance = 0.5,
    failingSince = null,
    isUnsent = false,
    number = 1
  }: { chance?: number; failingSince?: number | null; isUnsent?: boolean; number?: number } = {}
) =>
  afterFailure({ outcome: outcome(changes), isUnsent, number, endpoint: { retry: usualRetry, failingSince }, chance })

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Status = Schema.NullOr(whole(100, 599))
const Number = whole(1, 20)
const Since = Schema.NullOr(whole(0, 20 * dayMillis))
const Chance = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Patience = Schema.NullOr(whole(-dayMillis, 30 * dayMillis))

describe("An attempt", () => {
  it("is accepted by 2xx and by nothing else: a redirect is a failure like any other", () => {
    for (const status of [200, 204, 299]) assert.isTrue(isAccepted({ status }))
    for (const status of [null, 199, 300, 301, 302, 307, 410, 500]) assert.isFalse(isAccepted({ status }))
  })
})

describe("After an attempt that was not accepted", () => {
  it("nothing is held against a receiver to which nothing could be sent", () => {
    for (const failingSince of [null, at - 30 * dayMillis]) {
      const { delivery, endpoint } = made({ error: "No key" }, { failingSince, isUnsent: true })
      assert.deepStrictEqual([delivery.status, endpoint], ["PENDING", { change: "none" }])
    }
  })

  it("410 ends the delivery and disables the endpoint", () => {
    assert.deepStrictEqual(made({ status: 410 }), {
      delivery: { status: "FAILED" },
      endpoint: { change: "disable", reason: "The receiver answered 410 Gone.", since: at + 40 }
    })
  })

  it("an answer that asks for patience is not tried before, a day at most", () => {
    const pause = jitteredPause(usualRetry, 1, 0.5)
    const next = (retryAfter: number) => made({ status: 429, retryAfter }).delivery
    assert.deepStrictEqual(next(at + 3_600_000), { status: "PENDING", nextAttemptAt: at + 3_600_000 })
    assert.deepStrictEqual(next(at + 1), { status: "PENDING", nextAttemptAt: at + 40 + pause })
    assert.deepStrictEqual(next(at + 9 * dayMillis), { status: "PENDING", nextAttemptAt: at + 40 + dayMillis })
  })

  it("five days of failures disable the endpoint, and not a moment less", () => {
    const ended = at + 40
    const disabled = made({ status: 500 }, { failingSince: ended - 5 * dayMillis })
    assert.strictEqual(disabled.endpoint.change, "disable")
    assert.strictEqual(disabled.delivery.status, "PENDING", "it waits for the endpoint")
    assert.deepStrictEqual(made({ status: 500 }, { failingSince: ended - 5 * dayMillis + 1 }).endpoint, {
      change: "none"
    })
    assert.deepStrictEqual(made({ error: "No answer" }).endpoint, { change: "failing", since: ended })
  })

  it.prop(
    "the delivery is due later or used up",
    [Status, Number, Since, Chance, Patience],
    ([status, number, failedFor, chance, patience]) => {
      const ended = at + 40
      const failingSince = failedFor === null ? null : at - failedFor
      const retryAfter = patience === null ? null : at + patience
      const { delivery } = made({ status, retryAfter }, { chance, failingSince, number })
      if (delivery.status === "PENDING") {
        assert.isBelow(number, usualRetry.maxAttempts)
        assert.isAtLeast(delivery.nextAttemptAt, ended + jitteredPause(usualRetry, number, chance))
        if (retryAfter !== null) assert.isAtLeast(delivery.nextAttemptAt, Math.min(retryAfter, ended + dayMillis))
        assert.isAtMost(delivery.nextAttemptAt, ended + dayMillis)
      }
      if (delivery.status === "FAILED") assert.isTrue(status === 410 || number >= usualRetry.maxAttempts)
    }
  )
})
