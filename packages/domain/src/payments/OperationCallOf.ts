import { Money } from "../money/Money.ts"
import type { Attempt } from "./Attempt.ts"
import type { Operation } from "./Operation.ts"
import type { Payment } from "./Payment.ts"
import type { Captured, OperationCall } from "./PaymentProvider.ts"
import { authorizationOf } from "./ProviderCalls.ts"

/** The captures that went through; what was refunded is counted against the oldest first. */
export const capturesOf = ({ operations, sums }: Payment): ReadonlyArray<Captured> => {
  let refunded = sums.refunded
  return operations
    .filter(({ status, type }) => type === "CAPTURE" && status === "SUCCEEDED")
    .map(({ id, minor, providerReference }) => {
      const refundedMinor = refunded < minor ? refunded : minor
      refunded -= refundedMinor
      return { operationId: id, providerReference, minor, refundedMinor }
    })
}

/** What a provider is told of an operation. */
export const operationCallOf = (
  payment: Payment,
  attempt: Attempt,
  operation: Operation,
  requestId: string
): OperationCall => ({
  authorization: authorizationOf(payment, attempt),
  operationId: operation.id,
  reference: operation.providerRequest,
  money: new Money({ currency: payment.money.currency, minor: operation.minor }),
  captures: capturesOf(payment),
  requestId
})
