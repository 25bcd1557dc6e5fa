import { Schema } from "effect"

/** A row of the simulators' book. */
export interface BookRow {
  readonly provider: string
  readonly key: string
  readonly value: unknown
}

/**
 * What a simulated provider holds, has taken and has given back for one order, in minor units. Read from its own form
 * of the order, without the adapter that the gateway reads it with.
 */
export interface Order {
  readonly provider: string
  /** Ours, as the provider was told it. */
  readonly reference: string
  /** Still authorized and not captured; null where the order does not tell. */
  readonly held: number | null
  readonly captured: number
  readonly refunded: number
}

type Sums = Omit<Order, "provider">

const nothing = { held: 0, captured: 0, refunded: 0 }

const sum = (items: ReadonlyArray<number>): number => items.reduce((total, one) => total + one, 0)

const reader =
  <A, E>(schema: Schema.Codec<A, E>, read: (order: A) => Sums) =>
  (value: unknown): Sums | undefined => {
    const decoded = Schema.decodeUnknownOption(schema)(value)
    return decoded._tag === "Some" ? read(decoded.value) : undefined
  }

const nestPay = reader(
  Schema.Struct({
    orderId: Schema.String,
    entries: Schema.Array(
      Schema.Struct({
        side: Schema.Literals(["S", "C"]),
        stat: Schema.Literals(["A", "C", "V", "D"]),
        original: Schema.Number,
        captured: Schema.NullOr(Schema.Number)
      })
    )
  }),
  ({ entries, orderId }) => {
    const of = (wantedSide: string, wantedStat: string) =>
      entries.filter(({ side, stat }) => side === wantedSide && stat === wantedStat)
    return {
      reference: orderId,
      held: sum(of("S", "A").map(({ original }) => original)),
      captured: sum(of("S", "C").map(({ captured }) => captured ?? 0)),
      refunded: sum(of("C", "C").map(({ captured }) => captured ?? 0))
    }
  }
)

const garanti = reader(
  Schema.Struct({
    orderId: Schema.String,
    entries: Schema.Array(
      Schema.Struct({
        type: Schema.String,
        returnCode: Schema.String,
        amount: Schema.Number,
        voidedAt: Schema.NullOr(Schema.Number)
      })
    )
  }),
  ({ entries, orderId }) => {
    const approved = entries.filter(({ returnCode, voidedAt }) => returnCode === "00" && voidedAt === null)
    const of = (wanted: string) => sum(approved.filter(({ type }) => type === wanted).map(({ amount }) => amount))
    const wasCaptured = entries.some(({ returnCode, type }) => type === "postauth" && returnCode === "00")
    return {
      reference: orderId,
      held: wasCaptured ? 0 : of("preauth"),
      captured: of("postauth"),
      refunded: of("refund")
    }
  }
)

const stripe = reader(
  Schema.Struct({
    amount: Schema.Number,
    metadata: Schema.Record(Schema.String, Schema.String),
    state: Schema.Struct({ status: Schema.String, capturable: Schema.Number, received: Schema.Number }),
    refunds: Schema.Array(Schema.Struct({ amount: Schema.Number, status: Schema.String }))
  }),
  ({ amount, metadata, refunds, state }) => {
    const reference = metadata.order_id ?? ""
    if (state.status !== "succeeded") return { reference, ...nothing, held: state.capturable }
    // What a capture leaves is on the list of refunds, too.
    const givenBack = sum(refunds.filter(({ status }) => status !== "failed").map((refund) => refund.amount))
    return { reference, held: 0, captured: state.received, refunded: givenBack - (amount - state.received) }
  }
)

const adyen = reader(
  Schema.Struct({
    pspReference: Schema.String,
    reference: Schema.String,
    value: Schema.Number,
    state: Schema.String,
    captured: Schema.Number,
    refunds: Schema.Array(Schema.Struct({ value: Schema.Number, failsAt: Schema.NullOr(Schema.Number) }))
  }),
  ({ captured, reference, refunds, state, value }) =>
    state === "authorised"
      ? {
          reference,
          held: captured === 0 ? value : 0,
          captured,
          refunded: sum(refunds.filter(({ failsAt }) => failsAt === null).map((refund) => refund.value))
        }
      : { reference, ...nothing }
)

const iyzico = reader(
  Schema.Struct({
    conversationId: Schema.String,
    paymentId: Schema.String,
    paidPrice: Schema.Number,
    phase: Schema.String,
    status: Schema.String,
    refunds: Schema.Array(Schema.Struct({ minor: Schema.Number })),
    cancels: Schema.Array(Schema.Unknown)
  }),
  ({ cancels, conversationId, paidPrice, phase, refunds, status }) => {
    const reference = conversationId
    if (status !== "SUCCESS" || cancels.length > 0) return { reference, ...nothing }
    if (phase === "PRE_AUTH") return { reference, ...nothing, held: paidPrice }
    return { reference, held: 0, captured: paidPrice, refunded: sum(refunds.map(({ minor }) => minor)) }
  }
)

const networkInternational = reader(
  Schema.Struct({
    merchantOrderReference: Schema.NullOr(Schema.String),
    outlet: Schema.String,
    value: Schema.Number,
    state: Schema.String,
    captures: Schema.Array(Schema.Struct({ value: Schema.Number })),
    refunds: Schema.Array(Schema.Struct({ value: Schema.Number }))
  }),
  ({ captures, merchantOrderReference, refunds, state, value }) => ({
    reference: merchantOrderReference ?? "",
    // What several captures have left is not told apart from what was released.
    held: state === "AUTHORISED" ? value : captures.length > 0 ? null : 0,
    captured: sum(captures.map((capture) => capture.value)),
    refunded: sum(refunds.map((refund) => refund.value))
  })
)

/** By the form of the order, which several providers may share. */
const readers = [nestPay, garanti, stripe, adyen, iyzico, networkInternational]

/** The orders of the book. Rows of another form are pointers from one to another, or of a provider not read here. */
export const ordersOf = (rows: ReadonlyArray<BookRow>): ReadonlyArray<Order> =>
  rows.flatMap(({ provider, value }) => {
    for (const read of readers) {
      const sums = read(value)
      if (sums !== undefined) return [{ provider, ...sums }]
    }
    return []
  })

/** Whether money is held or was taken by it. */
export const isCharged = ({ captured, held }: Order): boolean => captured > 0 || (held ?? 0) > 0
