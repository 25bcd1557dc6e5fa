import {
  Accepted,
  type Echo,
  type Outcome,
  Pending,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import type { Finding, Stage } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Duration } from "effect"
import { authenticationDemanded, authenticationFailed, insufficientFunds } from "../Ruling.ts"
import { answersShowing } from "../ShownFields.ts"
import type { Reply } from "./Connection.ts"
import {
  type Movement,
  movementIdOf,
  type NGeniusError,
  type Payment,
  type PaymentIds,
  paymentIdOf
} from "./Messages.ts"
import { abandoned, type NGeniusRuling, rulingOfError, rulingOfResult } from "./ResponseCodes.ts"

/** How long the gateway is asked about a payment that it has and does not decide; the sheet has no time for it. */
const pendingFor = Duration.hours(24)

/** Members that may be shown and stored, by their place in the message. */
const shown = [
  "state",
  "reference",
  "orderReference",
  "merchantOrderReference",
  "amount.currencyCode",
  "amount.value",
  "paymentMethod.name",
  "paymentMethod.cardType",
  "paymentMethod.issuingCountry",
  "authResponse.authorizationCode",
  "authResponse.success",
  "authResponse.resultCode",
  "3ds.status",
  "3ds.eci",
  "3ds2.transStatus",
  "3ds2.messageVersion",
  "code"
]

/** A word, an identifier or a number; twelve digits in a row outside a UUID could be a card's. */
const isShowable = (text: string): boolean =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text) ||
  (/^[\w.:-]{1,128}$/u.test(text) && !/\d{12}/u.test(text))

/** What may be shown of an answer, under the gateway's own code for it; a decline's authorization code is six blanks. */
export const answerOf = answersShowing(shown, isShowable)

/** The issuer's code, or the payment's state where the issuer was not asked. */
export const paymentAnswer = ({ authResponse, state }: Payment, json: unknown): ProviderAnswer =>
  answerOf(authResponse?.resultCode ?? state, json)

const errorAnswer = ({ code, errors }: NGeniusError, status: number, json: unknown): ProviderAnswer =>
  answerOf(errors?.[0]?.errorCode ?? `${code ?? status}`, json)

const last4Of = ({ paymentMethod }: Payment): string | undefined => /\d{4}$/u.exec(paymentMethod?.pan ?? "")?.[0]

/** Which amount is told decides the step: a payment's, or a capture's or refund's. */
export const echoOf = (payment: Payment, amount: Partial<Payment["amount"]> = payment.amount): Echo => {
  const reference = payment.merchantOrderReference
  const last4 = last4Of(payment)
  return {
    ...(reference ? { reference } : {}),
    ...(amount.value === undefined ? {} : { minor: BigInt(amount.value) }),
    currency: payment.amount.currencyCode,
    ...(last4 === undefined ? {} : { last4 })
  }
}

export const notesOf = ({ orderReference, paymentId }: PaymentIds) => ({ orderReference, paymentId })

export const isAbout = (payment: Payment, { orderReference, paymentId }: PaymentIds): boolean =>
  paymentIdOf(payment) === paymentId && (payment.orderReference ?? orderReference) === orderReference

/** A definite "no" to a payment that exists at the gateway. */
export const refusalOf = (
  { code, detail, mayTryAnother }: NGeniusRuling,
  payment: Payment,
  answer: ProviderAnswer
): Outcome =>
  Refused({
    code,
    detail,
    answer,
    mayTryAnother: mayTryAnother !== false,
    echo: echoOf(payment),
    providerReference: paymentIdOf(payment)
  })

/** Provider sheet, section 5: why a payment failed. The issuer's word stands before the authentication's. */
export const failureOf = (payment: Payment): NGeniusRuling => {
  const { authResponse, "3ds": result, "3ds2": authentication } = payment
  if (authResponse?.resultCode) return rulingOfResult(authResponse.resultCode)
  const isFailed = result?.status === "FAILURE" || ["N", "R", "U"].includes(authentication?.transStatus ?? "")
  return isFailed ? authenticationFailed : rulingOfResult(null)
}

