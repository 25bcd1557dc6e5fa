import { toDecimal } from "@sarraf/domain/money/Money"
import type { Operation } from "@sarraf/domain/payments/Operation"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { capturable, refundable } from "@sarraf/domain/payments/Sums"
import type { OperationBody, Transaction, TransactionDetails } from "../api/transaction.ts"

type TransactionBody = typeof Transaction.Type
type Currency = TransactionBody["currency"]

const time = (millis: number): string => new Date(millis).toISOString()

/** Exact: at most ten digits, so that the double's shortest text is the amount's own. */
const amount = (currency: string, minor: bigint): number => Number(toDecimal(currency, minor))

export const operationBody = (currency: string, operation: Operation): typeof OperationBody.Type => ({
  operationId: operation.id,
  type: operation.type,
  amount: amount(currency, operation.minor),
  status: operation.status,
  ...(operation.reference === null ? {} : { reference: operation.reference }),
  ...(operation.availableFrom === null ? {} : { availableFrom: time(operation.availableFrom) }),
  ...(operation.error === null ? {} : { error: operation.error }),
  createdAt: time(operation.createdAt),
  ...(operation.completedAt === null ? {} : { completedAt: time(operation.completedAt) })
})

const commonFields = (payment: Payment) => {
  const { currency, minor } = payment.money
  const { sums } = payment
  const attempt = lastAttempt(payment)
  const ofSum = (sum: bigint) => amount(currency, sum)
  const hasAnswered = attempt !== undefined && attempt.outcome !== "RUNNING" && attempt.outcome !== "NotSent"
  return {
    transactionId: payment.id,
    status: statusOf(payment),
    amount: ofSum(minor),
    currency: currency as Currency,
    provider: hasAnswered ? attempt.provider : null,
    pspResponseCode: attempt?.responseCode ?? null,
    merchantReference: payment.merchantReference,
    authorizedAmount: ofSum(sums.authorized),
    capturedAmount: ofSum(sums.captured),
    refundedAmount: ofSum(sums.refunded),
    capturableAmount: ofSum(capturable(sums)),
    releasedAmount: ofSum(sums.released),
    refundableAmount: ofSum(refundable(sums)),
    pendingAmount: ofSum(sums.capturePending + sums.refundPending),
    disputedAmount: ofSum(sums.disputed),
    installment: payment.installment,
    is3DS: payment.is3DS,
    livemode: payment.livemode,
    card: payment.card,
    ...(payment.description === null ? {} : { description: payment.description }),
    ...(payment.expiresAt === null ? {} : { expiresAt: time(payment.expiresAt) }),
    createdAt: time(payment.createdAt),
    updatedAt: time(payment.updatedAt),
    ...(payment.error === null ? {} : { error: payment.error })
  }
}

/** The body of every gateway answer; `operation` is the one that the request began. */
export const transactionBody = (payment: Payment, operation?: Operation): TransactionBody => ({
  ...commonFields(payment),
  ...(operation === undefined
    ? {}
    : {
        operation: operationBody(payment.money.currency, operation),
        pspResponseCode: operation.responseCode ?? lastAttempt(payment)?.responseCode ?? null
      }),
  metadata: payment.metadata
})

/** What retrieval answers (specification 4.1: status, provider response, metadata). */
export const transactionDetailsBody = (payment: Payment): typeof TransactionDetails.Type => ({
  ...commonFields(payment),
  operations: payment.operations.map((operation) => operationBody(payment.money.currency, operation)),
  providerResponse: lastAttempt(payment)?.fields ?? {},
  metadata: {
    ...payment.metadata,
    attempts: payment.attempts.map(
      ({ completedAt, detail, number, outcome, provider, reference, responseCode, startedAt }) => ({
        number,
        provider,
        reference,
        outcome,
        responseCode,
        detail,
        durationMs: completedAt === null ? null : completedAt - startedAt
      })
    ),
    routing: payment.routing
  }
})
