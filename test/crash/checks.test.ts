import { assert, describe, it } from "@effect/vitest"
import { Refused } from "@sarraf/domain/payments/Outcome"
import { patienceMillis } from "../../crash/ClientRecord.ts"
import * as checks from "../../crash/checks.ts"
import { storyOf } from "../../crash/story.ts"
import {
  authorized,
  noon,
  operation,
  request,
  settledBy,
  start,
  tell,
  told
} from "../domain/payments/support/SamplePayment.ts"
import {
  another,
  at,
  begun,
  captureExchange,
  evidence,
  exchange,
  history,
  keptOf,
  order,
  paymentId,
  refundExchange,
  type Spoiled
} from "./support/evidence.ts"

type Check = (typeof checks.checks)[string]

/** What the check says, a message each. */
const said = (check: Check, spoiled: Spoiled): ReadonlyArray<string> =>
  check(evidence(spoiled)).map(({ message }) => message)

/** The check complains once, of this. */
const bites = (check: Check, spoiled: Spoiled, words: string) => {
  const messages = said(check, spoiled)
  assert.lengthOf(messages, 1, messages.join("\n"))
  assert.include(messages[0], words)
}

const declined = () => {
  const begunOne = told(request({ merchantReference: "c0-0" }))
  const no = Refused({
    code: "CARD_DECLINED",
    detail: "",
    answer: { responseCode: "05", fields: {} },
    mayTryAnother: false,
    echo: {}
  })
  return keptOf(tell(begunOne, settledBy(begunOne.payment, no)))
}

it("a good run breaks no check", () => {
  for (const [name, check] of Object.entries(checks.checks)) assert.deepStrictEqual(check(evidence()), [], name)
})

describe("what was acknowledged", () => {
  const all = [exchange(), captureExchange(), refundExchange()]

  it("must be there", () => {
    bites(checks.acknowledged, { exchanges: [exchange()], kept: [] }, "was acknowledged and is missing")
  })

  it("must not be declined afterwards", () => {
    bites(checks.acknowledged, { exchanges: [exchange()], kept: [declined()] }, "was AUTHORIZED and is DECLINED")
  })

  it("must not be authorized after it was declined, failed or voided", () => {
    for (const status of ["DECLINED", "FAILED", "VOIDED"]) {
      const ended = exchange({}, { status: 402, told: { status, authorizedAmount: 0 } })
      bites(checks.acknowledged, { exchanges: [ended] }, `was ${status} and is PARTIALLY_REFUNDED`)
    }
  })

  it("counts also where a problem tells of it", () => {
    const timeout = exchange({}, { status: 504, code: "TIMEOUT", told: { status: "PENDING", authorizedAmount: 0 } })
    bites(checks.acknowledged, { exchanges: [timeout], kept: [] }, "was acknowledged and is missing")
    assert.deepStrictEqual(said(checks.acknowledged, { exchanges: [timeout] }), [])
  })

  it("must be of the same amount, currency and reference", () => {
    for (const change of [{ amount: 99.99 }, { currency: "USD" }, { merchantReference: "c0-1" }]) {
      bites(checks.acknowledged, { exchanges: [exchange({}, { told: change })] }, "are others now")
    }
  })

  it("must not have less captured, refunded or released", () => {
    const fewer = (changes: object) => [exchange({}, { told: changes })]
    bites(checks.acknowledged, { exchanges: fewer({ capturedAmount: 60.01 }) }, "captured was 60.01 and is 6000")
    bites(checks.acknowledged, { exchanges: fewer({ refundedAmount: 30 }) }, "refunded was 30 and is 2500")
    bites(checks.acknowledged, { exchanges: fewer({ releasedAmount: 41 }) }, "released was 41 and is 4000")
  })

  it("must have its operations, as they were", () => {
    const { payment } = history
    const without = keptOf({ payment: { ...payment, operations: payment.operations.slice(1) }, events: [] })
    bites(
      checks.acknowledged,
      { exchanges: all, kept: [without] },
      "CAPTURE op_capture was acknowledged and is missing"
    )
    const changed = (change: object) =>
      keptOf({
        payment: { ...payment, operations: payment.operations.map((one) => ({ ...one, ...change })) },
        events: []
      })
    const capture = [captureExchange()]
    bites(checks.acknowledged, { exchanges: capture, kept: [changed({ status: "FAILED" })] }, "SUCCEEDED and is FAILED")
    bites(checks.acknowledged, { exchanges: capture, kept: [changed({ minor: 1n })] }, "is another now")
  })
})

