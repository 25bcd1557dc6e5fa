import { Effect } from "effect"
import { formOf } from "../PostedBody.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import { challengePage, postBackPage, verdictOf } from "../SimulatedIssuer.ts"
import * as Answers from "./SimulatedAnswers.ts"
import { challenged, type Order } from "./SimulatedOrder.ts"
import { messageOf } from "./SimulatedRequest.ts"

const plain = (status: number, message: string): ProviderResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode(message)
})

/** An order whose buyer the issuer has to see. */
interface Challenge {
  readonly order: Order
  readonly authentication: NonNullable<Order["authentication"]>
  readonly notificationUrl: string
}

const openChallenge = (order: Order | undefined): Challenge | undefined => {
  const authentication = order?.authentication
  if (order?.state !== "AWAIT_3DS" || !authentication || authentication.result !== null) return undefined
  const { notificationUrl } = authentication
  return notificationUrl === null ? undefined : { order, authentication, notificationUrl }
}

/**
 * The issuer's side of a challenge (EMV 3-D Secure): the browser brings `creq`, sees a page, and goes back with `cres`
 * by POST. Each challenge is used once; the gateway knows its result before the browser does.
 */
export const issuerPages = (options: {
  readonly pagesUrl: string
  /** By the authentication's own identifier. */
  readonly find: (transId: string) => Effect.Effect<Order | undefined>
  readonly save: (order: Order) => Effect.Effect<void>
  readonly alone: <E>(reference: string, step: Effect.Effect<ProviderResponse, E>) => Effect.Effect<ProviderResponse, E>
}) => {
  const over = plain(410, "This challenge is over or never was.")

  const pageOf = ({ authentication, order }: Challenge, isAgain: boolean): ProviderResponse =>
    challengePage({
      action: `${options.pagesUrl}/acs/${authentication.transId}`,
      fields: {},
      amount: `${(order.value / 100).toFixed(2)} ${order.currencyCode}`,
      last4: order.card?.maskedPan.slice(-4) ?? "",
      isAgain
    })

  const show = Effect.fnUntraced(function* (form: URLSearchParams) {
    const creq = messageOf(form.get("creq") ?? "")
    const challenge = creq === undefined ? undefined : openChallenge(yield* options.find(creq.threeDSServerTransID))
    return challenge === undefined || creq?.acsTransID !== challenge.authentication.acsTransId
      ? over
      : pageOf(challenge, challenge.authentication.tries > 0)
  })

  const decide = Effect.fnUntraced(function* (transId: string, form: URLSearchParams) {
    const challenge = openChallenge(yield* options.find(transId))
    if (challenge === undefined) return over
    const verdict = verdictOf(form, challenge.authentication.tries)
    const word = typeof verdict === "object" ? verdict : verdict === "authenticated" ? "Y" : "N"
    const change = challenged(challenge.order, word)
    if ("fault" in change) return over
    yield* options.save(change.order)
    const { authentication } = change.order
    if (authentication === null || authentication.result === null) return pageOf(challenge, true)
    return postBackPage(challenge.notificationUrl, { cres: Answers.challengeResponse(authentication) })
  })

  return ({ body, method, url }: ProviderRequest): Effect.Effect<ProviderResponse> => {
    const path = new URL(url).pathname.slice(new URL(options.pagesUrl).pathname.length)
    const form = formOf(body)
    if (method !== "POST") return Effect.succeed(plain(405, "The issuer is reached by a form."))
    if (path === "/acs") return show(form)
    const [, transId] = /^\/acs\/([\w-]+)$/u.exec(path) ?? []
    return transId === undefined
      ? Effect.succeed(plain(404, "Not found."))
      : Effect.flatMap(options.find(transId), (order) =>
          order === undefined ? Effect.succeed(over) : options.alone(order.reference, decide(transId, form))
        )
  }
}
