import { ActionRequired, type BuyerStep, type Outcome, Unknown } from "@sarraf/domain/payments/Outcome"
import type { AuthorizeCall, ThreeDS, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Option, Redacted, Schema } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import type { Connection } from "./Connection.ts"
import {
  decodeAuthentication,
  encodeChallengeResponse,
  encodeDevice,
  notedIds,
  type Payment,
  type PaymentIds,
  paymentIdOf
} from "./Messages.ts"
import {
  authorizationOutcome,
  echoOf,
  errorOutcome,
  isAwaitingBuyer,
  notesOf,
  paymentAnswer,
  refusalOf
} from "./Outcomes.ts"
import { type PaymentReading, readPayment } from "./Query.ts"
import { notAuthenticable } from "./ResponseCodes.ts"

const isAddress = (url: string | null | undefined): url is string => /^https?:\/\/[^\s]+$/u.test(url ?? "")

const form = (action: string, fields: Readonly<Record<string, string>>): BuyerStep => ({
  type: "form",
  action,
  fields: Redacted.make(fields)
})

/** Version 1: the issuer's answer goes to the gateway through the browser. Undefined where the payment is of version 2. */
const firstVersionStep = (connection: Connection, payment: Payment, ids: PaymentIds): BuyerStep | undefined => {
  const { "3ds": request, _links } = payment
  const termPath = connection.pathOf(_links?.["cnp:3ds"]?.href, ids)
  if (termPath === undefined || !isAddress(request?.acsUrl) || !request?.acsPaReq) return undefined
  const TermUrl = connection.urlOf(termPath)
  return form(request.acsUrl, { PaReq: request.acsPaReq, MD: request.acsMd ?? "", TermUrl })
}

const decided = (reading: PaymentReading, ids: PaymentIds, now: DateTime.Utc): Outcome => {
  if (reading._tag === "Unread") return Unknown({ reason: reading.reason })
  const answer = paymentAnswer(reading.payment, reading.json)
  return isAwaitingBuyer(reading.payment)
    ? Unknown({ reason: "the provider has not decided the authentication", answer })
    : authorizationOutcome(reading.payment, ids, answer, now)
}

/**
 * Sends the device data of a payment that waits for 3-D Secure, and the buyer to the issuer where it wants to see him
 * (provider sheet, section 4). The hidden form before it (`threeDSMethodURL`) is left out, and so it is said: `N`. The
 * issuer's answer comes back to us and not to the gateway, from where the buyer would not return.
 */
export const begin = Effect.fnUntraced(function* (
  connection: Connection,
  { buyer, threeDS }: AuthorizeCall & { readonly threeDS: NonNullable<AuthorizeCall["threeDS"]> },
  ids: PaymentIds,
  payment: Payment,
  json: unknown
): Effect.fn.Return<Outcome> {
  const about = {
    answer: paymentAnswer(payment, json),
    echo: echoOf(payment),
    providerReference: paymentIdOf(payment)
  }
  const request = payment["3ds2"]
  const path = connection.pathOf(payment._links?.["cnp:3ds2-authentication"]?.href, ids)
  if (!request || path === undefined) {
    const step = firstVersionStep(connection, payment, ids)
    return step === undefined
      ? refusalOf(notAuthenticable, payment, about.answer)
      : ActionRequired({ step, ...about, notes: notesOf(ids) })
  }
  const body = encodeDevice({
    threeDSCompInd: request.threeDSMethodURL ? "N" : "U",
    notificationURL: threeDS.returnUrl,
    browserIP: buyer.ip
  })
  const reply = yield* connection.ask({ method: "POST", path, body })
  // Without the device data the gateway asks no issuer, so that no money moves.
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Failed") {
    // A state that the payment cannot have unless its authentication went on before (section 5: ask).
    return reply.status === 409
      ? Unknown({ reason: "the payment waits for no device data" })
      : errorOutcome(reply, false)
  }
  const decoded = decodeAuthentication(reply.json)
  if (Option.isNone(decoded)) return Unknown({ reason: "the answer is of no authentication" })
  const { _id, "3ds2": result } = decoded.value
  if (_id && _id !== payment._id) return Unknown({ reason: "the answer is about another payment" })
  if (result?.transStatus !== "C") return decided(yield* readPayment(connection, ids), ids, yield* DateTime.now)
  const { acsURL, base64EncodedCReq: creq } = result
  if (!isAddress(acsURL) || !creq) return Unknown({ reason: "the answer does not say where the issuer is" })
  const threeDSServerTransID = result.threeDSServerTransID ?? request.threeDSServerTransID
  const notes = { ...notesOf(ids), acsURL, creq, ...(threeDSServerTransID ? { threeDSServerTransID } : {}) }
  return ActionRequired({ step: form(acsURL, { creq }), ...about, notes })
})

