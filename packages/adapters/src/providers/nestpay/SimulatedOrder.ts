import { Schema } from "effect"
import { type Settlement, settlesAt } from "../Simulator.ts"

const Time = Schema.NullOr(Schema.Number)

/** One transaction of a simulated order; amounts are minor units, times are milliseconds since 1970. */
const Entry = Schema.Struct({
  transId: Schema.String,
  /** The sale's side, or a credit. */
  side: Schema.Literals(["S", "C"]),
  /** Authorized, captured, voided, declined. Settled is captured and past `settlesAt`. */
  stat: Schema.Literals(["A", "C", "V", "D"]),
  original: Schema.Number,
  captured: Schema.NullOr(Schema.Number),
  authorizedAt: Schema.Number,
  capturedAt: Time,
  voidedAt: Time,
  settlesAt: Time,
  hostRefNum: Schema.String,
  authCode: Schema.String,
  procReturnCode: Schema.String
})
export type Entry = typeof Entry.Type

/** What the simulated bank keeps of an order; newest entry first. A capture takes the place of its authorization. */
const Order = Schema.Struct({
  orderId: Schema.String,
  currency: Schema.String,
  maskedPan: Schema.String,
  entries: Schema.Array(Entry)
})
export type Order = typeof Order.Type

export const orderOf = Schema.decodeUnknownSync(Order)

const isTransaction = Schema.is(Schema.Struct({ orderId: Schema.String }))

/** The order that a transaction on record belongs to; empty where there is none. */
export const orderIdOf = (found: unknown): string => (isTransaction(found) ? found.orderId : "")

/** A refusal by the gateway itself: `CORE-2507`, or `215021` in the newer style. */
export interface GatewayRefusal {
  readonly code: string
  /** The order afterwards, where the refused attempt is on record. */
  readonly order?: Order
}
export type Change = { readonly order: Order; readonly entry: Entry } | GatewayRefusal

/** The identifiers and the moment of a new transaction. */
export interface Stamp {
  readonly transId: string
  readonly hostRefNum: string
  readonly authCode: string
  readonly now: number
  readonly settlement: Settlement
}

/** Fifteen days, in milliseconds. */
const captureWindow = 15 * 86_400_000

export const isSettled = ({ stat, settlesAt: at }: Entry, now: number): boolean =>
  stat === "C" && at !== null && at <= now

const stamped = (stamp: Stamp) => {
  const { transId, hostRefNum, authCode, now } = stamp
  return { transId, hostRefNum, authCode, authorizedAt: now, capturedAt: null, voidedAt: null, settlesAt: null }
}

/** A refused attempt at an order stays in its history, as a refused refund was recorded to do. */
const failedAttempt = (
  order: Order,
  side: Entry["side"],
  amount: number,
  stamp: Stamp,
  code: string
): GatewayRefusal => {
  const attempt = { ...stamped(stamp), side, stat: "D", original: amount, captured: amount } as const
  const entry: Entry = { ...attempt, authCode: "", hostRefNum: "", procReturnCode: "99" }
  return { code, order: { ...order, entries: [entry, ...order.entries] } }
}

export const hasSuccess = (order: Order): boolean => order.entries.some(({ stat }) => stat !== "D")

/** What an order is opened with. */
export type Details = Pick<Order, "orderId" | "currency" | "maskedPan">

export interface Sale {
  readonly amount: number
  readonly capture: boolean
  readonly procReturnCode: string
}

/** A new authorization or sale, or one that the issuer declined, before whatever failed under the same order id. */
export const opened = (
  before: Order | undefined,
  details: Details,
  sale: Sale,
  stamp: Stamp
): { readonly order: Order; readonly entry: Entry } => {
  const { amount, procReturnCode } = sale
  const base = { ...stamped(stamp), side: "S", original: amount, procReturnCode } as const
  const captured = {
    stat: "C",
    captured: amount,
    capturedAt: stamp.now,
    settlesAt: settlesAt(stamp.now, stamp.settlement)
  } as const
  const approved: Entry = sale.capture ? { ...base, ...captured } : { ...base, stat: "A", captured: null }
  const entry: Entry = procReturnCode === "00" ? approved : { ...base, stat: "D", captured: null, authCode: "" }
  return { order: { ...details, entries: [entry, ...(before?.entries ?? [])] }, entry }
}

/** PostAuth: once, within 15 days, and not above the authorization. */
export const captured = (order: Order, amount: number, aboveAllowed: boolean, stamp: Stamp): Change => {
  const authorization = order.entries.find(({ side, stat }) => side === "S" && stat === "A")
  const refuse = (code: string) => failedAttempt(order, "S", amount, stamp, code)
  if (authorization === undefined) return refuse("CORE-2509")
  if (amount === 0) return refuse("CORE-2506")
  if (amount > authorization.original) return refuse(aboveAllowed ? "CORE-2512" : "CORE-2505")
  if (stamp.now - authorization.authorizedAt > captureWindow) return refuse("CORE-2513")
  const entry: Entry = {
    ...authorization,
    transId: stamp.transId,
    stat: "C",
    captured: amount,
    capturedAt: stamp.now,
    settlesAt: settlesAt(stamp.now, stamp.settlement)
  }
  return { order: { ...order, entries: [entry, ...order.entries.filter((other) => other !== authorization)] }, entry }
}

/**
 * Void: of the one transaction of the order that has not settled, or of the one that is named. An authorization is in no
 * batch before it is captured, so that it can be voided as long as it stands.
 */
export const voided = (order: Order, transId: string | undefined, stamp: Stamp): Change => {
  const named = order.entries.filter((entry) => transId === undefined || entry.transId === transId)
  const open = named.filter((entry) => entry.stat === "A" || (entry.stat === "C" && !isSettled(entry, stamp.now)))
  const [target] = open
  if (target === undefined) return { code: named.some((entry) => entry.stat === "C") ? "CORE-2511" : "CORE-2008" }
  if (open.length > 1) return { code: "CORE-2133" }
  const entry: Entry = { ...target, stat: "V", voidedAt: stamp.now }
  return { order: { ...order, entries: order.entries.map((other) => (other === target ? entry : other)) }, entry }
}

/** Credit: after the capture has settled, in parts, up to what of it is left. */
export const credited = (order: Order, amount: number, currency: string, stamp: Stamp): Change => {
  const sale = order.entries.find(({ side, stat }) => side === "S" && stat === "C")
  const refuse = (code: string) => failedAttempt(order, "C", amount, stamp, code)
  if (sale === undefined) return refuse("CORE-2117")
  if (currency === "") return refuse("CORE-2118")
  if (currency !== order.currency) return refuse("CORE-2119")
  if (!isSettled(sale, stamp.now)) return refuse("CORE-2508")
  const credits = order.entries.filter(({ side, stat }) => side === "C" && stat === "C")
  const net = (sale.captured ?? 0) - credits.reduce((sum, credit) => sum + (credit.captured ?? 0), 0)
  if (net === 0) return refuse("215021")
  if (amount === 0 || amount > net) return refuse("CORE-2503")
  const times = { capturedAt: stamp.now, settlesAt: settlesAt(stamp.now, stamp.settlement) }
  const entry: Entry = {
    ...stamped(stamp),
    ...times,
    side: "C",
    stat: "C",
    original: amount,
    captured: amount,
    procReturnCode: "00"
  }
  return { order: { ...order, entries: [entry, ...order.entries] }, entry }
}
