import { Money } from "@sarraf/domain/money/Money"
import type { Operation } from "@sarraf/domain/payments/Operation"
import { Accepted, type Outcome } from "@sarraf/domain/payments/Outcome"
import { lastAttempt, type Payment, type PaymentRequest } from "@sarraf/domain/payments/Payment"
import { type AttemptStart, apply, begin, type PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { settleAuthorization, settleOperation } from "@sarraf/domain/payments/Settlement"
import { able } from "../../routing/support/SampleCandidates.ts"

/** 1 November 2026, noon. */
export const noon = Date.UTC(2026, 10, 1, 12)

export const paymentId = "txn_01h455vb4pex5vsknk084sn02q"

export const request = (changes: Partial<PaymentRequest> = {}): PaymentRequest => ({
  id: paymentId,
  organizationId: "org_01h455vb4pex5vsknk084sn02q",
  clientId: "sandbox_client",
  merchantReference: "order-1",
  contentFingerprint: "content-1",
  livemode: false,
  money: new Money({ currency: "EUR", minor: 10_000n }),
  installment: 1,
  is3DS: false,
  returnUrl: null,
  description: 'Çay & simit, 2 × "taze" \\ 🫖',
  metadata: { basket: "17", note: "" },
  card: { brand: "visa", first6: "411111", last4: "1111", expMonth: 12, expYear: 2027, fingerprint: "f1" },
  routing: { order: ["akbank", "isbank"], rule: null, policyVersion: 0, reasons: { akbank: "acquires from abroad" } },
  createdAt: noon,
  ...changes
})

export const start = (changes: Partial<AttemptStart> = {}): AttemptStart => ({
  number: 1,
  provider: "akbank",
  reference: "REF00000000000000001",
  startedAt: noon,
  deadline: noon + 30_000,
  ...changes
})

export const begunEvent = (asked = request(), attempt = start()): PaymentEvent => ({
  type: "payment.begun",
  at: asked.createdAt,
  request: asked,
  attempt
})

/** A payment and the events that made it. */
export interface Told {
  readonly payment: Payment
  readonly events: ReadonlyArray<PaymentEvent>
}

export const told = (asked = request(), attempt = start()): Told => ({
  payment: begin(asked, attempt),
  events: [begunEvent(asked, attempt)]
})

export const tell = ({ events, payment }: Told, ...more: ReadonlyArray<PaymentEvent>): Told => ({
  payment: more.reduce(apply, payment),
  events: [...events, ...more]
})

export const accepted = (changes: Partial<Parameters<typeof Accepted>[0]> = {}) =>
  Accepted({
    providerReference: "P-1",
    answer: { responseCode: "00", fields: { AuthCode: "123456" } },
    echo: {},
    ...changes
  })

export const settledBy = (payment: Payment, outcome: Outcome, at = noon + 1_000): PaymentEvent => {
  const attempt = lastAttempt(payment)
  if (attempt === undefined) throw new Error("A payment without an attempt")
  return settleAuthorization(attempt, outcome, able, at, "request")
}

export const operation = (changes: Partial<Operation> = {}): Operation => ({
  id: "op_01h455vb4pex5vsknk084sn02q",
  type: "CAPTURE",
  minor: 10_000n,
  final: true,
  status: "PENDING",
  reference: null,
  providerRequest: "OPREF000000000000001",
  providerReference: null,
  responseCode: null,
  fields: {},
  availableFrom: null,
  error: null,
  createdAt: noon + 2_000,
  deadline: noon + 32_000,
  completedAt: null,
  ...changes
})

export const begunOperation = (one: Operation): PaymentEvent => ({
  type: "operation.begun",
  at: one.createdAt,
  operation: one
})

export const settledOperation = (one: Operation, outcome: Outcome, at = one.createdAt + 1_000): PaymentEvent =>
  settleOperation(one, outcome, at, "request")

export const authorized = (asked = request()): Told => {
  const begun = told(asked)
  return tell(begun, settledBy(begun.payment, accepted()))
}

/** An operation from its beginning to this outcome. */
export const carriedOut = (history: Told, one: Operation, outcome: Outcome = accepted()): Told =>
  tell(history, begunOperation(one), settledOperation(one, outcome))
