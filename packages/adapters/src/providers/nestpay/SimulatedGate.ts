import { Clock, Effect, Redacted } from "effect"
import { formOf } from "../PostedBody.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import {
  challengePage,
  authenticationOf as decisionOf,
  postBackPage,
  redirectBack,
  verdictOf
} from "../SimulatedIssuer.ts"
import { issuerCodeOf } from "../TestCards.ts"
import type { NestPayCredentials } from "./Credentials.ts"
import { errorTextOf } from "./SimulatedAnswers.ts"
import * as SimulatedAuthentication from "./SimulatedAuthentication.ts"
import type { Book } from "./SimulatedBook.ts"
import { hasSuccess } from "./SimulatedOrder.ts"
import { currencyLetters, paymentFault } from "./SimulatedRequest.ts"

type Posted = ReadonlyMap<string, string>

interface Gate {
  readonly book: Book
  readonly pagesUrl: string
  readonly shop: NestPayCredentials
}

const errorPage = (status: number, text: string): ProviderResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  body: new TextEncoder().encode(`<!DOCTYPE html><html lang="tr"><title>3D Secure</title><h1>${text}</h1></html>`)
})

const over = errorPage(410, "This step is over: go back to the shop.")

const isWebAddress = (text: string | undefined): boolean => /^https?:\/\/[^\s"'<>]+$/u.test(text ?? "")

/** Whether the form is the shop's own. The bank signs nothing of a form that is not, nor sends a browser anywhere for it. */
const isTheShops = (posted: Posted, { clientId, storeKey }: NestPayCredentials): boolean =>
  posted.get("clientid") === clientId &&
  posted.get("hashAlgorithm") === "ver3" &&
  isWebAddress(posted.get("okUrl")) &&
  isWebAddress(posted.get("failUrl")) &&
  posted.get("hash") === SimulatedAuthentication.hashOf(posted, Redacted.value(storeKey))

/** What is wrong with the form, as a code; the card's number has one of its own here. */
const formFault = (posted: Posted, now: number): string | undefined => {
  const oid = posted.get("oid") ?? ""
  const type = posted.get("TranType") ?? posted.get("islemtipi")
  if (posted.get("storetype") !== "3d") return "3D-1007"
  if (type !== "Auth" && type !== "PreAuth") return "CORE-2001"
  if (oid.length > 64) return "CORE-1015"
  if (!/^[A-Za-z0-9_-]+$/u.test(oid)) return "CORE-2301"
  const month = posted.get("Ecom_Payment_Card_ExpDate_Month")
  const payment = new Map([
    ["Currency", posted.get("currency") ?? ""],
    ["Total", posted.get("amount") ?? ""],
    ["Taksit", posted.get("taksit") ?? ""],
    ["Number", posted.get("pan") ?? ""],
    ["Expires", `${month}/${posted.get("Ecom_Payment_Card_ExpDate_Year")}`],
    ["Cvv2Val", posted.get("cv2") ?? ""]
  ])
  const fault = paymentFault(payment, now)
  return fault === "CORE-2012" || fault === "CORE-2015" ? "HPP-1001" : fault
}

/** Back to the shop with the bank's own hash. */
const sendBack = ({ shop }: Gate, address: string, fields: Posted): ProviderResponse => {
  const HASH = SimulatedAuthentication.hashOf(fields, Redacted.value(shop.storeKey))
  return postBackPage(address, { ...Object.fromEntries(fields), HASH })
}

const refuse = (gate: Gate, posted: Posted, code: string): ProviderResponse => {
  const refusal = { Response: "Error", ErrorCode: code, ErrMsg: errorTextOf(code), MaskedPan: "**" }
  const fields = new Map(Object.entries({ ...SimulatedAuthentication.withoutCard(posted), ...refusal }))
  return sendBack(gate, posted.get("failUrl") ?? "", fields)
}

/** The end of an authentication: the browser goes back, to `okUrl` with a proof and to `failUrl` without one. */
const conclude = Effect.fnUntraced(function* (
  gate: Gate,
  authentication: SimulatedAuthentication.Authentication,
  mdErrorMsg: string
) {
  const isAuthenticated = mdErrorMsg.startsWith("Y-status")
  yield* gate.book.saveAuthentication({ ...authentication, state: isAuthenticated ? "proved" : "ended" })
  const { failUrl = "", okUrl = "" } = authentication.form
  const fields = SimulatedAuthentication.returnedFields(authentication, { isAuthenticated, mdErrorMsg })
  return sendBack(gate, isAuthenticated ? okUrl : failUrl, fields)
})

/** The shop's form arrives: the issuer decides at once, or its page is shown first. */
const enter = Effect.fnUntraced(function* (gate: Gate, form: URLSearchParams) {
  const posted: Posted = new Map(form)
  if (posted.size !== form.size || !isTheShops(posted, gate.shop)) return errorPage(400, errorTextOf("3D-1004"))
  const fault = formFault(posted, yield* Clock.currentTimeMillis)
  if (fault !== undefined) return refuse(gate, posted, fault)
  const before = yield* gate.book.find(posted.get("oid") ?? "")
  if (before !== undefined && hasSuccess(before)) return refuse(gate, posted, "CORE-2507")
  const pan = posted.get("pan") ?? ""
  const authentication = SimulatedAuthentication.opened(posted, issuerCodeOf(pan))
  const decision = decisionOf(pan)
  if (decision === "frictionless") return yield* conclude(gate, authentication, "Y-status/Frictionless authentication")
  if (decision === "fails") return yield* conclude(gate, authentication, "N-status/Authentication failed")
  yield* gate.book.saveAuthentication(authentication)
  return redirectBack(`${gate.pagesUrl}/issuer/${authentication.id}`)
})

const show = (gate: Gate, { form, id, last4, tries }: SimulatedAuthentication.Authentication): ProviderResponse =>
  challengePage({
    action: `${gate.pagesUrl}/issuer/${id}`,
    fields: {},
    amount: `${form.amount} ${currencyLetters(form.currency)}`,
    last4,
    isAgain: tries > 0
  })

/** The buyer looks at the issuer's page, or answers it. */
const challenge = Effect.fnUntraced(function* (gate: Gate, id: string, request: ProviderRequest) {
  const authentication = yield* gate.book.findAuthentication(id)
  if (authentication?.state !== "asked") return over
  if (request.method !== "POST") return show(gate, authentication)
  const verdict = verdictOf(formOf(request.body), authentication.tries)
  if (verdict === "authenticated") return yield* conclude(gate, authentication, "Y-status/Challenge authentication")
  if (verdict === "cancelled") return yield* conclude(gate, authentication, "N-status/Cancelled by the cardholder")
  if (verdict === "failed") return yield* conclude(gate, authentication, "N-status/Challenge authentication failed")
  const again = { ...authentication, tries: verdict.again }
  yield* gate.book.saveAuthentication(again)
  return show(gate, again)
})

/**
 * The pages that a buyer's browser sees: the gate at `fim/est3Dgate`, to which the shop's form is posted, and the
 * issuer's page at `issuer/{id}`. A challenge is answered once. Source: provider sheet, sections 3 and 4; that a form with
 * a wrong hash ends on the bank's page is not in it.
 */
export const handle = (gate: Gate, request: ProviderRequest): Effect.Effect<ProviderResponse> => {
  const path = request.url.slice(gate.pagesUrl.length).replace(/\?.*$/u, "")
  const [, id] = /^\/issuer\/([0-9A-F]{64})$/u.exec(path) ?? []
  if (id !== undefined) return gate.book.inTurn(id, challenge(gate, id, request))
  // One bank's shops are told to spell it in lower case (provider sheet, section 10).
  const isGate = /^\/fim\/est3dgate$/iu.test(path) && request.method === "POST"
  return isGate ? enter(gate, formOf(request.body)) : Effect.succeed(errorPage(404, "404"))
}
