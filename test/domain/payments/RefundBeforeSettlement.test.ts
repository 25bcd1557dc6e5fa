import { assert, describe, it } from "@effect/vitest"
import { type Outcome, type RefusalReason, Refused } from "@sarraf/domain/payments/Outcome"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { nextBatchClose } from "@sarraf/domain/payments/RefundBeforeSettlement"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { openGatewayTo } from "./support/Gateway.ts"
import { accepted, noon } from "./support/SamplePayment.ts"
import { declined, found, lost, type Script, unanswered } from "./support/ScriptedProvider.ts"

const minute = 60_000
const day = 86_400_000

describe("nextBatchClose", () => {
  it.each([
    ["later today", 12 * 60 + 1, noon + minute],
    ["tonight", 23 * 60 + 59, noon + (11 * 60 + 59) * minute],
    ["tomorrow, when it has just closed", 12 * 60, noon + day],
    ["tomorrow morning", 3 * 60, noon + 15 * 60 * minute],
    ["at midnight", 0, noon + 12 * 60 * minute]
  ])("is %s, a minute to spare", (_, minuteUtc, close) => {
    assert.strictEqual(nextBatchClose(noon, minuteUtc), close + minute)
  })

  const Minute = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_439 }))
  const Instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))

  it.prop("is the first close after now, whatever the time", [Instant, Minute], ([now, minuteUtc]) => {
    const close = nextBatchClose(now, minuteUtc) - minute
    assert.isTrue(close > now && close <= now + day)
    assert.strictEqual(close % day, minuteUtc * minute)
  })
})

const refusedAs = (reason: RefusalReason): Outcome =>
  Refused({
    code: "PROVIDER_ERROR",
    detail: "Not now.",
    answer: { responseCode: "99", fields: {} },
    mayTryAnother: false,
    reason,
    echo: {}
  })

const settledIs = (settled: boolean | null) => () => Effect.succeed(found({ stage: "CAPTURED", settled }))

/** A captured payment of 100.00 at a provider whose batch closes at 20:00 UTC, then a refund of it. */
const refundAt = (script: Script, minor: bigint | undefined) =>
  Effect.gen(function* () {
    const gateway = yield* openGatewayTo(script, {
      refundBeforeSettlement: "wholeByVoid",
      batchClosesAtMinuteUtc: 20 * 60
    })
    const { id } = yield* gateway.authorized
    yield* gateway.operate(id, { type: "CAPTURE" }, "c")
    const before = gateway.provider.calls.length
    const refunding = gateway.operate(id, { type: "REFUND", ...(minor === undefined ? {} : { minor }) }, "r")
    const fiber = yield* Effect.forkChild(refunding)
    yield* TestClock.adjust("31 seconds")
    const answer = yield* Fiber.join(fiber)
    const asked = gateway.provider.calls.slice(before).map(({ method }) => method)
    return { ...gateway, ...answer, id, asked }
  })

type Calls = ReadonlyArray<string>
const whole = undefined
const part = 4_000n
const ok = () => Effect.succeed<Outcome>(accepted())
const answer = (outcome: Outcome) => () => Effect.succeed(outcome)

/** What the provider says of its batch, what is refunded, what it answers; then what it was asked and what came of it. */
const table: ReadonlyArray<readonly [string, Script, bigint | undefined, Calls, string]> = [
  ["the whole, settled", { query: settledIs(true) }, whole, ["query", "refund"], "SUCCEEDED"],
  ["a part, settled", { query: settledIs(true) }, part, ["query", "refund"], "SUCCEEDED"],
  ["the whole, not settled", { query: settledIs(false) }, whole, ["query", "voidCapture"], "SUCCEEDED"],
  ["a part, not settled", { query: settledIs(false) }, part, ["query"], "DEFERRED"],
  [
    "the whole, state unknown",
    { query: () => Effect.succeed(unanswered), refund: ok },
    whole,
    ["query", "refund"],
    "SUCCEEDED"
  ],
  [
    "the whole, state unsaid and in truth not settled",
    { query: settledIs(null), refund: answer(refusedAs("notSettled")) },
    whole,
    ["query", "refund", "voidCapture"],
    "SUCCEEDED"
  ],
  [
    "a part, state unsaid and in truth not settled",
    { query: settledIs(null), refund: answer(refusedAs("notSettled")) },
    part,
    ["query", "refund"],
    "DEFERRED"
  ],
  [
    "the whole, settled meanwhile",
    { query: settledIs(false), voidCapture: answer(refusedAs("alreadySettled")) },
    whole,
    ["query", "voidCapture", "refund"],
    "SUCCEEDED"
  ],
  [
    "the whole, declined",
    { query: settledIs(true), refund: answer(declined) },
    whole,
    ["query", "refund", "query"],
    "FAILED"
  ],
  [
    "the whole, its void declined",
    { query: settledIs(false), voidCapture: answer(declined) },
    whole,
    ["query", "voidCapture", "query"],
    "FAILED"
  ]
]

describe("A refund at a provider that refunds only what has settled", () => {
  it.effect.each(table)("of %s", ([, script, minor, calls, outcome]) =>
    Effect.gen(function* () {
      const { asked, operation } = yield* refundAt(script, minor)
      assert.deepStrictEqual(asked, calls)
      assert.strictEqual(operation.availableFrom === null ? operation.status : "DEFERRED", outcome)
    })
  )

  it.effect("of several captures at once waits for the batch, since no void takes them all back", () =>
    Effect.gen(function* () {
      const { authorized, operate, provider } = yield* openGatewayTo(
        { query: settledIs(false) },
        { refundBeforeSettlement: "wholeByVoid", batchClosesAtMinuteUtc: 20 * 60 }
      )
      const { id } = yield* authorized
      yield* operate(id, { type: "CAPTURE", minor: 6_000n }, "c1")
      yield* operate(id, { type: "CAPTURE", minor: 4_000n }, "c2")
      const { operation } = yield* operate(id, { type: "REFUND" }, "r")
      assert.isNotNull(operation.availableFrom)
      assert.isFalse(provider.calls.some(({ method }) => method === "voidCapture" || method === "refund"))
    })
  )

  it.effect("that is deferred says from when on, keeps its amount reserved, and lets others go on", () =>
    Effect.gen(function* () {
      const { id, operate, operation, payment } = yield* refundAt({ query: settledIs(false) }, part)
      assert.deepStrictEqual([operation.status, operation.availableFrom], ["PENDING", noon + 8 * 60 * minute + minute])
      assert.deepStrictEqual([payment.sums.refundPending, operation.error, operation.deadline], [part, null, null])
      const error = yield* Effect.flip(operate(id, { type: "REFUND", minor: 6_001n }, "r2"))
      assert.deepInclude(error, { _tag: "OperationRefused", available: "60.00 EUR" })
      const other = yield* operate(id, { type: "REFUND", minor: 6_000n }, "r3")
      assert.deepStrictEqual([other.operation.status, other.payment.sums.refundPending], ["PENDING", 10_000n])
    })
  )

  it.effect("is asked about where its answer was lost, and the void of the capture counts as its refund", () =>
    Effect.gen(function* () {
      let questions = 0
      const { operation, payment } = yield* refundAt(
        {
          voidCapture: () => Effect.succeed(lost),
          query: () =>
            Effect.succeed(
              ++questions === 1
                ? found({ stage: "CAPTURED", settled: false })
                : found({ stage: "VOIDED", settled: false, capturedMinor: 0n, refundedMinor: 0n })
            )
        },
        whole
      )
      assert.deepStrictEqual([operation.status, statusOf(payment)], ["SUCCEEDED", "REFUNDED"])
    })
  )
})