describe("a buyer is charged once", () => {
  const twoProviders = () => {
    const { payment } = history
    const first = { ...start({ number: 1, provider: "teb", reference: "R1" }), ...payment.attempts[0], number: 1 }
    const attempts = [{ ...first, provider: "teb", reference: "R1" }, ...payment.attempts]
    return keptOf({ payment: { ...payment, attempts: attempts as typeof payment.attempts }, events: [] })
  }
  const elsewhere = order({ provider: "teb", reference: "R1", held: 10_000, captured: 0, refunded: 0 })

  it("by one provider for a payment", () => {
    bites(checks.chargedOnce, { kept: [twoProviders()], orders: [order(), elsewhere] }, "is charged at teb and akbank")
    const voided = { ...elsewhere, held: 0 }
    assert.deepStrictEqual(said(checks.chargedOnce, { kept: [twoProviders()], orders: [order(), voided] }), [])
  })

  it("by one payment for a merchantReference", () => {
    const second = another()
    const both = { kept: [keptOf(history), second.kept], orders: [order(), second.order] }
    bites(checks.chargedOnce, both, "c0-0 is charged as")
    assert.deepStrictEqual(said(checks.chargedOnce, { ...both, orders: [order()] }), [])
  })

  it("and two clients may use the same merchantReference", () => {
    const second = another({ clientId: "sandbox_client_2" })
    const both = { kept: [keptOf(history), second.kept], orders: [order(), second.order] }
    assert.deepStrictEqual(said(checks.chargedOnce, both), [])
  })
})

describe("settled", () => {
  it("is everything whose time has come", () => {
    const late = { paymentId, why: "PENDING waits for its request", dueAt: at - 20_000 }
    bites(checks.settled, { kept: [begun()], unfinished: [late] }, "PENDING waits for its request")
    assert.deepStrictEqual(said(checks.settled, { kept: [begun()], unfinished: [{ ...late, dueAt: at }] }), [])
  })
})

describe("the sums", () => {
  it("are those of the simulators, to the minor unit", () => {
    const is = (change: object) => ({ orders: [order(change)] })
    bites(checks.sumsAreEqual, is({ captured: 6_001 }), "captured 6001 there and 6000 here")
    bites(checks.sumsAreEqual, is({ refunded: 2_499 }), "refunded 2499 there and 2500 here")
    bites(checks.sumsAreEqual, is({ held: 4_000 }), "4000 held there and 0 here")
    assert.deepStrictEqual(said(checks.sumsAreEqual, is({ held: null })), [])
  })

  it("count an order that is not there, and one that is nobody's", () => {
    const other = order({ reference: "R9" })
    bites(checks.sumsAreEqual, { orders: [order(), other] }, "akbank R9 is charged there, and no payment of ours")
    const messages = said(checks.sumsAreEqual, { orders: [other] })
    assert.lengthOf(messages, 2)
    assert.include(messages[0], "is not in the provider's book")
  })

  it("count an order of a payment that ended without money", () => {
    bites(checks.sumsAreEqual, { kept: [declined()] }, "is charged, and does not stand for the payment")
    assert.deepStrictEqual(
      said(checks.sumsAreEqual, { kept: [declined()], orders: [order({ captured: 0, refunded: 0 })] }),
      []
    )
  })

  it("leave out what is not settled, what the sandbox has lost, and what a person has to look at", () => {
    const wrong = { orders: [order({ captured: 1 })] }
    const waiting = { paymentId, why: "", dueAt: at }
    assert.deepStrictEqual(said(checks.sumsAreEqual, { ...wrong, unfinished: [waiting] }), [])
    assert.deepStrictEqual(said(checks.sumsAreEqual, { ...wrong, forgotten: [paymentId] }), [])
    const reviewed = keptOf({ payment: { ...history.payment, needsReview: "why" }, events: [] })
    assert.deepStrictEqual(said(checks.sumsAreEqual, { ...wrong, kept: [reviewed] }), [])
  })

  it("let a provider take a whole capture back as if it had never been", () => {
    const all = authorized(request({ merchantReference: "c0-0" }))
    const sums = { ...all.payment.sums, captured: 10_000n, refunded: 10_000n }
    const kept = keptOf({ payment: { ...all.payment, sums }, events: [] })
    assert.deepStrictEqual(
      said(checks.sumsAreEqual, { kept: [kept], orders: [order({ captured: 0, refunded: 0 })] }),
      []
    )
    assert.isNotEmpty(said(checks.sumsAreEqual, { kept: [kept], orders: [order({ captured: 500, refunded: 0 })] }))
  })
})

