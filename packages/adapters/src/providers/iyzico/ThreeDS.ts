import { toDecimal } from "@sarraf/domain/money/Money"
import { ActionRequired, type Outcome, Refused, Unknown } from "@sarraf/domain/payments/Outcome"
import type { ThreeDS, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect } from "effect"
import { authenticationFailed } from "../Ruling.ts"
import type { Connection, Reply } from "./Connection.ts"
import type { IyzicoCredentials } from "./Credentials.ts"
import { type Asked, answerOf, authorizationOutcome, declinedOutcome, echoOf } from "./Outcomes.ts"
import { askDetail, stateOf } from "./Query.ts"
import { isSignature, paymentTexts, returnText } from "./Signature.ts"
import { stepOfAddress, stepOfContent } from "./ThreeDSPage.ts"

/** The answer to a start of 3-D Secure: the buyer's next step, or what any authorization's refusal means. */
export const initializeOutcome = (reply: Reply, asked: Asked, now: DateTime.Utc): Outcome => {
  if (reply._tag !== "Answered") return authorizationOutcome(reply, asked, now)
  const { answer } = reply
  const { paymentId, threeDSHtmlContent, threeDsRedirectionUrl } = answer
  const step = stepOfContent(threeDSHtmlContent ?? "") ?? stepOfAddress(threeDsRedirectionUrl ?? "")
  return step === undefined
    ? Unknown({ reason: "the answer has no page to which the buyer could be sent", answer: answerOf(answer) })
    : ActionRequired({
        step,
        answer: answerOf(answer),
        echo: echoOf(answer, asked.reference),
        ...(paymentId ? { providerReference: paymentId } : {})
      })
}

/** Signed by iyzico, and about this payment: it repeats our reference, and its own identifier where that is known. */
const isGenuine = (
  { secretKey }: IyzicoCredentials,
  { authorization, returned }: Pick<ThreeDSReturn, "authorization" | "returned">
): boolean => {
  const { conversationId, paymentId, signature } = returned
  if (!signature || !paymentId || conversationId !== authorization.reference) return false
  const { providerReference } = authorization
  if (providerReference !== null && paymentId !== providerReference) return false
  return isSignature(secretKey, returnText(returned), signature)
}

/** The signed word of the return: only 1 and success go on to the completion (provider sheet, section 4). */
const hasPassed = ({ mdStatus, status }: ThreeDSReturn["returned"]): boolean => status === "success" && mdStatus === "1"

const failed = ({ authorization, returned }: ThreeDSReturn): Outcome => {
  const { mdStatus = "", paymentId = "", status = "" } = returned
  const { code, detail } = authenticationFailed
  const responseCode = /^-?\d{1,2}$/u.test(mdStatus) ? mdStatus : null
  const isFailure = status === "failure" || status === "success"
  const fields = {
    ...(isFailure ? { status } : {}),
    ...(responseCode === null ? {} : { mdStatus: responseCode }),
    paymentId
  }
  const echo = { reference: authorization.reference }
  const answer = { responseCode, fields }
  return Refused({ code, detail, answer, mayTryAnother: false, echo, providerReference: paymentId })
}

/**
 * Money moves in this step alone. Whether it was taken before is asked first, since a completion may not be repeated
 * blindly (provider sheet, section 6); where that has no answer, nothing is certain.
 */
const complete = Effect.fnUntraced(function* (connection: Connection, call: ThreeDSReturn): Effect.fn.Return<Outcome> {
  if (!hasPassed(call.returned)) return failed(call)
  const { money, reference } = call.authorization
  const { paymentId = "" } = call.returned
  const asked: Asked = { reference, mayTryAnother: false }
  const detail = yield* askDetail(connection, { providerReference: paymentId, reference })
  if (detail._tag !== "Answered") return Unknown({ reason: "the provider does not say how the payment stands" })
  const state = stateOf(detail.answer)
  const isAbout = detail.answer.paymentId === paymentId
  if (state === undefined || !isAbout) return Unknown({ reason: "the answer is no detail of this payment" })
  if (state.stage === "DECLINED") return declinedOutcome(detail.answer, state.ruling, asked)
  if (state.stage !== "ACTION_REQUIRED") return authorizationOutcome(detail, asked, yield* DateTime.now)
  const content = {
    locale: "en",
    conversationId: reference,
    paymentId,
    paidPrice: toDecimal(money.currency, money.minor),
    basketId: reference,
    currency: money.currency
  }
  const reply = yield* connection.post("/payment/v2/3dsecure/auth", content, paymentTexts)
  return authorizationOutcome(reply, asked, yield* DateTime.now)
})

export const threeDSOf = (credentials: IyzicoCredentials, connection: Connection): ThreeDS => ({
  authorizesOnCompletion: true,
  isGenuine: (call) => isGenuine(credentials, call),
  complete: (call) =>
    isGenuine(credentials, call)
      ? complete(connection, call)
      : Effect.succeed(Unknown({ reason: "the return is not the provider's" }))
})
