import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { decide, type OperationRequest } from "@sarraf/domain/payments/OperationDecision"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { allowedOperations, isBeingGivenBack, statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { capturable, refundable } from "@sarraf/domain/payments/Sums"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Arbitrary, Result, Schema } from "effect"
import { able } from "../routing/support/SampleCandidates.ts"
import { Moves, play } from "./support/History.ts"
import { authorized, carriedOut, operation, request, told } from "./support/SamplePayment.ts"

const decided = (payment: Payment, asked: OperationRequest, capabilities: Partial<Capabilities> = {}) => {
  const result = decide(payment, asked, { ...able, ...capabilities })
  return Result.isSuccess(result) ? result.success : result.failure
}

const refusal = (payment: Payment, asked: OperationRequest, capabilities: Partial<Capabilities> = {}): string => {
  const answer = decided(payment, asked, capabilities)
  return "_tag" in answer && answer._tag === "OperationRefused" ? answer.detail : JSON.stringify(answer, String)
}

const { payment: whole } = authorized()
const { payment: captured } = carriedOut(authorized(), operation({ minor: 6_000n, final: false }))

describe("A capture", () => {
  it("takes all that is left where no amount is given, and ends the authorization", () => {
    assert.deepStrictEqual(decided(whole, { type: "CAPTURE" }), { minor: 10_000n, final: true })
    assert.deepStrictEqual(decided(captured, { type: "CAPTURE" }), { minor: 4_000n, final: true })
  })

  it("of a part leaves the rest for later where the provider allows it", () => {
    assert.deepStrictEqual(decided(whole, { type: "CAPTURE", minor: 1n }), { minor: 1n, final: false })
  })

  it("of a part is final where the caller says so, or the provider captures once", () => {
    assert.deepStrictEqual(decided(whole, { type: "CAPTURE", minor: 1n, final: true }), { minor: 1n, final: true })
    const single = { partialCapture: "single" } as const
    assert.deepStrictEqual(decided(whole, { type: "CAPTURE", minor: 1n }, single), { minor: 1n, final: true })
  })

  it("of a part is refused where the provider captures the whole only", () => {
    const none = { partialCapture: "none" } as const
    assert.include(refusal(whole, { type: "CAPTURE", minor: 9_999n }, none), "100.00 EUR can be captured")
    assert.deepStrictEqual(decided(whole, { type: "CAPTURE", minor: 10_000n }, none), { minor: 10_000n, final: true })
  })

  it("of more than is left is refused with what is left", () => {
    assert.include(refusal(captured, { type: "CAPTURE", minor: 4_001n }), "40.00 EUR can be captured")
  })
})

describe("A refund", () => {
  it("gives all back that is left where no amount is given", () => {
    assert.deepStrictEqual(decided(captured, { type: "REFUND" }), { minor: 6_000n, final: false })
  })

  it("of a part is refused where the provider refunds the whole only", () => {
    const wholeOnly = { partialRefund: false }
    assert.include(refusal(captured, { type: "REFUND", minor: 1n }, wholeOnly), "60.00 EUR can be refunded")
    assert.deepStrictEqual(decided(captured, { type: "REFUND" }, wholeOnly), { minor: 6_000n, final: false })
  })

  it("of more than is left is refused with what is left", () => {
    assert.include(refusal(captured, { type: "REFUND", minor: 6_001n }), "60.00 EUR can be refunded")
  })

  it("of what was not captured is refused", () => {
    assert.include(refusal(whole, { type: "REFUND" }), "AUTHORIZED and allows capture, void; 0.00 EUR can be refunded")
  })
})

describe("A void", () => {
  it("releases all that is left, also after a partial capture, whatever amount is given", () => {
    assert.deepStrictEqual(decided(whole, { type: "VOID", minor: 1n }), { minor: 10_000n, final: true })
    assert.deepStrictEqual(decided(captured, { type: "VOID" }), { minor: 4_000n, final: true })
  })

  it("of a payment whose outcome is not known is for its whole amount", () => {
    assert.deepStrictEqual(decided(told().payment, { type: "VOID" }), { minor: 10_000n, final: true })
  })

  it("of what is captured entirely is refused", () => {
    const { payment } = carriedOut(authorized(), operation())
    assert.include(refusal(payment, { type: "VOID" }), "CAPTURED and allows refund; 0.00 EUR can be voided")
  })
})

describe("The caller's reference", () => {
  it("is unique per payment, also once its operation has ended", () => {
    const history = carriedOut(authorized(), operation({ minor: 6_000n, final: false, reference: "part-1" }))
    const answer = decided(history.payment, { type: "CAPTURE", reference: "part-1" })
    assert.deepInclude(answer, { _tag: "ReferenceTaken", reference: "part-1", transactionId: history.payment.id })
    assert.deepInclude(decided(history.payment, { type: "CAPTURE", reference: "part-2" }), { minor: 4_000n })
  })
})

const states = Arbitrary.all([Arbitrary.schema(Moves), Arbitrary.schema(Schema.Boolean)]).pipe(
  Arbitrary.map(([moves, isAuthorized]) => {
    const asked = request({ money: new Money({ currency: "TRY", minor: 12_345n }) })
    return play(moves, isAuthorized ? authorized(asked) : told(asked)).map(({ payment }) => payment)
  })
)

const Asked = Schema.Struct({
  type: Schema.Literals(["CAPTURE", "REFUND", "VOID"]),
  minor: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 15_000n }))
})
const Can = Schema.Struct({
  partialCapture: Schema.Literals(["none", "single", "multiple"]),
  partialRefund: Schema.Boolean
})

const decimal = (minor: bigint) => (Number(minor) / 100).toFixed(2)

describe("decide", () => {
  it.prop("never allows more than the sums hold", [states, Asked, Can], ([payments, asked, can]) => {
    for (const payment of payments) {
      const answer = decided(payment, asked, can)
      if ("_tag" in answer) continue
      const { authorization, money, sums } = payment
      const left = { CAPTURE: capturable(sums), REFUND: refundable(sums), VOID: capturable(sums) }[asked.type]
      assert.isTrue(answer.minor > 0n)
      assert.isTrue(answer.minor <= (authorization === "AUTHORIZED" ? left : money.minor))
      if (asked.type !== "VOID") assert.strictEqual(answer.minor, asked.minor)
    }
  })

  it.prop(
    "names in each refusal the state, what it allows and the amount that is left",
    [states, Asked, Can],
    ([payments, asked, can]) => {
      for (const payment of payments) {
        const answer = decided(payment, asked, can)
        if (!("_tag" in answer) || answer._tag !== "OperationRefused") continue
        const isOver = asked.type === "CAPTURE" && isBeingGivenBack(payment)
        const left = asked.type === "REFUND" ? refundable(payment.sums) : isOver ? 0n : capturable(payment.sums)
        const allowed = allowedOperations(payment)
        assert.deepStrictEqual([answer.status, answer.allowed], [statusOf(payment), allowed])
        assert.strictEqual(answer.available, `${decimal(left)} TRY`)
        assert.strictEqual(answer.transactionId, payment.id)
        const next = allowed.length === 0 ? "nothing more" : allowed.join(", ").toLowerCase()
        for (const part of [answer.status, `allows ${next}`, answer.available]) assert.include(answer.detail, part)
      }
    }
  )
})
