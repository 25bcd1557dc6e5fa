import { Schema } from "effect"
import { type Settlement, settlesAt } from "../Simulator.ts"

const Time = Schema.NullOr(Schema.Number)

/** One transaction of a simulated order; amounts are minor units, times are milliseconds since 1970. */
const Entry = Schema.Struct({
  type: Schema.Literals(["sales", "preauth", "postauth", "refund", "void"]),
  /** `00`, the issuer's code, or `92` where the bank itself refused it. */
  returnCode: Schema.String,
  amount: Schema.Number,
  retrefNum: Schema.String,
  authCode: Schema.String,
  at: Schema.Number,
  voidedAt: Time,
  settlesAt: Time
})
export type Entry = typeof Entry.Type

/** What the simulated bank keeps of an order; oldest transaction first. */
const Order = Schema.Struct({
  orderId: Schema.String,
  currency: Schema.String,
  maskedPan: Schema.String,
  installments: Schema.String,
  entries: Schema.Array(Entry)
})
export type Order = typeof Order.Type

export const orderOf = Schema.decodeUnknownSync(Order)

/** A refusal by the bank itself, with its number; a transaction that is in the book, approved or declined by the issuer. */
export type Change =
  | { readonly reason: string; readonly order?: Order }
  | { readonly order: Order; readonly entry: Entry }

/** The identifiers and the moment of a new transaction. */
export interface Stamp {
  readonly retrefNum: string
  readonly authCode: string
  readonly now: number
  readonly settlement: Settlement
}

/** Fifteen days, in milliseconds. */
const captureWindow = 15 * 86_400_000

export const isSettled = ({ settlesAt: at }: Entry, now: number): boolean => at !== null && at <= now

const stands = ({ returnCode, voidedAt }: Entry): boolean => returnCode === "00" && voidedAt === null

const entryOf = (type: Entry["type"], amount: number, stamp: Stamp, returnCode = "00"): Entry => ({
  type,
  returnCode,
  amount,
  retrefNum: stamp.retrefNum,
  authCode: returnCode === "00" ? stamp.authCode : "",
  at: stamp.now,
  voidedAt: null,
  settlesAt:
    returnCode === "00" && type !== "preauth" && type !== "void" ? settlesAt(stamp.now, stamp.settlement) : null
})

const added = (order: Order, entry: Entry): { readonly order: Order; readonly entry: Entry } => ({
  order: { ...order, entries: [...order.entries, entry] },
  entry
})

/** A refused step stays in the order's history, as a refused refund was recorded to do. */
const failed = (order: Order, type: Entry["type"], amount: number, stamp: Stamp, reason: string): Change => ({
  reason,
  order: added(order, entryOf(type, amount, stamp, "92")).order
})

export const hasSuccess = (order: Order): boolean => order.entries.some(({ returnCode }) => returnCode === "00")

/** A new authorization or sale, or one that the issuer declined, after whatever failed under the same order. */
export const opened = (
  before: Order | undefined,
  details: Omit<Order, "entries">,
  sale: { readonly type: "sales" | "preauth"; readonly amount: number; readonly returnCode: string },
  stamp: Stamp
) => {
  const order = { ...details, entries: before?.entries ?? [] }
  return added(order, entryOf(sale.type, sale.amount, stamp, sale.returnCode))
}

const isCaptured = (order: Order): boolean =>
  order.entries.some(({ returnCode, type }) => type === "postauth" && returnCode === "00")

/** `postauth`: once, within 15 days, and not above the authorization, which the host says with its own code 13. */
export const captured = (
  order: Order,
  asked: { readonly amount: number; readonly currency: string; readonly target: string },
  stamp: Stamp
): Change => {
  const { amount, currency, target } = asked
  const preauth = order.entries.find(
    ({ retrefNum, returnCode, type }) => type === "preauth" && returnCode === "00" && retrefNum === target
  )
  if (preauth === undefined) return { reason: "0102" }
  const isOpen = stands(preauth) && !isCaptured(order) && stamp.now - preauth.at <= captureWindow
  if (!isOpen || currency !== order.currency) return failed(order, "postauth", amount, stamp, "0209")
  return added(order, entryOf("postauth", amount, stamp, amount > preauth.amount ? "13" : "00"))
}

/**
 * `void`: of the one transaction of the order that has not settled, or of the one that is named. An authorization is in no
 * batch before it is captured, so that it can be voided as long as it stands; one that is captured is not the last step.
 */
export const voided = (order: Order, target: string, stamp: Stamp): Change => {
  const named = order.entries.filter(
    (entry) => stands(entry) && entry.type !== "void" && (target === "" || entry.retrefNum === target)
  )
  const isCovered = ({ type }: Entry) => type === "preauth" && isCaptured(order)
  const open = named.filter((entry) => !isCovered(entry) && !isSettled(entry, stamp.now))
  const [found] = open
  if (found === undefined) {
    if (named.length === 0) return { reason: "0201" }
    return { reason: named.every(isCovered) ? "0207" : "0210" }
  }
  if (open.length > 1) return { reason: "0202" }
  const entries = order.entries.map((entry) => (entry === found ? { ...entry, voidedAt: stamp.now } : entry))
  return added({ ...order, entries }, entryOf("void", found.amount, stamp))
}

/** `refund`: after the capture has settled, in parts, up to what of it is left. */
export const credited = (
  order: Order,
  asked: { readonly amount: number; readonly currency: string; readonly target: string },
  stamp: Stamp
): Change => {
  const { amount, currency, target } = asked
  const sale = order.entries.find(
    (entry) => (entry.type === "postauth" || entry.type === "sales") && stands(entry) && entry.retrefNum === target
  )
  const refuse = (reason: string) => failed(order, "refund", amount, stamp, reason)
  if (sale === undefined) return refuse("0103")
  if (currency !== order.currency) return refuse("0203")
  if (!isSettled(sale, stamp.now)) return refuse("0208")
  const refunds = order.entries.filter((entry) => entry.type === "refund" && stands(entry))
  const left = sale.amount - refunds.reduce((sum, refund) => sum + refund.amount, 0)
  return amount > left ? refuse("0214") : added(order, entryOf("refund", amount, stamp))
}