/** EMV 3-D Secure, the message with which the issuer ends a challenge; base64 with the letters of a URL. */
const ChallengeResponse = Schema.fromJsonString(Schema.Struct({ threeDSServerTransID: Schema.String }))
const decodeChallengeResponse = Schema.decodeUnknownOption(ChallengeResponse)
const transactionOf = (cres: string): string | undefined =>
  Option.getOrUndefined(decodeChallengeResponse(Buffer.from(cres, "base64url").toString("utf8")))?.threeDSServerTransID

/**
 * A challenge's end has to be of this payment's authentication: sending another's on could end this one. Without one
 * nothing is sent on and the gateway is asked how far the payment has come.
 */
const isGenuine = ({ authorization, returned }: ThreeDSReturn): boolean => {
  const { threeDSServerTransID } = authorization.notes
  const { cres } = returned
  if (notedIds(authorization) === undefined) return false
  return cres === undefined || threeDSServerTransID === undefined || transactionOf(cres) === threeDSServerTransID
}

/** Where the buyer, who has not finished, has to go: the challenge again, of which the issuer knows how far it is. */
const again = (
  connection: Connection,
  { authorization }: ThreeDSReturn,
  ids: PaymentIds,
  { json, payment }: Extract<PaymentReading, { readonly _tag: "Read" }>
): Outcome => {
  const { acsURL, creq } = authorization.notes
  const answer = paymentAnswer(payment, json)
  const step =
    isAddress(acsURL) && creq !== undefined ? form(acsURL, { creq }) : firstVersionStep(connection, payment, ids)
  return step === undefined
    ? Unknown({ reason: "the buyer has not finished", answer })
    : ActionRequired({ step, answer, echo: echoOf(payment), providerReference: paymentIdOf(payment) })
}

const complete = Effect.fnUntraced(function* (connection: Connection, call: ThreeDSReturn): Effect.fn.Return<Outcome> {
  const ids = notedIds(call.authorization)
  if (ids === undefined) return Unknown({ reason: "the order of this payment was not noted" })
  const before = yield* readPayment(connection, ids)
  if (before._tag === "Unread" || !isAwaitingBuyer(before.payment)) return decided(before, ids, yield* DateTime.now)
  const { cres } = call.returned
  if (cres === undefined) return again(connection, call, ids, before)
  const path =
    connection.pathOf(before.payment._links?.["cnp:3ds2-challenge-response"]?.href, ids) ??
    `${connection.paymentPath(ids)}/card/3ds2/challenge-response`
  const reply = yield* connection.ask({ method: "POST", path, body: encodeChallengeResponse(cres) })
  // Whatever was answered: the order says what came of it (section 4).
  const after = yield* readPayment(connection, ids)
  return after._tag === "Read" && isAwaitingBuyer(after.payment) && reply._tag === "Failed"
    ? again(connection, call, ids, after)
    : decided(after, ids, yield* DateTime.now)
})

/** The buyer has been with the issuer: no other provider is tried after that. */
export const threeDSOf = (connection: Connection): ThreeDS => ({
  authorizesOnCompletion: true,
  isGenuine,
  complete: (call) =>
    Effect.map(complete(connection, call), (outcome) =>
      outcome._tag === "Refused" ? { ...outcome, mayTryAnother: false } : outcome
    )
})
