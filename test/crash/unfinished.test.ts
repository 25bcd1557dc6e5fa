import { assert, describe, it } from "@effect/vitest"
import { attemptRow, operationRow, paymentRow } from "@sarraf/adapters/postgres/payments/PaymentRows"
import { Unknown } from "@sarraf/domain/payments/Outcome"
import { settleAuthorization } from "@sarraf/domain/payments/Settlement"
import type { Order } from "../../crash/books.ts"
import { forgottenOf } from "../../crash/forgotten.ts"
import { differencesOf, type Kept } from "../../crash/Snapshot.ts"
import { type Patience, unfinishedOf } from "../../crash/unfinished.ts"
import { begunOperation, noon, operation, start, tell } from "../domain/payments/support/SamplePayment.ts"
import { able } from "../domain/routing/support/SampleCandidates.ts"
import { at, begun, evidence, history, keptOf, order, patience, paymentId } from "./support/evidence.ts"

const { number, provider, reference } = start()
const attempt = begun().payment.attempts[0]

const unknown = () => {
  if (attempt === undefined) throw new Error("A payment without an attempt")
  return begun(settleAuthorization(attempt, Unknown({ reason: "lost" }), able, noon + 1_000, "request"))
}

/** What is said of one payment, with nothing broken since `calm`. */
const look = (
  kept: Kept,
  {
    asked = patience,
    calm = noon,
    orders = []
  }: { asked?: ReadonlyMap<string, Patience>; calm?: number; orders?: ReadonlyArray<Order> } = {}
) => unfinishedOf(evidence({ kept: [kept], orders }).snapshot, asked, calm).get(paymentId)

describe("what is not settled", () => {
  it("is nothing of a payment that is", () => assert.isUndefined(look(keptOf(history), { orders: [order()] })))

  it("waits for its request", () => {
    const waiting = look(begun(), { orders: [order({ held: 10_000, captured: 0 })] })
    assert.deepStrictEqual(waiting, { paymentId, why: "PENDING waits for its request", dueAt: noon + 30_000 })
  })

  it("waits for proof where the provider's book has nothing", () => {
    assert.deepInclude(look(unknown()), {
      why: `PENDING waits for the proof that ${provider} never got it`,
      dueAt: noon + 60_000
    })
  })

  it("waits for nothing but the calm where the provider's book has it", () => {
    const found = look(unknown(), { orders: [order({ held: 10_000, captured: 0 })], calm: noon + 5_000 })
    assert.deepInclude(found, { why: "PENDING waits for nothing", dueAt: noon + 5_000 })
  })

  it("waits for ever where the provider cannot be asked and has nothing", () => {
    const asked = new Map([[provider, { canBeAsked: false, absenceProvenAfter: null }]])
    assert.strictEqual(look(unknown(), { asked })?.dueAt, Number.POSITIVE_INFINITY)
    const orders = [order({ held: 10_000, captured: 0 })]
    assert.strictEqual(look(unknown(), { asked, orders })?.dueAt, noon)
  })

  it("waits as its schedule says, unless that is longer than two minutes", () => {
    const due = (dueAt: number) => look({ ...unknown(), scheduled: { dueAt, leaseUntil: 0 } })?.dueAt
    assert.strictEqual(due(noon + 100_000), noon + 100_000)
    assert.strictEqual(due(noon + 181_000), noon + 60_000)
  })

  it("waits for the lease of a process that was killed", () => {
    const scheduled = { dueAt: noon, leaseUntil: noon + 90_000 }
    assert.deepInclude(look({ ...unknown(), scheduled }), { dueAt: noon + 90_000 })
  })

  it("is an operation that the provider did not get, or did", () => {
    const one = operation({
      id: "op_open",
      type: "REFUND",
      minor: 500n,
      createdAt: noon + 10_000,
      deadline: noon + 20_000
    })
    const open = keptOf(tell(history, begunOperation(one)))
    const proof = look(open, { orders: [order()] })
    assert.deepInclude(proof, {
      why: `REFUND op_open waits for the proof that ${provider} never got it`,
      dueAt: noon + 70_000
    })
    const done = look(open, { orders: [order({ refunded: 3_000 })] })
    assert.deepInclude(done, { why: "REFUND op_open waits for its request", dueAt: noon + 20_000 })
  })

  it("is not what a person has to look at", () => {
    const kept = unknown()
    assert.isUndefined(look({ ...kept, payment: { ...kept.payment, needsReview: "why" } }))
  })

  it("is money of a payment that ended without, until it has been given back", () => {
    const kept = unknown()
    const failed: Kept = { ...kept, payment: { ...kept.payment, authorization: "FAILED" } }
    const orders = [order({ held: 10_000, captured: 0 })]
    const scheduled = { dueAt: at + 5_000, leaseUntil: 0 }
    assert.deepInclude(look({ ...failed, scheduled }, { orders }), { dueAt: at + 5_000 })
    assert.deepInclude(look(failed, { orders }), { dueAt: 0 })
    assert.isUndefined(look(failed))
  })
})

