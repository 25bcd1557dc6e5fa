import { randomInt } from "node:crypto"
import { Effect } from "effect"
import type { ProviderResponse } from "../ProviderTransport.ts"
import { dayOfYear, randomDigits } from "../ReferenceNumbers.ts"
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

const randomLetters = (count: number): string => {
  let letters = ""
  while (letters.length < count) letters += String.fromCharCode(randomInt(0x41, 0x5b))
  return letters
}

/** `20321RKJB00131211`: year, day of the year, letters and a number, here random ones. */
export const stampAt = (now: number, settlement: Settlement): SimulatedOrder.Stamp => {
  const year = new Date(now).getUTCFullYear()
  return {
    transId: `${year % 100}${dayOfYear(now)}${randomLetters(4)}${randomDigits(8)}`,
    hostRefNum: randomDigits(12),
    authCode: `P${randomDigits(5)}`,
    now,
    settlement
  }
}

export const refuse = (code: string, orderId: string, { transId, now }: SimulatedOrder.Stamp): ProviderResponse =>
  answer(Answers.refusedText(code, orderId, transId, now))

/** The answer to a change that is in the book. */
export const tellOf = (
  book: Book,
  { entry, order }: { readonly order: SimulatedOrder.Order; readonly entry: SimulatedOrder.Entry },
  orderId: string,
  stamp: SimulatedOrder.Stamp
): Effect.Effect<ProviderResponse> => {
  if (entry.stat === "D") return Effect.succeed(answer(Answers.declinedText(order, entry, stamp.now)))
  const approval = answer(Answers.approvedText(order, entry, stamp.transId, stamp.now))
  return entry.stat === "C"
    ? Effect.as(book.saveTransaction(entry.transId, orderId), approval)
    : Effect.succeed(approval)
}

/** Writes a change into the book, and answers it. */
export const apply = Effect.fnUntraced(function* (
  book: Book,
  change: SimulatedOrder.Change,
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  if (change.order !== undefined) yield* book.save(change.order)
  return "code" in change ? refuse(change.code, orderId, stamp) : yield* tellOf(book, change, orderId, stamp)
})