export const isAwaitingBuyer = ({ state }: Payment): boolean => state === "AWAIT_3DS" || state === "AWAIT3DS"

/** Provider sheet, section 5, for the answer to an authorization that is not to wait for the buyer any more. */
export const authorizationOutcome = (
  payment: Payment,
  ids: PaymentIds,
  answer: ProviderAnswer,
  now: DateTime.Utc
): Outcome => {
  const { authResponse, state } = payment
  const about = { answer, echo: echoOf(payment), providerReference: paymentIdOf(payment), notes: notesOf(ids) }
  if (isAwaitingBuyer(payment)) return refusalOf(authenticationDemanded, payment, answer)
  switch (state) {
    case "AUTHORISED":
      // `success` is authoritative (section 5), so that this contradicts itself.
      if (authResponse?.success === false) return Unknown({ reason: "an approval that says it is none", answer })
      return Accepted(about)
    case "FAILED":
      return authResponse?.success === true
        ? Unknown({ reason: "a decline that says it is none", answer })
        : refusalOf(failureOf(payment), payment, answer)
    case "CANCELLED":
      return authResponse?.success === true
        ? Unknown({ reason: "the payment was released by somebody else", answer })
        : refusalOf(abandoned, payment, answer)
    case "STARTED":
    case "PENDING":
    case "AWAITING_PARTIAL_AUTH_APPROVAL":
      return Pending({ ...about, learnBy: "query", until: DateTime.addDuration(now, pendingFor) })
    case "CAPTURED":
    case "PARTIALLY_CAPTURED":
    case "PURCHASED":
      return Unknown({ reason: "the payment was captured at once", answer })
    default:
      return Unknown({ reason: "the answer's state is none of an authorization", answer })
  }
}

/** A request that the gateway refused; nothing was done. Of a follow-up the payment stays where it is. */
export const errorOutcome = (reply: Extract<Reply, { readonly _tag: "Failed" }>, isFollowUp: boolean): Outcome => {
  const { code, detail, mayTryAnother } = rulingOfError(reply.error, reply.status)
  const answer = errorAnswer(reply.error, reply.status, reply.json)
  return Refused({
    // What a follow-up refuses is the step and never the card.
    code: isFollowUp ? "PROVIDER_ERROR" : code,
    detail,
    answer,
    mayTryAnother: !isFollowUp && mayTryAnother === true,
    echo: {}
  })
}

const isCaptureDone = ({ state }: Movement): boolean => state === "SUCCESS"
/** Done, or taken over (China UnionPay): provider sheet, section 4. */
const isRefundDone = ({ state }: Movement): boolean => state === "SUCCESS" || state === "REQUESTED"

/** The answer to a capture or refund is the payment again: the last of its kind is this one. */
export const movementOutcome =
  (kind: "cnp:capture" | "cnp:refund") =>
  (payment: Payment, json: unknown): Outcome => {
    const last = payment._embedded?.[kind]?.at(-1)
    const answer = answerOf(last?.state ?? payment.state, json)
    if (last === undefined) return Unknown({ reason: "the answer does not show what was asked for", answer })
    const providerReference = movementIdOf(last) ?? paymentIdOf(payment)
    const echo = echoOf(payment, last.amount)
    const isDone = kind === "cnp:capture" ? isCaptureDone(last) : isRefundDone(last)
    if (isDone) return Accepted({ providerReference, answer, echo })
    if (last.state !== "FAILED") return Unknown({ reason: "the answer's state is none that is known here", answer })
    const detail = "The provider could not carry this out."
    return Refused({ code: "PROVIDER_ERROR", detail, answer, mayTryAnother: false, echo, providerReference })
  }

const released: ReadonlySet<string> = new Set(["REVERSED", "CANCELLED", "VOIDED"])

