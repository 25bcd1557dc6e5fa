import { toDecimal } from "@sarraf/domain/money/Money"
import { ownerOf } from "@sarraf/domain/payments/ChallengeStep"
import type { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import type { Operation } from "@sarraf/domain/payments/Operation"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { capturable, refundable } from "@sarraf/domain/payments/Sums"
import { Struct } from "effect"
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
  const hasAnswered = attempt !== undefined && attempt.completedAt !== null && attempt.outcome !== "NotSent"
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

type Tokens = ChallengeTokens["Service"]

/** Where the buyer has to go, while the payment waits for that. */
const nextAction = (tokens: Tokens, payment: Payment): Pick<TransactionBody, "nextAction"> =>
  statusOf(payment) === "REQUIRES_ACTION"
    ? { nextAction: { type: "redirect", url: tokens.urlOf(ownerOf(payment)) } }
    : {}

/** The body of every gateway answer; `operation` is the one that the request began. */
const transactionBody = (tokens: Tokens, payment: Payment, operation?: Operation): TransactionBody => ({
  ...commonFields(payment),
  ...nextAction(tokens, payment),
  ...(operation === undefined
    ? {}
    : {
        operation: operationBody(payment.money.currency, operation),
        pspResponseCode: operation.responseCode ?? lastAttempt(payment)?.responseCode ?? null
      }),
  metadata: payment.metadata
})

/** What retrieval answers (specification 4.1: status, provider response, metadata). */
const transactionDetailsBody = (tokens: Tokens, payment: Payment): typeof TransactionDetails.Type => ({
  ...commonFields(payment),
  ...nextAction(tokens, payment),
  operations: payment.operations.map((operation) => operationBody(payment.money.currency, operation)),
  providerResponse: lastAttempt(payment)?.fields ?? {},
  metadata: {
    ...payment.metadata,
    attempts: payment.attempts.map(
      ({ completedAt, detail, number, outcome, provider, reference, responseCode, standIns, startedAt }) => ({
        number,
        provider,
        reference,
        outcome,
        responseCode,
        detail,
        durationMs: completedAt === null ? null : completedAt - startedAt,
        ...(standIns === undefined ? {} : { standIns })
      })
    ),
    // Without `decidedBy`: cost and rates are the operator's (contract section 4).
    routing: Struct.pick(payment.routing, ["order", "rule", "policyVersion", "reasons"])
  }
})

/** The bodies of the gateway's answers; `tokens` make the address of a buyer's page. */
export const makeTransactions = (tokens: Tokens) => ({
  body: (payment: Payment, operation?: Operation) => transactionBody(tokens, payment, operation),
  detailsBody: (payment: Payment) => transactionDetailsBody(tokens, payment)
})

export type Transactions = ReturnType<typeof makeTransactions>
