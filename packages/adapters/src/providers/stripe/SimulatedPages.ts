import { Clock, Effect } from "effect"
import { formOf } from "../PostedBody.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import { challengePage, redirectBack, verdictOf } from "../SimulatedIssuer.ts"
import { issuerUrl, secretOf } from "./SimulatedAnswers.ts"
import type { Book } from "./SimulatedBook.ts"
import type { Occasion } from "./SimulatedEvents.ts"
import * as Intent from "./SimulatedIntent.ts"

const plain = (status: number, words: string): ProviderResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode(words)
})
const missing = plain(404, "There is no such challenge.")
const busy = plain(409, "This challenge is being answered.")

/** As Stripe sends the browser back; by general knowledge of the sheet's, section 4, 3DS flow. */
const back = (intent: Intent.Intent): ProviderResponse => {
  if (intent.returnUrl === null) return missing
  const url = new URL(intent.returnUrl)
  url.searchParams.set("payment_intent", intent.id)
  url.searchParams.set("payment_intent_client_secret", secretOf(intent))
  return redirectBack(url.href)
}

const pageOf = (intent: Intent.Intent, pagesUrl: string, isAgain: boolean): ProviderResponse =>
  challengePage({
    action: issuerUrl(pagesUrl, intent.id),
    fields: {},
    amount: `${(intent.amount / 100).toFixed(2)} ${intent.currency.toUpperCase()}`,
    last4: intent.card.last4,
    isAgain
  })

/** The pages of the card's issuer, `{pagesUrl}/issuer/pi_…`. A challenge that has been answered only leads back. */
export const pagesOf = (
  pagesUrl: string,
  { alone, find, save }: Book,
  post: (before: Intent.Intent, after: Intent.Intent, occasion: Occasion) => Effect.Effect<void>
) => {
  const answer = Effect.fnUntraced(function* (before: Intent.Intent, form: URLSearchParams) {
    const verdict = verdictOf(form, before.tries)
    if (typeof verdict === "object") {
      yield* save({ ...before, tries: verdict.again })
      return pageOf(before, pagesUrl, true)
    }
    const after = Intent.answered(before, verdict === "authenticated")
    yield* save(after)
    yield* post(before, after, { nowMillis: yield* Clock.currentTimeMillis, requestId: null, key: null })
    return back(after)
  })

  return ({ body, method, url }: ProviderRequest): Effect.Effect<ProviderResponse> => {
    const id = /^\/issuer\/(pi_\w+)$/u.exec(url.slice(pagesUrl.length).replace(/[?#].*$/u, ""))?.[1]
    if (id === undefined) return Effect.succeed(missing)
    const step = Effect.gen(function* () {
      const intent = yield* find(id)
      if (intent === undefined) return missing
      if (intent.state.status !== "requires_action") return back(intent)
      return method === "POST" ? yield* answer(intent, formOf(body)) : pageOf(intent, pagesUrl, false)
    })
    return alone(id, busy, step)
  }
}
