import type {
  CardInvalid,
  NoProviderEligible,
  OperationRefused,
  OperationRunning,
  ReferenceTaken,
  RequestStillRunning
} from "@sarraf/domain/payments/PaymentErrors"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import * as problems from "../api/problems.ts"

const retryAfter = (seconds: number) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(seconds)))
  )

/** The one table from the domain's errors to problems. */
export const paymentProblems = {
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
    Effect.fail(new problems.InvalidState({ detail, transactionId })),
  OperationRunning: ({ transactionId }: OperationRunning) =>
    Effect.andThen(
      retryAfter(1),
      Effect.fail(
        new problems.OperationInProgress({
          transactionId,
          detail:
            "Something else is under way on this payment, or its outcome is not known yet. Read the payment, then try again."
        })
      )
    ),
  KeyTaken: () =>
    Effect.fail(
      new problems.IdempotencyConflict({
        detail: "This Idempotency-Key belongs to another request: use a new key for a new request."
      })
    ),
  RequestStillRunning: ({ transactionId }: RequestStillRunning) =>
    Effect.andThen(
      retryAfter(1),
      Effect.fail(
        new problems.IdempotencyInProgress({
          transactionId,
          detail: "The first request with this key is still at work. Repeat it after the time in Retry-After."
        })
      )
    ),
  ReferenceTaken: ({ reference, transactionId }: ReferenceTaken) =>
    Effect.fail(
      new problems.DuplicateReference({
        transactionId,
        detail: `The reference ${JSON.stringify(reference)} belongs to something else already. Use another one.`
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
