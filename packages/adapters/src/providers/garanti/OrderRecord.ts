import type { RefusalCode } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { currencyOfNumber, type OrderTxn } from "./Messages.ts"
import { rulingOf } from "./ResponseCodes.ts"

const types = ["preauth", "postauth", "sales", "refund", "void"] as const
const typeOf = (text: string | undefined) => types.find((type) => type === text?.toLowerCase())

/** One transaction of an order as the bank recorded it. */
interface Entry {
  readonly type: (typeof types)[number]
  readonly succeeded: boolean
  readonly returnCode: string
  /** Null where the bank tells none. */
  readonly minor: bigint | null
  readonly isVoided: boolean
  /** Null where the bank does not say. */
  readonly settled: boolean | null
  readonly retrefNum: string
  readonly currency: string | undefined
}

type Found = Extract<Finding, { readonly _tag: "Found" }>
export type OrderState = Pick<Found, "stage" | "settled" | "capturedMinor" | "refundedMinor"> & {
  readonly code?: RefusalCode
  /** The authorization's own amount, while it stands alone. */
  readonly authorizedMinor?: bigint
  readonly currency?: string
  /** Of the transaction that the state is read from; empty where the bank does not say. */
  readonly retrefNum: string
}

/** `N` was recorded of a sale of the same day; `Y` is its counterpart. */
const settledOf = (settlement: string | undefined): boolean | null => {
  if (settlement === "Y") return true
  return settlement === "N" ? false : null
}

/** `101` is 1.01 in every currency that is taken; 0 stands for none; anything else is no amount. */
const minorOf = (text: string | undefined): bigint | null | undefined => {
  if (text === undefined || /^0*$/u.test(text)) return null
  return /^\d{1,18}$/u.test(text) ? BigInt(text) : undefined
}

/** An entry whose status and code contradict each other is not believed. */
const entryOf = (txn: OrderTxn): Entry | undefined => {
  const type = typeOf(txn.Type)
  const { ReturnCode = "", Status } = txn
  const minor = minorOf(type === "preauth" ? txn.PreAuthAmount : txn.AuthAmount)
  if (type === undefined || minor === undefined || ReturnCode === "") return undefined
  if ((Status !== "00" && Status !== "01") || (Status === "00") !== (ReturnCode === "00")) return undefined
  return {
    type,
    succeeded: Status === "00",
    returnCode: ReturnCode,
    minor,
    isVoided: Boolean(txn.VoidDate?.trim()),
    settled: settledOf(txn.Settlement),
    retrefNum: txn.RetrefNum ?? "",
    currency: currencyOfNumber(txn.CurrencyCode ?? "")
  }
}

/** Only what the record itself calls failed comes here, so that a code which settles nothing elsewhere is a refusal. */
const declineOf = (failed: Entry): OrderState => {
  const ruling = rulingOf({ Code: failed.returnCode, Source: "HOST" }, "authorization")
  const code = ruling._tag === "Refused" ? ruling.code : "PROVIDER_ERROR"
  return {
    stage: "DECLINED",
    settled: null,
    capturedMinor: 0n,
    refundedMinor: 0n,
    code,
    retrefNum: failed.retrefNum
  }
}

/** What stands of the order's transactions that went through; the record is silent where a void cannot be placed. */
const standing = (entries: ReadonlyArray<Entry>): OrderState | undefined => {
  const last = (...wanted: ReadonlyArray<Entry["type"]>) => entries.findLast(({ type }) => wanted.includes(type))
  const capture = last("postauth", "sales")
  const preauth = last("preauth")
  const target = capture ?? preauth
  if (target === undefined) return undefined
  const refunds = entries.filter(({ type }) => type === "refund")
  const currency = target.currency === undefined ? {} : { currency: target.currency }
  const known = { ...currency, retrefNum: target.retrefNum }
  const hasUnplacedVoid = entries.some(({ type }) => type === "void") && !entries.some(({ isVoided }) => isVoided)
  if (hasUnplacedVoid && refunds.length > 0) return undefined
  if (target.isVoided || hasUnplacedVoid) {
    return { ...known, stage: "VOIDED", settled: null, capturedMinor: 0n, refundedMinor: 0n }
  }
  if (capture === undefined) {
    const state = { stage: "AUTHORIZED", settled: null, capturedMinor: 0n, refundedMinor: 0n } as const
    return { ...known, ...state, ...(target.minor === null ? {} : { authorizedMinor: target.minor }) }
  }
  const refundedMinor = refunds.reduce<bigint | null>((sum, { isVoided, minor }) => {
    if (isVoided) return sum
    return sum === null || minor === null ? null : sum + minor
  }, 0n)
  return { ...known, stage: "CAPTURED", settled: capture.settled, capturedMinor: capture.minor, refundedMinor }
}

/**
 * How an order stands by all of its transactions (provider sheet, section 4); nothing where one of them is unreadable or
 * they do not say. Failed steps after an approval change nothing.
 */
export const stateOf = (history: ReadonlyArray<OrderTxn>): OrderState | undefined => {
  const entries = history.flatMap((txn) => entryOf(txn) ?? [])
  if (entries.length !== history.length) return undefined
  const succeeded = entries.filter((entry) => entry.succeeded)
  if (succeeded.length > 0) return standing(succeeded)
  const failed = entries.findLast(({ type }) => type === "preauth" || type === "sales")
  return failed === undefined ? undefined : declineOf(failed)
}
