import {
  Accepted,
  ActionRequired,
  type BuyerStep,
  type Echo,
  type Outcome,
  Pending,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import { DateTime, Duration, Redacted } from "effect"
import { authenticationDemanded, type Ruling } from "../Ruling.ts"
import { answersShowing } from "../ShownFields.ts"
import type { Action, Modification, Payment } from "./Messages.ts"
import { nativeDemanded, rulingOf } from "./ResponseCodes.ts"

/** How long the notification of an outcome is waited for; the sheet has no figure. */
const pendingFor = Duration.days(3)

/** The allow-list, as paths into an answer: codes, states, amounts and checks; no identifier, no person, no token. */
const shown = [
  "resultCode",
  "refusalReason",
  "refusalReasonCode",
  "amount.value",
  "amount.currency",
  "additionalData.acquirerCode",
  "additionalData.authCode",
  "additionalData.avsResult",
  "additionalData.cvcResult",
  "additionalData.liabilityShift",
  "additionalData.merchantAdviceCode",
  "additionalData.paymentMethod",
  "additionalData.refusalReasonRaw",
  "additionalData.threeDAuthenticated",
  "status",
  "errorCode",
  "errorType",
  "eventCode",
  "success",
  "reason"
]

/** A short text of the provider's; twelve digits in a row could be a card's. */
const isShowable = (text: string): boolean => /^[\w .:,()[\]/-]{1,128}$/u.test(text) && !/(?:\d[ -]?){12}/u.test(text)

/** What may be shown of a document of Adyen's, under the code that it is about. */
export const answerOf = answersShowing(shown, isShowable)

interface Told {
  readonly reference: string | null | undefined
  readonly amount: { readonly value: number; readonly currency: string } | null | undefined
  readonly cardSummary?: string | null | undefined
}

/** In our terms; what Adyen did not say is absent. */
export const echoOf = ({ amount, cardSummary, reference }: Told): Echo => ({
  ...(reference ? { reference } : {}),
  ...(amount ? { minor: BigInt(amount.value), currency: amount.currency } : {}),
  ...(cardSummary && /^\d{4}$/u.test(cardSummary) ? { last4: cardSummary } : {})
})

const paymentEcho = ({ additionalData, amount, merchantReference }: Payment): Echo =>
  echoOf({
    reference: merchantReference ?? additionalData?.merchantReference,
    amount,
    cardSummary: additionalData?.cardSummary
  })

/** Where a payment is on its way when an answer comes. */
export interface Situation {
  readonly now: DateTime.Utc
  /** `none`: nobody asked for 3-D Secure. `back`: the buyer has been to the issuer. */
  readonly authentication: "none" | "wanted" | "back"
}

const isAddress = (url: string | null | undefined): url is string =>
  typeof url === "string" && URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)

/** Where the shopper goes: by a redirect, or by a form that Adyen fills in. */
const stepOf = ({ data, method, type, url }: Action): BuyerStep | undefined => {
  if (type !== "redirect" || !isAddress(url)) return undefined
  if (method !== "POST") return { type: "redirect", url }
  const fields = Object.entries(data ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : []
  )
  return { type: "form", action: url, fields: Redacted.make(Object.fromEntries(fields)) }
}

/** What the completion needs: the address of a redirect, should it turn out not to be over, and the older form's data. */
const notesOf = ({ paymentData }: Action, step: BuyerStep): Readonly<Record<string, string>> => ({
  ...(step.type === "redirect" ? { redirectUrl: step.url } : {}),
  ...(paymentData ? { paymentData } : {})
})

const refusal = (ruling: Ruling, payment: Payment, answer: ProviderAnswer, { authentication }: Situation): Outcome =>
  Refused({
    code: ruling.code,
    detail: ruling.detail,
    answer,
    // None after the buyer was sent away (contract section 4, failover).
    mayTryAnother: ruling.mayTryAnother && authentication !== "back",
    echo: paymentEcho(payment),
    ...(payment.pspReference ? { providerReference: payment.pspReference } : {})
  })

/** The shopper has to go to the issuer. Nothing is authorized before the result of it comes back to Adyen. */
const redirection = (payment: Payment, answer: ProviderAnswer, situation: Situation): Outcome => {
  if (situation.authentication === "none") return refusal(authenticationDemanded, payment, answer, situation)
  const { action, pspReference } = payment
  if (payment.resultCode !== "RedirectShopper") return refusal(nativeDemanded, payment, answer, situation)
  const step = action ? stepOf(action) : undefined
  if (!action || step === undefined) return Unknown({ reason: "the answer does not say where the buyer goes", answer })
  return ActionRequired({
    step,
    answer,
    echo: paymentEcho(payment),
    notes: notesOf(action, step),
    ...(pspReference ? { providerReference: pspReference } : {})
  })
}

/** Provider sheet, section 5, for the answer to `/payments` and `/payments/details`. */
export const paymentOutcome = (payment: Payment, json: unknown, situation: Situation): Outcome => {
  const { additionalData, pspReference, refusalReason, refusalReasonCode, resultCode } = payment
  const echo = paymentEcho(payment)
  switch (resultCode) {
    case "Authorised":
    case "PartiallyAuthorised": {
      const answer = answerOf(resultCode, json)
      if (!pspReference) return Unknown({ reason: "the approval has no reference", answer })
      return resultCode === "PartiallyAuthorised" && echo.minor === undefined
        ? Unknown({ reason: "the answer approves a part and does not say how much", answer })
        : Accepted({ providerReference: pspReference, answer, echo })
    }
    case "RedirectShopper":
    case "IdentifyShopper":
    case "ChallengeShopper":
      return redirection(payment, answerOf(resultCode, json), situation)
    case "Pending":
    case "Received":
    case "PresentToShopper":
    case "AuthenticationFinished":
    case "AuthenticationNotRequired":
      return Pending({
        answer: answerOf(resultCode, json),
        echo,
        learnBy: "notification",
        until: DateTime.addDuration(situation.now, pendingFor),
        ...(pspReference ? { providerReference: pspReference } : {})
      })
    case "Refused":
    case "Cancelled":
    case "Error": {
      const given = refusalReasonCode && refusalReasonCode !== "0" ? refusalReasonCode : refusalReason
      const ruling = rulingOf({
        resultCode,
        refusalReason,
        refusalReasonCode,
        refusalReasonRaw: additionalData?.refusalReasonRaw,
        isAfterChallenge: situation.authentication === "back"
      })
      return refusal(ruling, payment, answerOf(given ?? resultCode, json), situation)
    }
    default:
      return Unknown({ reason: "the answer's result is none that is known", answer: answerOf(resultCode, json) })
  }
}

/**
 * A modification is acknowledged and no more; its outcome comes by notification, under the modification's own reference.
 * `of` is the payment as it was asked about: Adyen's reference of it, or ours where that one is not known.
 */
export const modificationOutcome = (
  modification: Modification,
  json: unknown,
  of: { readonly paymentPspReference: string } | { readonly paymentReference: string },
  now: DateTime.Utc
): Outcome => {
  const { amount, pspReference, reference, status } = modification
  const answer = answerOf(status, json)
  if (status !== "received") return Unknown({ reason: "the answer's status is none of a modification", answer })
  const isOther =
    "paymentPspReference" in of
      ? modification.paymentPspReference !== of.paymentPspReference
      : modification.paymentReference !== of.paymentReference
  if (isOther) return Unknown({ reason: "the answer is about another payment", answer })
  return Pending({
    answer,
    echo: echoOf({ reference, amount }),
    learnBy: "notification",
    until: DateTime.addDuration(now, pendingFor),
    providerReference: pspReference
  })
}
