import { assert, describe, it } from "@effect/vitest"
import { NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { jsonAnswer } from "../answers.ts"
import {
  accountAnswering,
  accountSaying,
  authorization,
  detail,
  failure,
  paymentId,
  reference,
  report
} from "./Sample.ts"

const found = (finding: Finding) => {
  assert(finding._tag === "Found", `not found but ${finding._tag}`)
  return finding
}

const asked = (...bodies: ReadonlyArray<unknown>) => accountSaying(...bodies).iyzico.query(authorization())
const unknown = authorization({ providerReference: null })

const listed = (changes: object = {}) => ({
  paymentId,
  phase: "PRE_AUTH",
  cancels: [],
  itemTransactions: [],
  ...changes
})
const back = (refundPrice: string | number, refundStatus?: number) => ({ refundId: 1, refundPrice, refundStatus })
const items = (...refunds: ReadonlyArray<object>) => [{ paymentTransactionId: "24810001", refunds }]

describe("a query finds", () => {
  it.effect("an authorization, with what it was for and the item that a refund goes by", () =>
    Effect.gen(function* () {
      const finding = found(yield* asked(detail(), report(listed())))
      assert.deepStrictEqual(
        [finding.stage, finding.capturedMinor, finding.refundedMinor, finding.providerReference, finding.settled],
        ["AUTHORIZED", 0n, 0n, paymentId, null]
      )
      assert.deepStrictEqual(finding.echo, { reference, minor: 1050n, currency: "TRY", last4: "0008" })
      assert.deepStrictEqual(finding.notes, { paymentTransactionId: "24810001" })
    })
  )

  it.effect("the same by our reference alone", () =>
    Effect.gen(function* () {
      const finding = found(yield* accountSaying(detail(), report(listed())).iyzico.query(unknown))
      assert.deepStrictEqual([finding.stage, finding.providerReference], ["AUTHORIZED", paymentId])
    })
  )

  it.effect("a hold that was cancelled", () =>
    Effect.gen(function* () {
      const finding = found(yield* asked(detail(), report(listed({ cancels: [back("10.50000000", 1)] }))))
      assert.deepStrictEqual([finding.stage, finding.capturedMinor, finding.refundedMinor], ["VOIDED", 0n, 0n])
      const open = found(yield* asked(detail(), report(listed({ cancels: [back("10.50", 0)] }))))
      assert.strictEqual(open.stage, "AUTHORIZED")
    })
  )

  it.effect("a capture with all that was given back of it", () =>
    Effect.gen(function* () {
      const one = listed({ phase: "POST_AUTH", itemTransactions: items(back(4), back("2.50000000", 1)) })
      const finding = found(yield* asked(detail({ phase: "POST_AUTH" }), report(one)))
      assert.deepStrictEqual([finding.stage, finding.capturedMinor, finding.refundedMinor], ["CAPTURED", 1050n, 650n])
      assert.notProperty(finding.echo, "minor")
    })
  )

  it.effect("the whole refund on the day of a capture among the cancellations", () =>
    Effect.gen(function* () {
      const one = listed({ phase: "POST_AUTH", cancels: [back(10.5, 1)] })
      const finding = found(yield* asked(detail({ phase: "POST_AUTH" }), report(one)))
      assert.deepStrictEqual([finding.stage, finding.refundedMinor], ["CAPTURED", 1050n])
    })
  )

  it.effect("a capture, and no sum of refunds where that cannot be told", () =>
    Effect.gen(function* () {
      const reports = [
        report(),
        failure("1001"),
        report(listed({ paymentId: "1" })),
        report(listed({ itemTransactions: items(back(4, 0)) })),
        report(listed({ itemTransactions: items(back("four")) }))
      ]
      for (const one of reports) {
        const finding = found(yield* asked(detail({ phase: "POST_AUTH" }), one))
        assert.deepStrictEqual([finding.stage, finding.capturedMinor, finding.refundedMinor], ["CAPTURED", 1050n, null])
      }
    })
  )

  it.effect("by the report that a payment is held whose detail has no phase", () =>
    Effect.gen(function* () {
      const { phase: _, ...withoutPhase } = detail()
      assert.strictEqual(found(yield* asked(withoutPhase, report(listed()))).stage, "AUTHORIZED")
      // Of a hold no detail was recorded: one without a phase may be held as well as captured.
      assert.strictEqual((yield* asked(withoutPhase, report()))._tag, "Unanswered")
    })
  )

  const states = [
    [{ paymentStatus: "INIT_THREEDS" }, "ACTION_REQUIRED", undefined],
    [{ paymentStatus: "CALLBACK_THREEDS" }, "ACTION_REQUIRED", undefined],
    [{ fraudStatus: 0 }, "PENDING", undefined],
    [{ fraudStatus: -1 }, "DECLINED", "CARD_DECLINED"],
    [{ paymentStatus: "FAILURE" }, "DECLINED", "CARD_DECLINED"],
    [{ paymentStatus: "FAILURE", errorCode: "10051" }, "DECLINED", "INSUFFICIENT_FUNDS"],
    [{ paymentStatus: "FAILURE", mdStatus: 0 }, "DECLINED", "3DS_FAILED"]
  ] as const
  for (const [changes, stage, code] of states) {
    it.effect(`${stage} by ${JSON.stringify(changes)}`, () =>
      Effect.gen(function* () {
        const finding = found(yield* asked(detail(changes)))
        assert.deepStrictEqual([finding.stage, finding.code], [stage, code])
        assert.deepStrictEqual([finding.capturedMinor, finding.refundedMinor], [0n, 0n])
      })
    )
  }
})

describe("a query has no answer", () => {
  const questions = {
    "of a detail about another payment": [detail({ paymentId: "1" })],
    "of a detail with a wrong signature": [detail({ signature: "0".repeat(64) })],
    "of a detail without a status": [detail({ paymentStatus: null })],
    "of a check of fraud whose result is not known here": [detail({ fraudStatus: 2 })],
    "of a status that is not known here": [detail({ paymentStatus: "BKM_POS_SELECTED" })],
    "of a failure for a payment that iyzico named itself": [failure("5086")],
    "of a report of another shape": [detail(), { status: "success" }]
  }
  for (const [name, bodies] of Object.entries(questions)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* asked(...bodies))._tag, "Unanswered")
      })
    )
  }

  it.effect("where the second one is lost", () =>
    Effect.gen(function* () {
      const { iyzico } = accountAnswering([
        Effect.succeed(jsonAnswer(200, detail())),
        Effect.fail(new NoAnswer({ reason: "ECONNRESET" }))
      ])
      assert.strictEqual((yield* iyzico.query(authorization()))._tag, "Unanswered")
    })
  )
})

describe("absence", () => {
  it.effect("is an empty report, and neither a failed detail alone nor a report that cannot be read", () =>
    Effect.gen(function* () {
      const ask = (second: unknown) => accountSaying(failure("5086"), second).iyzico.query(unknown)
      assert.strictEqual((yield* ask(report()))._tag, "Absent")
      for (const other of [
        report(listed()),
        failure("5086"),
        { status: "success" },
        { status: "success", payments: null }
      ]) {
        assert.strictEqual((yield* ask(other))._tag, "Unanswered")
      }
    })
  )
})
