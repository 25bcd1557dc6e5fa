import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import type { ProviderResponse } from "../ProviderTransport.ts"
import { dayOfYear, digitsOf } from "../ReferenceNumbers.ts"
import type { Settlement } from "../Simulator.ts"
import * as Answers from "./SimulatedAnswers.ts"
import type { Book } from "./SimulatedBook.ts"
import type * as SimulatedOrder from "./SimulatedOrder.ts"

const turkishBytes: Readonly<Record<string, number>> = { Ğ: 0xd0, İ: 0xdd, Ş: 0xde, ğ: 0xf0, ı: 0xfd, ş: 0xfe }

const toBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    bytes[index] = code < 0x80 ? code : (turkishBytes[text.charAt(index)] ?? code)
  }
  return bytes
}

const headers = { "content-type": "text/xml;charset=ISO-8859-9" }

/** A document, in ISO-8859-9. */
export const answer = (text: string): ProviderResponse => ({ status: 200, headers, body: toBytes(text) })

export const notFound: ProviderResponse = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: toBytes("<html><body>404</body></html>")
}

/** `20321RKJB00131211`: year, day of the year, letters and a number, here random ones. */
export const stampAt = (now: number, settlement: Settlement): SimulatedOrder.Stamp => {
  const random = randomBytes(24)
  const year = new Date(now).getUTCFullYear()
  const letters = [...random.subarray(18, 22)].map((byte) => String.fromCharCode(65 + (byte % 26))).join("")
  return {
    transId: `${year % 100}${dayOfYear(now)}${letters}${digitsOf(random, 8)}`,
    hostRefNum: digitsOf(random.subarray(6), 12),
    authCode: `P${digitsOf(random.subarray(12), 5)}`,
    now,
    settlement
  }
}

export const refuse = (code: string, orderId: string, { transId, now }: SimulatedOrder.Stamp): ProviderResponse =>
  answer(Answers.refusedText(code, orderId, transId, now))

/** The answer to a change that is in the book. */
export const tellOf = Effect.fnUntraced(function* (
  book: Book,
  { entry, order }: { readonly order: SimulatedOrder.Order; readonly entry: SimulatedOrder.Entry },
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  if (entry.stat === "D") return answer(Answers.declinedText(order, entry, stamp.now))
  if (entry.stat === "C") yield* book.saveTransaction(entry.transId, orderId)
  return answer(Answers.approvedText(order, entry, stamp.transId, stamp.now))
})

/** Writes a change into the book, and answers it. */
export const apply = Effect.fnUntraced(function* (
  book: Book,
  change: SimulatedOrder.Change,
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  if (change.order !== undefined) yield* book.save(change.order)
  return yield* "code" in change
    ? Effect.succeed(refuse(change.code, orderId, stamp))
    : tellOf(book, change, orderId, stamp)
})
