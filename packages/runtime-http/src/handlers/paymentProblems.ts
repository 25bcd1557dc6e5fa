import type {
  CardInvalid,
  NoProviderEligible,
  OperationRefused,
  OperationRunning,
  ReferenceTaken,
  RequestStillRunning
} from "@sarraf/domain/payments/PaymentErrors"
import type { Payments } from "@sarraf/domain/payments/Payments"
import { Effect } from "effect"
import * as problems from "../api/problems.ts"
import { withHeader } from "../http/AnswerHeaders.ts"
import type { Transactions } from "./transactionBody.ts"

const retryAfter = (seconds: number) => withHeader("retry-after", String(seconds))

/** The one table from the domain's errors to problems. Where a payment exists it is told with the problem. */
export const makePaymentProblems = (payments: Payments["Service"], transactions: Transactions) => {
  /** The payment as it is now; left out when it cannot be read, for the refusal stands without it. */
  const ofPayment = (transactionId: string) =>
    payments.get(transactionId).pipe(
      Effect.map((payment) => ({ transactionId, transaction: transactions.body(payment) })),
      Effect.catch(() => Effect.succeed({ transactionId }))
    )

  return {
    CardInvalid: ({ detail }: CardInvalid) => Effect.fail(new problems.InvalidCard({ detail })),
    NoProviderEligible: ({ reasons }: NoProviderEligible) => {
      const whys = Object.entries(reasons).map(([provider, reason]) => `${provider} ${reason}`)
      const detail =
        whys.length === 0 ? "No provider is configured." : `No provider can take this payment: ${whys.join("; ")}.`
      return Effect.fail(new problems.ProviderError({ detail }))
    },
    InstallmentsUnavailable: () =>
      Effect.fail(
        new problems.InvalidRequest({
          detail: "Correct the fields in errors and send the request again.",
          errors: [
            { path: "installment", message: "no provider has this number of installments for this card and currency" }
          ]
        })
      ),
    OperationRefused: ({ detail, transactionId }: OperationRefused) =>
      Effect.flatMap(ofPayment(transactionId), (known) => Effect.fail(new problems.InvalidState({ detail, ...known }))),
    OperationRunning: ({ transactionId }: OperationRunning) =>
      Effect.gen(function* () {
        yield* retryAfter(1)
        const detail =
          "Something else is under way on this payment, or its outcome is not known yet. Read the payment, then try again."
        return yield* new problems.OperationInProgress({ detail, ...(yield* ofPayment(transactionId)) })
      }),
    RequestStillRunning: ({ transactionId }: RequestStillRunning) =>
      Effect.gen(function* () {
        yield* retryAfter(1)
        const detail = "The first request with this key is still at work. Repeat it after the time in Retry-After."
        return yield* new problems.IdempotencyInProgress({ detail, ...(yield* ofPayment(transactionId)) })
      }),
    ReferenceTaken: ({ reference, transactionId }: ReferenceTaken) =>
      Effect.flatMap(ofPayment(transactionId), (known) => {
        const detail = `The reference ${JSON.stringify(reference)} belongs to something else already. Use another one.`
        return Effect.fail(new problems.DuplicateReference({ detail, ...known }))
      }),
    KeyTaken: () =>
      Effect.fail(
        new problems.IdempotencyConflict({
          detail: "This Idempotency-Key belongs to another request: use a new key for a new request."
        })
      ),
    PaymentNotFound: () =>
      Effect.fail(
        new problems.NotFound({ detail: "There is no such payment for this client. Check the id and x-client-id." })
      ),
    Unavailable: () =>
      Effect.andThen(
        retryAfter(1),
        Effect.fail(
          new problems.ServiceUnavailable({
            detail: "Nothing was sent anywhere. Repeat the request with the same Idempotency-Key."
          })
        )
      )
  }
}
