import { assert, it } from "@effect/vitest"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { Effect } from "effect"
import * as CopiedBook from "../../sim/CopiedBook.ts"
import { wrongAtOnce, wrongInTheEnd } from "../../sim/Invariants.ts"
import type { Tale } from "../../sim/Tale.ts"
import { authorized, request, settledBy, tell, told } from "../domain/payments/support/SamplePayment.ts"
import { declined, lost } from "../domain/payments/support/ScriptedProvider.ts"

const tale: Tale = {
  number: 1,
  merchantReference: "order-1",
  startsAt: 0,
  minor: 10_000n,
  card: "approved",
  is3DS: false,
  buyer: "right",
  buyerMillis: 0,
  isRepeatedAtOnce: false,
  steps: []
}
const { payment: standing } = authorized()
const wrong = (payment: Payment, others: ReadonlyArray<Payment> = [payment], changes: Partial<Tale> = {}) =>
  wrongAtOnce(payment, others, { ...tale, ...changes })

it("Nothing is wrong with a payment that stands", () => {
  assert.deepStrictEqual(wrong(standing), [])
})

it("More than was captured is never refunded, and more than was authorized never captured", () => {
  const { sums } = standing
  assert.lengthOf(wrong({ ...standing, sums: { ...sums, captured: 5n, refunded: 6n } }), 1)
  assert.lengthOf(wrong({ ...standing, sums: { ...sums, captured: sums.authorized + 1n } }), 1)
  assert.lengthOf(wrong({ ...standing, sums: { ...sums, released: -1n } }), 1)
})

it("Two live authorizations for one merchantReference are one too many", () => {
  const { payment: other } = authorized(request({ id: "txn_other" }))
  assert.lengthOf(wrong(standing, [standing, other]), 1)
  const begun = told(request({ id: "txn_ended" }))
  const { payment: ended } = tell(begun, settledBy(begun.payment, declined))
  assert.deepStrictEqual(wrong(standing, [standing, ended]), [])
  const { payment: elsewhere } = authorized(request({ id: "txn_elsewhere", merchantReference: "order-2" }))
  assert.deepStrictEqual(wrong(standing, [standing, elsewhere]), [])
})

it("Only what an issuer declines is called declined", () => {
  const begun = told()
  const { payment } = tell(begun, settledBy(begun.payment, declined))
  assert.lengthOf(wrong(payment), 1)
  assert.lengthOf(wrong(payment, [payment], { is3DS: true, card: "challenged" }), 1)
  assert.deepStrictEqual(wrong(payment, [payment], { card: "declined" }), [])
})

it.effect("What is open after the quiet time is wrong, unless a person is to look at it", () =>
  Effect.gen(function* () {
    const begun = told()
    const { payment } = tell(begun, settledBy(begun.payment, lost))
    const nobody = { providers: new Map(), book: CopiedBook.make(), posted: [] }
    assert.lengthOf(yield* wrongInTheEnd(nobody, payment), 1)
    assert.deepStrictEqual(yield* wrongInTheEnd(nobody, { ...payment, needsReview: "nobody knows" }), [])
  })
)
