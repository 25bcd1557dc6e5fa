import type { Operation, PaymentError } from "@sarraf/domain/payments/Operation"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as problems from "../api/problems.ts"
import type { Transactions } from "./transactionBody.ts"

/** Which problem a payment's or an operation's error is; the same codes, so that the compiler misses none. */
const problemOf = {
  INSUFFICIENT_FUNDS: problems.InsufficientFunds,
  CARD_DECLINED: problems.CardDeclined,
  INVALID_CARD: problems.InvalidCard,
  "3DS_FAILED": problems.ThreeDSFailed,
  PROVIDER_ERROR: problems.ProviderError,
  TIMEOUT: problems.Timeout
} as const satisfies Record<PaymentError["code"], unknown>

const unknownOutcome: PaymentError = {
  code: "TIMEOUT",
  detail: "The outcome is not known yet and will be settled: read the payment again, do not pay again."
}

const fail = (transactions: Transactions, { code, detail }: PaymentError, payment: Payment, operation?: Operation) => {
  const transaction = transactions.body(payment, operation)
  const { provider, pspResponseCode, transactionId } = transaction
  return Effect.fail(
    new problemOf[code]({
      detail,
      transactionId,
      transaction,
      ...(provider === null ? {} : { provider }),
      ...(pspResponseCode === null ? {} : { pspResponseCode })
    })
  )
}

/** The gateway's answers to what was begun (contract sections 1 and 2). */
export const makePaymentOutcomes = (transactions: Transactions) => {
  const succeed = (payment: Payment, status: 200 | 202, operation?: Operation) =>
    Effect.succeed(HttpServerResponse.jsonUnsafe(transactions.body(payment, operation), { status }))

  /** To an authorization: 200, 202 while PENDING, or the problem that it ended in. */
  const ofAuthorization = (payment: Payment) => {
    const status = statusOf(payment)
    if (payment.error !== null && (status === "DECLINED" || status === "FAILED" || status === "PENDING")) {
      return fail(transactions, payment.error, payment)
    }
    if (status !== "PENDING") return succeed(payment, 200)
    // Nobody has said anything yet: the process that began it was stopped before it could.
    return payment.attempts.at(-1)?.outcome === "RUNNING"
      ? fail(transactions, unknownOutcome, payment)
      : succeed(payment, 202)
  }

  /** To a capture, refund or void. */
  const ofOperation = (payment: Payment, operation: Operation) => {
    if (operation.error !== null && operation.status !== "SUCCEEDED") {
      return fail(transactions, operation.error, payment, operation)
    }
    return succeed(payment, operation.status === "PENDING" ? 202 : 200, operation)
  }

  return { ofAuthorization, ofOperation }
}
