import { PaymentClients } from "@sarraf/domain/organizations/PaymentClients"
import { type BuyerReturn, Challenges } from "@sarraf/domain/payments/Challenges"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Clock, Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServedRoute } from "../http/allowedMethods.ts"
import { RequestId } from "../http/RequestId.ts"
import { formFields } from "./formFields.ts"
import { isOneTimeValue, oneTimeValue } from "./OneTimeValue.ts"
import { secretHeaders } from "./Page.ts"
import * as pages from "./pages.ts"
import { shopReturn, shopUrl } from "./shopReturn.ts"

/**
 * One pattern for a page, `/pf/v1/3ds/{token}`, and for the way back, `…/{token}/return`: the router takes a hundred
 * characters at most for a named part, and a token has more where the client's id is long.
 */
const path = "/pf/v1/3ds/*"

/** Everything this layer serves, for telling 404 and 405 apart; its failures are pages of its own. */
export const routes: ReadonlyArray<ServedRoute> = [
  ["GET", path, "page"],
  ["POST", path, "page"]
]

type Request = HttpServerRequest.HttpServerRequest

/** Which page is meant; undefined for neither. */
const target = Effect.map(HttpRouter.params, (params) => {
  const [, token = "", back] = /^([^/]+)(\/return)?\/?$/u.exec(params["*"] ?? "") ?? []
  return { token, isReturn: back !== undefined }
})

const redirect = (location: string) =>
  HttpServerResponse.empty({ status: 303, headers: { ...secretHeaders, location } })

/** The page of a token as seen from its `/return`, below whatever prefix a proxy has put before it. */
const pageOfReturn = (token: string): string => `../${token}`

/**
 * A browser says where a form came from. `Origin` is `null` for every form of a page with `no-referrer`, ours too, so
 * that it counts only where it names an origin (Fetch standard, "append a request Origin header").
 */
const isSameOrigin = ({ headers }: Request, baseUrl: string): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined && site !== "same-origin") return false
  if (origin === undefined || origin === "null") return true
  return origin === new URL(baseUrl).origin || (URL.canParse(origin) && new URL(origin).host === host)
}

type Fields = Readonly<Record<string, string>>

/** Nothing for a method without a body; the status that says why for a body that cannot be read. */
const readForm = (request: Request): Effect.Effect<Fields | undefined | 413 | 415> =>
  Effect.gen(function* () {
    if (request.method !== "POST") return undefined
    const bytes = new Uint8Array(yield* request.arrayBuffer)
    const contentType = request.headers["content-type"]
    const isForm = contentType === undefined || /^application\/x-www-form-urlencoded\s*(;|$)/iu.test(contentType)
    return bytes.length > 0 && !isForm ? 415 : formFields(bytes)
  }).pipe(Effect.catchTag("HttpServerError", () => Effect.succeed(413 as const)))

const queryOf = ({ url }: Request) => {
  const [, query = ""] = /\?([^#]*)/u.exec(url) ?? []
  return formFields(Buffer.from(query))
}

/** What the handlers have in common. */
const makeHandlers = Effect.fnUntraced(function* (baseUrl: string) {
  const challenges = yield* Challenges
  const clients = yield* PaymentClients
  const fingerprints = yield* Fingerprints

  /** With how the payment stands, signed; undefined where there is no shop to go to. */
  const wayBack = Effect.fnUntraced(function* (payment: Payment) {
    const url = shopUrl(payment)
    if (url === undefined) return undefined
    const [secret] = (yield* clients.find(payment.clientId))?.secrets ?? []
    if (secret === undefined) return undefined
    return { href: shopReturn(url, payment, secret, yield* Clock.currentTimeMillis), host: url.host }
  })

  const show = Effect.fnUntraced(function* (token: string) {
    const challenge = yield* challenges.find(token)
    const { payment, stage } = challenge
    const back = yield* wayBack(payment)
    const now = yield* Clock.currentTimeMillis
    if (stage === "open") return pages.openPage(challenge, back, oneTimeValue(fingerprints, token, now), now)
    return stage === "begun" ? pages.begunPage(challenge, back) : pages.overPage(payment, statusOf(payment), back)
  })

  const goOn = Effect.fnUntraced(function* (token: string, form: Fields, request: Request) {
    const { payment } = yield* challenges.find(token)
    const isOurs = isOneTimeValue(fingerprints, token, form.once ?? "", yield* Clock.currentTimeMillis)
    if (!isOurs || !isSameOrigin(request, baseUrl)) return pages.refusedPage()
    const step = yield* challenges.proceed(token, (yield* RequestId) ?? "")
    // Relative to the page that the form is on: that page, which says how far the challenge is.
    if (step === undefined) return redirect(token)
    return step.type === "redirect" ? redirect(step.url) : pages.formPage(payment, step)
  })

  const comeBack = Effect.fnUntraced(function* (token: string, form: Fields | undefined, request: Request) {
    const buyerIp = Option.getOrUndefined(request.remoteAddress)
    const back: BuyerReturn = {
      returned: { ...queryOf(request), ...form },
      requestId: (yield* RequestId) ?? "",
      ...(buyerIp === undefined ? {} : { buyerIp })
    }
    const payment = yield* challenges.comeBack(token, back)
    return redirect((yield* wayBack(payment))?.href ?? pageOfReturn(token))
  })

  return { show, goOn, comeBack }
})

/** What only looks at a link before it is followed makes nothing happen. */
const headersOnly = HttpServerResponse.empty({ status: 200, headers: secretHeaders })

const unavailable = (form: Fields | undefined) =>
  HttpServerResponse.setHeader(pages.unavailablePage(form), "retry-after", "5")

/**
 * The hosted pages of 3D Secure (contract section 4, 3DS). `GET …/{token}` shows the challenge as often as it is asked,
 * its form's POST goes on to the issuer once, and the issuer sends the browser to `GET|POST …/{token}/return`, from where
 * it goes to the shop. `baseUrl` is the public address: forms from elsewhere are refused.
 */
export const layer = ({ baseUrl }: { readonly baseUrl: string }) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { comeBack, goOn, show } = yield* makeHandlers(baseUrl)
      const answer = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { isReturn, token } = yield* target
        if (token === "") return pages.notFoundPage()
        if (isReturn && request.method === "HEAD") return headersOnly
        const form = yield* readForm(request)
        if (typeof form === "number") return pages.unreadablePage(form, isReturn ? pageOfReturn(token) : token)
        const answered = isReturn
          ? comeBack(token, form, request)
          : form === undefined
            ? show(token)
            : goOn(token, form, request)
        return yield* Effect.catchTags(answered, {
          ChallengeNotFound: () => Effect.succeed(pages.notFoundPage()),
          Unavailable: () => Effect.succeed(unavailable(form))
        })
      })
      yield* router.add("GET", path, answer)
      yield* router.add("POST", path, answer)
    })
  )
