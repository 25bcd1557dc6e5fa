import type { RefusalCode } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { type CC5Response, extraOf } from "./Messages.ts"
import { rulingOf } from "./ResponseCodes.ts"

type Condition = "authorized" | "captured" | "settled" | "pending" | "voided" | "failed"

/** TRANS_STAT (provider sheet, section 4). */
const conditions: ReadonlyMap<string, Condition> = new Map([
  ["A", "authorized"],
  ["C", "captured"],
  ["S", "settled"],
  ["PN", "pending"],
  ["R", "pending"],
  ["V", "voided"],
  ["CNCL", "voided"],
  ["D", "failed"],
  ["ERR", "failed"]
])

/** One transaction of an order as the bank recorded it. A capture takes the place of its authorization. */
export interface Transaction {
  /** CHARGE_TYPE_CD: the sale's side, or a refund. */
  readonly side: "S" | "C"
  readonly condition: Condition
  readonly originalMinor: bigint | null
  readonly capturedMinor: bigint | null
  /** Null where the transaction has none. */
  readonly procReturnCode: string | null
  readonly transId: string | null
}

type Found = Extract<Finding, { readonly _tag: "Found" }>
export type OrderState = Pick<Found, "stage" | "settled" | "capturedMinor" | "refundedMinor"> & {
  readonly code?: RefusalCode
  /** The authorization's own amount, while it stands alone. */
  readonly authorizedMinor?: bigint
  /** Of the transaction that the state is read from. */
  readonly transId: string | null
}

const filled = (value: string | undefined): string | null => (value === undefined || value === "" ? null : value)

/** `101` is 1.01 in every currency that is taken; empty is none; anything else is no amount. */
const minorOf = (value: string | undefined): bigint | null | undefined => {
  const digits = filled(value)
  if (digits === null) return null
  return /^\d{1,18}$/u.test(digits) ? BigInt(digits) : undefined
}

const transaction = (
  side: string | undefined,
  stat: string | undefined,
  original: string | undefined,
  captured: string | undefined,
  procReturnCode: string | undefined,
  transId: string | undefined
): Transaction | undefined => {
  const condition = conditions.get(stat ?? "")
  const originalMinor = minorOf(original)
  const capturedMinor = minorOf(captured)
  if ((side !== "S" && side !== "C") || condition === undefined) return undefined
  if (originalMinor === undefined || capturedMinor === undefined) return undefined
  const code = filled(procReturnCode)
  const succeeded = condition === "authorized" || condition === "captured" || condition === "settled"
  // A code that contradicts the condition: neither is believed.
  if (code !== null && (succeeded ? code !== "00" : condition === "failed" && code === "00")) return undefined
  return { side, condition, originalMinor, capturedMinor, procReturnCode: code, transId: filled(transId) }
}

/** The order's latest transaction, from the answer to ORDERSTATUS. */
export const latestOf = (message: CC5Response): Transaction | undefined => {
  const extra = extraOf(message)
  const transId = extra.TRANS_ID ?? message.TransId
  const { CHARGE_TYPE_CD, TRANS_STAT, ORIG_TRANS_AMT, CAPTURE_AMT, PROC_RET_CD } = extra
  return transaction(CHARGE_TYPE_CD, TRANS_STAT, ORIG_TRANS_AMT, CAPTURE_AMT, PROC_RET_CD, transId)
}

/** Far above what an order can collect by hand; a message holds no more. */
const transactionsMax = 1000

/** All transactions of the order, newest first, from the answer to ORDERHISTORY; nothing where one of them is unreadable. */
export const historyOf = (message: CC5Response): ReadonlyArray<Transaction> | undefined => {
  const extra = extraOf(message)
  const count = /^\d{1,4}$/u.test(extra.TRXCOUNT ?? "") ? Number(extra.TRXCOUNT) : 0
  if (count === 0 || count > transactionsMax || extra[`TRX${count + 1}`] !== undefined) return undefined
  const transactions: Array<Transaction> = []
  for (let index = 1; index <= count; index++) {
    const line = extra[`TRX${index}`]
    if (typeof line !== "string") return undefined
    const [side, stat, original, captured, , , , , , procReturnCode, transId] = line.split("\t")
    const read = transaction(side, stat, original, captured, procReturnCode, transId)
    if (read === undefined) return undefined
    transactions.push(read)
  }
  return transactions
}

/** Null where a refund is under way or has no amount. */
const refundedOf = (credits: ReadonlyArray<Transaction>): bigint | null => {
  let sum = 0n
  for (const { condition, capturedMinor, originalMinor } of credits) {
    if (condition === "failed" || condition === "voided") continue
    const minor = capturedMinor ?? originalMinor
    if (condition === "pending" || condition === "authorized" || minor === null) return null
    sum += minor
  }
  return sum
}

const declineOf = ({ procReturnCode, transId }: Transaction): OrderState => {
  const ruling = rulingOf(procReturnCode ?? "", true)
  const code = ruling._tag === "Refused" ? ruling.code : "PROVIDER_ERROR"
  return { stage: "DECLINED", settled: null, capturedMinor: 0n, refundedMinor: 0n, code, transId }
}

/**
 * What the transactions of an order, newest first, make of the payment. A step that failed changes nothing, so that a
 * refused capture leaves the authorization standing; nothing where they contradict each other.
 */
export const stateOf = (transactions: ReadonlyArray<Transaction>): OrderState | undefined => {
  const sales = transactions.filter(({ side }) => side === "S")
  const refundedMinor = refundedOf(transactions.filter(({ side }) => side === "C"))
  const first = (...wanted: ReadonlyArray<Condition>) => sales.find(({ condition }) => wanted.includes(condition))
  const pending = first("pending")
  if (pending !== undefined) {
    const { transId } = pending
    return { stage: "PENDING", settled: null, capturedMinor: null, refundedMinor: null, transId }
  }
  const captured = sales.filter(({ condition }) => condition === "captured" || condition === "settled")
  if (captured.length > 1) return undefined
  for (const { condition, capturedMinor, transId } of captured) {
    return { stage: "CAPTURED", settled: condition === "settled", capturedMinor, refundedMinor, transId }
  }
  // Without a capture there is nothing that a refund could stand against.
  if (refundedMinor !== 0n) return undefined
  const authorized = first("authorized")
  if (authorized !== undefined) {
    const { originalMinor, capturedMinor, transId } = authorized
    if (capturedMinor !== null && capturedMinor !== 0n) return undefined
    const amount = originalMinor === null ? {} : { authorizedMinor: originalMinor }
    return { stage: "AUTHORIZED", settled: null, capturedMinor: 0n, refundedMinor: 0n, transId, ...amount }
  }
  const voided = first("voided")
  if (voided !== undefined) {
    return { stage: "VOIDED", settled: null, capturedMinor: 0n, refundedMinor: 0n, transId: voided.transId }
  }
  const failed = first("failed")
  return failed === undefined ? undefined : declineOf(failed)
}
