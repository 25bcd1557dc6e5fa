import { type Outcome, Refused, Unknown } from "@sarraf/domain/payments/Outcome"
import type { ThreeDS, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect } from "effect"
import { abandon, authorizationOf } from "./Authorization.ts"
import type { Connection } from "./Connection.ts"
import type { PaymentIntent } from "./Messages.ts"
import { authorizationOutcome } from "./Outcomes.ts"
import { expandCharge, present } from "./Query.ts"

/** Whether the return names another payment; it is not signed, and may leave the name out. */
const isGenuine = ({ authorization, returned }: ThreeDSReturn): boolean => {
  const { payment_intent } = returned
  const { providerReference } = authorization
  return payment_intent === undefined || providerReference === null || payment_intent === providerReference
}

/** Only where the authentication left the last step to the merchant (provider sheet, section 4, 3DS completion). */
const confirm = Effect.fnUntraced(function* (
  connection: Connection,
  { id }: PaymentIntent,
  { authorization: { reference }, requestId }: ThreeDSReturn
) {
  const path = `payment_intents/${encodeURIComponent(id)}/confirm`
  const reply = yield* connection.post(path, [expandCharge], `${reference}-confirm`, requestId)
  const outcome = authorizationOf(reply, yield* DateTime.now, true)
  return outcome._tag === "NotSent" ? Unknown({ reason: outcome.reason }) : outcome
})

/**
 * The payment as Stripe has it now decides, whatever the browser brought. One that can come to nothing more is cancelled,
 * since the buyer's browser knows its secret and could try another card on it.
 */
const complete = Effect.fnUntraced(function* (connection: Connection, call: ThreeDSReturn): Effect.fn.Return<Outcome> {
  const { authorization, requestId } = call
  const found = yield* present(connection, authorization)
  if (found._tag === "Absent") return Unknown({ reason: "the provider does not know the payment, or not yet" })
  if (found._tag === "Unanswered") return Unknown({ reason: found.reason })
  const { answer, intent } = found
  const outcome =
    intent.status === "requires_confirmation"
      ? yield* confirm(connection, intent, call)
      : authorizationOutcome(intent, answer, yield* DateTime.now, true)
  if (outcome._tag !== "Refused") return outcome
  if (intent.status === "requires_action") {
    return Unknown({ reason: "the provider waits for the buyer and does not say where", answer })
  }
  if (intent.status !== "canceled") yield* abandon(connection, intent.id, { ...authorization, requestId })
  return Refused({ ...outcome, mayTryAnother: false })
})

/** Stripe's own 3-D Secure: the buyer is redirected, and the payment is read again when they are back. */
export const threeDSOf = (connection: Connection): ThreeDS => ({
  isGenuine,
  complete: (call) => complete(connection, call)
})
