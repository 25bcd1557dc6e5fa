import { apply, begin, type PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import type { Order } from "../../../crash/books.ts"
import type { Answered, Exchange, Sent, Told } from "../../../crash/ClientRecord.ts"
import type { Evidence } from "../../../crash/checks.ts"
import type { Kept } from "../../../crash/Snapshot.ts"
import type { Patience, Unfinished } from "../../../crash/unfinished.ts"
import {
  authorized,
  carriedOut,
  type Told as History,
  noon,
  operation,
  request,
  start
} from "../../domain/payments/support/SamplePayment.ts"

/** Made-up evidence of a run in which nothing went wrong, for tests to spoil. */

export const paymentId = request().id
export const story = "c0-0"
const asked = request({ merchantReference: story })

/** An hour later, so that nothing is under way any more. */
export const at = noon + 3_600_000

/** Authorized, 60.00 of its 100.00 EUR captured, 25.00 refunded. */
export const history: History = carriedOut(
  carriedOut(authorized(asked), operation({ id: "op_capture", minor: 6_000n })),
  operation({ id: "op_refund", type: "REFUND", minor: 2_500n, final: false })
)

export const keptOf = ({ payment }: History, changes: Partial<Kept> = {}): Kept => ({
  payment,
  differences: [],
  events: [],
  scheduled: undefined,
  ...changes
})

export const order = (changes: Partial<Order> = {}): Order => ({
  provider: start().provider,
  reference: start().reference,
  held: 0,
  captured: 6_000,
  refunded: 2_500,
  ...changes
})

const told: Told = {
  transactionId: paymentId,
  status: "AUTHORIZED",
  amount: 100,
  currency: "EUR",
  merchantReference: story,
  authorizedAmount: 100,
  capturedAmount: 0,
  refundedAmount: 0,
  releasedAmount: 0
}

export const exchange = (
  sent: Partial<Sent> = {},
  answered: Partial<Omit<Answered, "told">> & { readonly told?: Partial<Told> | null } = {}
): Exchange => {
  const line = {
    number: 1,
    at: noon,
    story,
    asked: "authorize",
    key: "k-1",
    paymentId: null,
    minor: 10_000,
    currency: "EUR"
  }
  return {
    sent: { ...line, asked: "authorize", ...sent },
    answered: {
      number: 1,
      at: noon + 20,
      status: 200,
      code: null,
      isReplayed: false,
      ...answered,
      told: answered.told === null ? null : { ...told, ...answered.told }
    }
  }
}

export const captureExchange = (changes: Partial<Sent> = {}): Exchange =>
  exchange(
    { number: 2, asked: "capture", key: "k-2", paymentId, minor: 6_000, ...changes },
    {
      told: {
        status: "PARTIALLY_CAPTURED",
        capturedAmount: 60,
        releasedAmount: 40,
        operation: { operationId: "op_capture", type: "CAPTURE", amount: 60, status: "SUCCEEDED" }
      }
    }
  )

export const refundExchange = (changes: Partial<Sent> = {}): Exchange =>
  exchange(
    { number: 3, asked: "refund", key: "k-3", paymentId, minor: 2_500, ...changes },
    {
      told: {
        status: "PARTIALLY_REFUNDED",
        capturedAmount: 60,
        refundedAmount: 25,
        operation: { operationId: "op_refund", type: "REFUND", amount: 25, status: "SUCCEEDED" }
      }
    }
  )

export interface Spoiled {
  readonly exchanges?: ReadonlyArray<Exchange>
  readonly kept?: ReadonlyArray<Kept>
  readonly orders?: ReadonlyArray<Order>
  readonly strays?: ReadonlyArray<string>
  readonly unfinished?: ReadonlyArray<Unfinished>
  readonly forgotten?: ReadonlyArray<string>
  readonly seed?: number
}

/** Evidence of a good run, with what a test changes. */
export const evidence = (spoiled: Spoiled = {}): Evidence => {
  const kept = spoiled.kept ?? [keptOf(history)]
  return {
    seed: spoiled.seed ?? 1,
    exchanges: spoiled.exchanges ?? [exchange(), captureExchange(), refundExchange()],
    snapshot: {
      at,
      kept: new Map(kept.map((one) => [one.payment.id, one])),
      orders: spoiled.orders ?? [order()],
      strays: spoiled.strays ?? []
    },
    unfinished: new Map((spoiled.unfinished ?? []).map((one) => [one.paymentId, one])),
    forgotten: new Set(spoiled.forgotten)
  }
}

/** A second payment under the same reference, charged too. */
export const another = (
  changes: Parameters<typeof request>[0] = {}
): { readonly kept: Kept; readonly order: Order } => {
  const second = authorized(request({ merchantReference: story, id: "txn_01h455vb4pex5vsknk084sn0zz", ...changes }))
  const attempts = second.payment.attempts.map((attempt) => ({ ...attempt, reference: "REF00000000000000002" }))
  return {
    kept: keptOf({ ...second, payment: { ...second.payment, attempts } }),
    order: order({ reference: "REF00000000000000002", held: 10_000, captured: 0, refunded: 0 })
  }
}

/** A payment of which nothing is known yet. */
export const begun = (...events: ReadonlyArray<PaymentEvent>): Kept =>
  keptOf({ payment: events.reduce(apply, begin(asked, start())), events: [] })

export const patience: ReadonlyMap<string, Patience> = new Map([
  [start().provider, { canBeAsked: true, absenceProvenAfter: 60_000 }]
])
