import { NotSent, type Outcome, Unknown } from "@sarraf/domain/payments/Outcome"
import type { OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Option } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import { refusedUnasked } from "../Ruling.ts"
import type { Connection } from "./Connection.ts"
import { decodePayment, encodeAmount, notedIds, type Payment, type PaymentIds } from "./Messages.ts"
import { cancelOutcome, errorOutcome, isAbout, movementOutcome } from "./Outcomes.ts"

/** A follow-up of a payment, answered by the payment as it is after it. */
interface FollowUp {
  readonly method: "POST" | "PUT"
  /** Under the payment's own address: `captures`. */
  readonly step: string
  readonly body?: Uint8Array
  readonly read: (payment: Payment, json: unknown) => Outcome
}

/** Sends a follow-up and reads its answer, which has to be about the same payment. */
export const operate = Effect.fnUntraced(function* (
  connection: Connection,
  ids: PaymentIds,
  { body, method, read, step }: FollowUp
): Effect.fn.Return<Outcome> {
  const path = `${connection.paymentPath(ids)}/${step}`
  const reply = yield* connection.ask({ method, path, ...(body === undefined ? {} : { body }) })
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Failed") return errorOutcome(reply, true)
  const payment = decodePayment(reply.json)
  if (Option.isNone(payment)) return Unknown({ reason: "the answer is no payment" })
  return isAbout(payment.value, ids)
    ? read(payment.value, reply.json)
    : Unknown({ reason: "the answer is about another payment" })
})

const withOrder = (
  { authorization }: OperationCall,
  perform: (ids: PaymentIds) => Effect.Effect<Outcome>
): Effect.Effect<Outcome> => {
  const ids = notedIds(authorization)
  return ids === undefined
    ? Effect.succeed(NotSent({ reason: "the order of this payment was not noted" }))
    : perform(ids)
}

const captureOutcome = movementOutcome("cnp:capture")

/** A capture of the whole or a part; more may follow until the authorization is used up. */
export const capture = (connection: Connection, call: OperationCall): Effect.Effect<Outcome> =>
  withOrder(call, (ids) => {
    const body = encodeAmount(call.money.currency, call.money.minor)
    const isEarlier = (captureId: string) =>
      captureId !== ids.paymentId && call.captures.some(({ providerReference }) => providerReference === captureId)
    const read = (payment: Payment, json: unknown): Outcome => {
      const outcome = captureOutcome(payment, json)
      return outcome._tag === "Accepted" && isEarlier(outcome.providerReference)
        ? Unknown({ reason: "the answer shows an earlier capture as the last", answer: outcome.answer })
        : outcome
    }
    return operate(connection, ids, { method: "POST", step: "captures", body, read })
  })

const wouldTakeBack = refusedUnasked("Of this payment something is captured, which a cancellation could take back.")

/**
 * Releases the whole authorization. Since a cancellation also takes payments back (provider sheet, section 1), and what it
 * does to one that is captured in part is in no source, it is not sent once there is a capture: the rest lapses.
 */
export const cancel = (connection: Connection, call: OperationCall): Effect.Effect<Outcome> =>
  call.captures.length > 0
    ? Effect.succeed(wouldTakeBack)
    : withOrder(call, (ids) => operate(connection, ids, { method: "PUT", step: "cancel", read: cancelOutcome }))
