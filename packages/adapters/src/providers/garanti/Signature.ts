import { hash, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

const sha512 = (text: string): string => hash("sha512", text, "hex").toUpperCase()

/**
 * `secData`: a user's password with the terminal's number, which has nine digits here and nowhere else. Source of this
 * file: provider sheet, section 3, with its vectors.
 */
export const secDataOf = (password: Redacted.Redacted<string>, terminalId: string): Redacted.Redacted<string> =>
  Redacted.make(hash("sha1", Redacted.value(password) + terminalId.padStart(9, "0"), "hex").toUpperCase())

/** `Terminal/HashData` of a request; `cardNumber` is empty where the message has no card. */
export const requestHash = (
  signed: {
    readonly orderId: string
    readonly terminalId: string
    readonly cardNumber: string
    readonly amount: string
    readonly currency: string
  },
  secData: Redacted.Redacted<string>
): string => {
  const { amount, cardNumber, currency, orderId, terminalId } = signed
  return sha512(orderId + terminalId + cardNumber + amount + currency + Redacted.value(secData))
}

/** `secure3dhash` of the browser's form, over the form's own fields. */
export const formHash = (
  form: Readonly<Record<string, string>>,
  storeKey: Redacted.Redacted<string>,
  secData: Redacted.Redacted<string>
): string => {
  const signed = [
    form.terminalid,
    form.orderid,
    form.txnamount,
    form.txncurrencycode,
    form.successurl,
    form.errorurl,
    form.txntype,
    form.txninstallmentcount
  ]
  return sha512(signed.join("") + Redacted.value(storeKey) + Redacted.value(secData))
}

/** `hash` of what the browser brings back: the values of the named fields, one after the other; a missing one is empty. */
export const returnHash = (
  returned: Readonly<Record<string, string>>,
  names: ReadonlyArray<string>,
  storeKey: Redacted.Redacted<string>
): string => sha512(names.map((name) => returned[name] ?? "").join("") + Redacted.value(storeKey))

/** `Transaction/HashData` of an answer. */
export const answerHash = (
  signed: {
    readonly code: string
    readonly retrefNum: string
    readonly authCode: string
    readonly provDate: string
    readonly orderId: string
  },
  secData: Redacted.Redacted<string>
): string => {
  const { authCode, code, orderId, provDate, retrefNum } = signed
  return sha512(code + retrefNum + authCode + provDate + orderId + Redacted.value(secData))
}

/** In constant time; hexadecimal digits in either case. */
export const isSameHash = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one.toUpperCase()), Buffer.from(other.toUpperCase())]
  return left.length === right.length && timingSafeEqual(left, right)
}