export const cancelOutcome = (payment: Payment, json: unknown): Outcome => {
  const answer = answerOf(payment.state, json)
  return released.has(payment.state)
    ? Accepted({ providerReference: paymentIdOf(payment), answer, echo: echoOf(payment) })
    : Unknown({ reason: "the answer's state is none of a release", answer })
}

const stages: Readonly<Record<string, Stage>> = {
  AUTHORISED: "AUTHORIZED",
  CAPTURED: "CAPTURED",
  PARTIALLY_CAPTURED: "CAPTURED",
  PURCHASED: "CAPTURED",
  PARTIALLY_REFUNDED: "CAPTURED",
  REFUNDED: "CAPTURED",
  REVERSED: "VOIDED",
  VOIDED: "VOIDED",
  AWAIT_3DS: "ACTION_REQUIRED",
  AWAIT3DS: "ACTION_REQUIRED",
  PENDING: "PENDING",
  AWAITING_PARTIAL_AUTH_APPROVAL: "PENDING",
  FAILED: "DECLINED",
  PARTIAL_AUTH_DECLINED: "DECLINED"
}

/** `success` is authoritative (provider sheet, section 5): a state that says otherwise is none. */
const stageOf = ({ authResponse, state }: Payment): Stage | undefined => {
  const success = authResponse?.success
  // Of an approved payment it is the release of an authorization, else the buyer gave up.
  if (state === "CANCELLED") return success === true ? "VOIDED" : "DECLINED"
  if ((state === "AUTHORISED" && success === false) || (state === "FAILED" && success === true)) return undefined
  return Object.hasOwn(stages, state) ? stages[state] : undefined
}

/** Neither done nor failed: it counts neither as taken nor as never taken. */
const hasUndecided = (
  movements: ReadonlyArray<Movement> | null | undefined,
  isDone: (movement: Movement) => boolean
): boolean => (movements ?? []).some((movement) => !isDone(movement) && movement.state !== "FAILED")

/** Null where the gateway tells none, or where one of them is not decided. */
const sumOf = (
  movements: ReadonlyArray<Movement> | null | undefined,
  isDone: (movement: Movement) => boolean
): bigint | null =>
  movements && !hasUndecided(movements, isDone)
    ? movements.filter(isDone).reduce((sum, { amount }) => sum + BigInt(amount.value), 0n)
    : null

/** Why a payment was declined that did not fail at its issuer. */
const declineOf = (state: string) => (state === "CANCELLED" ? abandoned.code : insufficientFunds.code)

/**
 * Nothing where the state is unknown, or a capture of what is still held is not decided. Of settlement the gateway says
 * nothing that is needed: it refunds before it.
 */
export const foundOf = (payment: Payment, ids: PaymentIds, json: unknown): Finding | undefined => {
  const stage = stageOf(payment)
  if (stage === undefined) return undefined
  const { _embedded, state } = payment
  const captures = _embedded?.["cnp:capture"]
  const refunds = _embedded?.["cnp:refund"]
  if (stage === "AUTHORIZED" && hasUndecided(captures, isCaptureDone)) return undefined
  const isCaptured = stage === "CAPTURED"
  const isRefunded = state === "REFUNDED" || state === "PARTIALLY_REFUNDED"
  const capturedMinor = isCaptured ? sumOf(captures, isCaptureDone) : 0n
  const { minor } = echoOf(payment)
  const isKnown = minor !== undefined && capturedMinor !== null && (isCaptured || stage === "AUTHORIZED")
  return {
    _tag: "Found",
    stage,
    settled: null,
    capturedMinor,
    // An authorization that was released shows as reversed: what was not captured of any other is still held.
    ...(isKnown ? { capturableMinor: minor - capturedMinor } : {}),
    refundedMinor: refunds ? sumOf(refunds, isRefundDone) : isRefunded ? null : 0n,
    providerReference: paymentIdOf(payment),
    answer: paymentAnswer(payment, json),
    echo: echoOf(payment),
    ...(stage === "DECLINED" ? { code: state === "FAILED" ? failureOf(payment).code : declineOf(state) } : {}),
    notes: notesOf(ids)
  }
}