describe("what the simulators' book has lost with its database", () => {
  const stored = { type: "authorization.settled", at: new Date(noon + 1_000), data: {} }
  const kept = keptOf(history, { events: [stored] })
  const lost = (orders: ReadonlyArray<Order>, from: number, to = from) => [
    ...forgottenOf(evidence({ kept: [kept], orders }).snapshot, [{ from, to }])
  ]

  it("is an order or a step that was written just before", () => {
    assert.deepStrictEqual(lost([], noon + 1_500), [paymentId])
    assert.deepStrictEqual(lost([order({ captured: 0, refunded: 0, held: 10_000 })], noon + 1_500), [paymentId])
    assert.deepStrictEqual(lost([order({ refunded: 2_000 })], noon + 1_500), [paymentId])
  })

  it("is a challenge, or a void", () => {
    const challenged = begun().payment
    const attempts = challenged.attempts.map((one) => ({ ...one, outcome: "ActionRequired" as const }))
    const waiting = keptOf({ payment: { ...challenged, attempts }, events: [] }, { events: [stored] })
    const outage = [{ from: noon + 1_500, to: noon + 1_500 }]
    assert.strictEqual(forgottenOf(evidence({ kept: [waiting], orders: [] }).snapshot, outage).size, 1)
    const released = {
      ...history.payment,
      sums: { ...history.payment.sums, captured: 0n, refunded: 0n, released: 10_000n }
    }
    const voided = keptOf({ payment: released, events: [] }, { events: [stored] })
    const held = order({ held: 10_000, captured: 0, refunded: 0 })
    assert.strictEqual(forgottenOf(evidence({ kept: [voided], orders: [held] }).snapshot, outage).size, 1)
    const gone = order({ held: 0, captured: 0, refunded: 0 })
    assert.strictEqual(forgottenOf(evidence({ kept: [voided], orders: [gone] }).snapshot, outage).size, 0)
  })

  it("is nothing of a payment that was never answered", () => {
    const open = begun()
    const kept = { ...open, events: [stored] }
    assert.deepStrictEqual(
      [...forgottenOf(evidence({ kept: [kept], orders: [] }).snapshot, [{ from: noon, to: at }])],
      []
    )
  })

  it("is nothing at other times", () => {
    assert.deepStrictEqual(lost([], noon + 2_500), [])
    assert.deepStrictEqual(lost([], noon - 5_000, noon - 4_000), [])
  })

  it("is never more than we know of", () => {
    assert.deepStrictEqual(lost([order()], noon + 1_500), [])
    assert.deepStrictEqual(lost([order({ refunded: 2_501 })], noon + 1_500), [])
  })
})

describe("tables", () => {
  const { payment } = history
  const rows = {
    payments: [paymentRow(payment)],
    attempts: payment.attempts.map((one) => ({ ...attemptRow(one), payment_id: payment.id })),
    operations: payment.operations.map((one) => ({ ...operationRow(one), payment_id: payment.id }))
  }

  it("hold what the events make, however the database writes it", () => {
    const asRead = { ...paymentRow(payment), captured: "6000", created_at: new Date(payment.createdAt) }
    assert.deepStrictEqual(differencesOf(payment, { ...rows, payments: [asRead] }), [])
  })

  it("differ in a column", () => {
    const payments = [{ ...paymentRow(payment), captured: "0" }]
    const said = differencesOf(payment, { ...rows, payments })
    assert.deepStrictEqual(said, ["payment: captured is 0 in the table and 6000 by the events"])
  })

  it("lack a row, or have one too many", () => {
    assert.deepStrictEqual(differencesOf(payment, { ...rows, payments: [] }), ["payment has no row"])
    assert.deepStrictEqual(differencesOf(payment, { ...rows, attempts: [] }), [`attempt ${number} has no row`])
    const extra = { payment_id: payment.id, id: "op_none" }
    assert.deepStrictEqual(differencesOf(payment, { ...rows, operations: [...rows.operations, extra] }), [
      "an operation that no event tells of"
    ])
    assert.strictEqual(reference, payment.attempts[0]?.reference)
  })
})