describe("the event log", () => {
  it("makes the tables", () => {
    const differing = keptOf(history, { differences: ["payment: captured is 0 in the table and 6000 by the events"] })
    bites(checks.rebuilds, { kept: [differing] }, "captured is 0 in the table")
  })

  it("is whole", () => bites(checks.rebuilds, { strays: ["txn_1 is a payment without events"] }, "without events"))
})

describe("a repeat", () => {
  it("is answered with the same payment", () => {
    const other = exchange({ number: 2 }, { told: { transactionId: "txn_other" } })
    bites(checks.repeatsAgree, { exchanges: [exchange(), other] }, `k-1 was answered with ${paymentId} and txn_other`)
    const unknown = exchange({ number: 2 }, { status: 503, told: null })
    assert.deepStrictEqual(said(checks.repeatsAgree, { exchanges: [exchange(), unknown] }), [])
  })

  it("is answered with the same operation", () => {
    const operation = { operationId: "op_2", type: "CAPTURE", amount: 60, status: "SUCCEEDED" } as const
    const other = exchange({ key: "k-2", asked: "capture" }, { told: { operation } })
    bites(checks.repeatsAgree, { exchanges: [captureExchange(), other] }, "op_capture and op_2")
  })
})

describe("what was done", () => {
  it("was asked for", () => {
    bites(checks.asAsked, { exchanges: [] }, "a payment that nobody asked for")
    bites(checks.asAsked, { exchanges: [exchange(), captureExchange()] }, "REFUND 2500 is there 1 times")
    const smaller = [exchange(), captureExchange(), refundExchange({ minor: 2_400 })]
    bites(checks.asAsked, { exchanges: smaller }, "asked for 0 times")
  })

  it("was done once for a key", () => {
    const { payment } = history
    const twice = [
      ...payment.operations,
      operation({ id: "op_again", type: "REFUND", minor: 2_500n, status: "SUCCEEDED" })
    ]
    const kept = [keptOf({ payment: { ...payment, operations: twice }, events: [] })]
    const repeated = [exchange(), captureExchange(), refundExchange(), refundExchange({ number: 4 })]
    bites(checks.asAsked, { exchanges: repeated, kept }, "REFUND 2500 is there 2 times and was asked for 1 times")
    const asked = [...repeated, refundExchange({ number: 5, key: "k-5" })]
    assert.deepStrictEqual(said(checks.asAsked, { exchanges: asked, kept }), [])
  })
})

it("a card that is declined ends without money", () => {
  const seed = Array.from({ length: 500 }, (_, index) => index + 1).find(
    (one) => storyOf(one, 0, 0).card === "declined"
  )
  assert.isDefined(seed)
  bites(checks.cardsDecide, { seed: seed ?? 0 }, "by the card declined")
  assert.deepStrictEqual(said(checks.cardsDecide, { seed: seed ?? 0, kept: [declined()] }), [])
})

it("no answer blames the caller or the gateway's code", () => {
  const answered = (status: number, code: string) => ({ exchanges: [exchange({}, { status, code, told: null })] })
  bites(checks.answersFit, answered(500, "INTERNAL_ERROR"), "was answered 500 INTERNAL_ERROR")
  bites(checks.answersFit, answered(409, "DUPLICATE_REFERENCE"), "was answered 409 DUPLICATE_REFERENCE")
  assert.deepStrictEqual(said(checks.answersFit, answered(503, "UNAVAILABLE")), [])
})

it("nobody waits for ever", () => {
  const slow = (millis: number) => ({ exchanges: [exchange({}, { at: noon + millis, status: null })] })
  bites(checks.answersCome, slow(patienceMillis), "had no answer after")
  assert.deepStrictEqual(said(checks.answersCome, slow(patienceMillis - 1)), [])
})

describe("503", () => {
  const refused = exchange({}, { status: 503, code: "UNAVAILABLE", told: null })

  it("means that nothing was sent", () => {
    bites(checks.unavailableSentNothing, { exchanges: [refused] }, "reached a provider")
    assert.deepStrictEqual(said(checks.unavailableSentNothing, { exchanges: [refused], orders: [] }), [])
  })

  it("says nothing where another try was not answered", () => {
    const lost = exchange({ number: 2 }, { status: null, told: null })
    assert.deepStrictEqual(said(checks.unavailableSentNothing, { exchanges: [refused, lost] }), [])
  })
})
