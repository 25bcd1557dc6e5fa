import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import {
  ActionRequired,
  type Echo,
  NotSent,
  type Outcome,
  Pending,
  type RefusalCode,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import { lastAttempt } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import {
  attemptResult,
  certainlyNotTaken,
  checked,
  expectedOf,
  isPartialApproval,
  settleAuthorization,
  settleOperation
} from "@sarraf/domain/payments/Settlement"
import { DateTime, Duration } from "effect"
import { able } from "../routing/support/SampleCandidates.ts"
import { accepted, authorized, carriedOut, noon, operation, tell, told } from "./support/SamplePayment.ts"

const expected = expectedOf("REF1", new Money({ currency: "EUR", minor: 10_000n }), "1111")
const answer = { responseCode: "05", fields: { Response: "Declined" } }
const until = DateTime.makeUnsafe(noon + 1_000)

const refused = (code: RefusalCode = "CARD_DECLINED", mayTryAnother = false, echo: Echo = {}) =>
  Refused({ code, detail: "No.", answer, mayTryAnother, echo })

/** Each outcome that carries an echo. */
const answering: Readonly<Record<string, (echo: Echo) => Outcome>> = {
  Accepted: (echo) => accepted({ answer, echo }),
  Refused: (echo) => refused("CARD_DECLINED", true, echo),
  ActionRequired: (echo) => ActionRequired({ step: { type: "redirect", url: "https://issuer.test" }, answer, echo }),
  Pending: (echo) => Pending({ answer, echo, learnBy: "query", until })
}

const wrongs: ReadonlyArray<readonly [string, Echo]> = [
  ["reference", { reference: "REF2" }],
  ["amount", { minor: 10_001n }],
  ["currency", { currency: "USD" }],
  ["last4", { last4: "2222" }]
]

describe("checked", () => {
  for (const [name, make] of Object.entries(answering)) {
    it.each(wrongs)(`makes ${name} about another %s unknown, and keeps what the provider said`, (field, echo) => {
      const outcome = checked(expected, make(echo))
      assert.deepStrictEqual(outcome, Unknown({ reason: `the answer is about another ${field}`, answer }))
    })

    it(`leaves ${name} that is about this payment`, () => {
      const outcome = make({ reference: "REF1", minor: 10_000n, currency: "EUR", last4: "1111" })
      assert.strictEqual(checked(expected, outcome), outcome)
    })
  }

  it("makes an approval of a part unknown, for it is neither yes nor no", () => {
    const part = accepted({ answer, echo: { minor: 9_999n } })
    assert.isTrue(isPartialApproval(expected, part))
    assert.strictEqual(checked(expected, part)._tag, "Unknown")
  })

  it("leaves a refusal of a part a refusal", () => {
    const part = refused("CARD_DECLINED", false, { minor: 9_999n })
    assert.isFalse(isPartialApproval(expected, part))
    assert.strictEqual(checked(expected, part), part)
  })

  it("leaves what carries no echo", () => {
    for (const outcome of [NotSent({ reason: "refused" }), Unknown({ reason: "lost" })]) {
      assert.strictEqual(checked(expected, outcome), outcome)
    }
  })
})

describe("Another provider may be tried", () => {
  it.each([
    [NotSent({ reason: "refused" }), true],
    [refused("PROVIDER_ERROR", true), true],
    [refused("CARD_DECLINED", false), false],
    [refused("PROVIDER_ERROR", false), false],
    [Unknown({ reason: "lost" }), false],
    [accepted(), false],
    [Pending({ answer, echo: {}, learnBy: "query", until }), false],
    [ActionRequired({ step: { type: "redirect", url: "https://issuer.test" }, answer, echo: {} }), false]
  ] as const)("after %o: %s", (outcome, isCertain) => {
    assert.strictEqual(certainlyNotTaken(outcome), isCertain)
  })
})

const settled = (outcome: Outcome) => {
  const begun = told()
  const attempt = lastAttempt(begun.payment) ?? assert.fail()
  return tell(begun, settleAuthorization(attempt, outcome, able, noon + 500, "request")).payment
}

describe("An authorization's outcome", () => {
  it.each([
    [accepted(), "AUTHORIZED", null],
    [refused("INSUFFICIENT_FUNDS"), "DECLINED", "INSUFFICIENT_FUNDS"],
    [refused("CARD_DECLINED"), "DECLINED", "CARD_DECLINED"],
    [refused("INVALID_CARD"), "DECLINED", "INVALID_CARD"],
    [refused("3DS_FAILED"), "DECLINED", "3DS_FAILED"],
    [refused("PROVIDER_ERROR"), "FAILED", "PROVIDER_ERROR"],
    [NotSent({ reason: "refused" }), "FAILED", "PROVIDER_ERROR"],
    [Unknown({ reason: "lost" }), "PENDING", "TIMEOUT"],
    [Pending({ answer, echo: {}, learnBy: "notification", until }), "PENDING", null],
    [
      ActionRequired({ step: { type: "redirect", url: "https://issuer.test" }, answer, echo: {} }),
      "REQUIRES_ACTION",
      null
    ]
  ] as const)("%o makes the payment %s with the error %s", (outcome, status, code) => {
    const payment = settled(outcome)
    assert.deepStrictEqual([statusOf(payment), payment.error?.code ?? null], [status, code])
    assert.strictEqual(lastAttempt(payment)?.outcome, outcome._tag)
    assert.strictEqual(lastAttempt(payment)?.completedAt, noon + 500)
  })

  it("holds until the provider's date, else for the provider's window", () => {
    assert.strictEqual(settled(accepted({ expiresAt: until })).expiresAt, noon + 1_000)
    assert.strictEqual(settled(accepted()).expiresAt, noon + 500 + Duration.toMillis(able.authorizationWindow))
    assert.isNull(settled(refused()).expiresAt)
  })

  it("keeps the provider's reference where a later word brings none", () => {
    const attempt = { ...(lastAttempt(authorized().payment) ?? assert.fail()), providerReference: "P-1" }
    assert.strictEqual(attemptResult(attempt, Unknown({ reason: "lost" }), noon).providerReference, "P-1")
    assert.strictEqual(attemptResult(attempt, accepted({ providerReference: "P-2" }), noon).providerReference, "P-2")
  })
})

describe("An operation's outcome", () => {
  it.each([
    [accepted(), "SUCCEEDED", null],
    [refused("PROVIDER_ERROR"), "FAILED", "PROVIDER_ERROR"],
    [NotSent({ reason: "refused" }), "FAILED", "PROVIDER_ERROR"],
    [Unknown({ reason: "lost" }), "PENDING", "TIMEOUT"],
    [Pending({ answer, echo: {}, learnBy: "date", until }), "PENDING", null]
  ] as const)("%o makes it %s with the error %s", (outcome, status, code) => {
    const { payment } = carriedOut(authorized(), operation(), outcome)
    const [one] = payment.operations
    assert.deepStrictEqual([one?.status, one?.error?.code ?? null], [status, code])
    assert.strictEqual(one?.completedAt === null, status === "PENDING")
    assert.isNull(one?.deadline)
  })

  it("is by whoever settled it", () => {
    assert.deepInclude(settleOperation(operation(), accepted(), noon, "operator"), { by: "operator", at: noon })
  })
})
