import { randomBytes } from "node:crypto"
import { toDecimal } from "@sarraf/domain/money/Money"
import { Effect } from "effect"
import { formOf } from "../PostedBody.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import { challengePage, redirectBack, verdictOf } from "../SimulatedIssuer.ts"
import type { Book } from "./SimulatedBook.ts"
import type { Payment } from "./SimulatedPayment.ts"

const path = "/checkoutshopper/threeDS/redirect/"

/** Where a challenged shopper goes: the simulated issuer's page. */
export const redirectUrlOf = (pagesUrl: string, { challenge, pspReference }: Payment): string =>
  `${pagesUrl}${path}${pspReference}.${challenge?.token ?? ""}`

const gone: ProviderResponse = {
  status: 410,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode("This authentication is over, or never was.")
}

const show = (payment: Payment, action: string, isAgain: boolean): ProviderResponse => {
  const { card, currency, value } = payment
  const amount = `${toDecimal(currency, BigInt(value))} ${currency}`
  return challengePage({ action, fields: {}, amount, last4: card.last4, isAgain })
}

const backTo = (returnUrl: string, redirectResult: string): ProviderResponse => {
  const url = new URL(returnUrl)
  url.searchParams.set("redirectResult", redirectResult)
  return redirectBack(url.href)
}

/** The issuer's page of one challenge, which is answered once. The browser goes back with a GET and a `redirectResult`. */
export const handle = (book: Book, pagesUrl: string, request: ProviderRequest): Effect.Effect<ProviderResponse> => {
  const asked = request.url.slice(pagesUrl.length + path.length)
  const [, pspReference = "", token] = /^(\w{16})\.([\w-]{32})$/u.exec(asked) ?? []
  if (!request.url.startsWith(`${pagesUrl}${path}`) || token === undefined) return Effect.succeed(gone)
  const step = Effect.gen(function* () {
    const payment = yield* book.find(pspReference)
    const challenge = payment?.challenge ?? null
    if (payment === undefined || challenge === null || challenge.token !== token) return gone
    if (payment.state !== "challenged" || challenge.verdict !== null) return gone
    if (request.method !== "POST") return show(payment, request.url, false)
    const verdict = verdictOf(formOf(request.body), challenge.tries)
    if (typeof verdict === "object") {
      const again = { ...payment, challenge: { ...challenge, tries: verdict.again } }
      yield* book.save(again)
      return show(again, request.url, true)
    }
    const redirectResult = `${pspReference}!${randomBytes(48).toString("base64url")}`
    yield* book.save({ ...payment, challenge: { ...challenge, verdict, redirectResult } })
    return backTo(challenge.returnUrl, redirectResult)
  })
  return book.inTurn(pspReference, step)
}
