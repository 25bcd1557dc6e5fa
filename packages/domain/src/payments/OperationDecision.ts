import { Result } from "effect"
import { toDecimal } from "../money/Money.ts"
import type { Capabilities } from "../routing/Capabilities.ts"
import type { OperationType } from "./Operation.ts"
import type { Payment } from "./Payment.ts"
import { OperationRefused, ReferenceTaken } from "./PaymentErrors.ts"
import { allowedOperations, isBeingGivenBack, statusOf } from "./PaymentStatus.ts"
import { capturable, refundable } from "./Sums.ts"

/** What a caller asks to be done with a payment. */
export interface OperationRequest {
  readonly type: OperationType
  /** Minor units; absent: all that is left. A void always releases all. */
  readonly minor?: bigint
  /** CAPTURE: nothing more will be captured. */
  readonly final?: boolean
  /** The caller's own, unique per payment. */
  readonly reference?: string
}

export interface OperationDecision {
  readonly minor: bigint
  readonly final: boolean
}

const verb = { CAPTURE: "captured", REFUND: "refunded", VOID: "voided" } as const

const refuse = (payment: Payment, type: OperationType, available: bigint, because: string) => {
  const status = statusOf(payment)
  const allowed = allowedOperations(payment)
  const amount = `${toDecimal(payment.money.currency, available)} ${payment.money.currency}`
  const next = allowed.length === 0 ? "nothing more" : allowed.join(", ").toLowerCase()
  const detail = `${because} The payment is ${status} and allows ${next}; ${amount} can be ${verb[type]}.`
  return Result.fail(new OperationRefused({ transactionId: payment.id, status, allowed, available: amount, detail }))
}

const decideCapture = (payment: Payment, asked: OperationRequest, capabilities: Capabilities) => {
  const available = capturable(payment.sums)
  if (available === 0n) return refuse(payment, "CAPTURE", available, "There is nothing left to capture.")
  if (isBeingGivenBack(payment)) {
    return refuse(payment, "CAPTURE", 0n, "The authorization has expired and is being given back.")
  }
  if (capabilities.captureAfterRefund === false && payment.sums.refunded + payment.sums.refundPending > 0n) {
    return refuse(payment, "CAPTURE", available, "This provider captures nothing more once something was refunded.")
  }
  const minor = asked.minor ?? available
  if (minor > available) return refuse(payment, "CAPTURE", available, "That is more than is left of the authorization.")
  if (minor < available && capabilities.partialCapture === "none") {
    return refuse(payment, "CAPTURE", available, "This provider captures the whole amount only.")
  }
  return Result.succeed({
    minor,
    final: asked.final === true || capabilities.partialCapture !== "multiple" || minor === available
  })
}

const decideRefund = (payment: Payment, asked: OperationRequest, capabilities: Capabilities) => {
  const available = refundable(payment.sums)
  if (available === 0n) return refuse(payment, "REFUND", available, "There is nothing left to refund.")
  const minor = asked.minor ?? available
  if (minor > available) return refuse(payment, "REFUND", available, "That is more than is left of what was captured.")
  if (minor < available && !capabilities.partialRefund) {
    return refuse(payment, "REFUND", available, "This provider refunds the whole amount only.")
  }
  return Result.succeed({ minor, final: false })
}

const decideVoid = (payment: Payment) => {
  const isOpen = payment.authorization === "PENDING" || payment.authorization === "REQUIRES_ACTION"
  const available = isOpen ? payment.money.minor : capturable(payment.sums)
  return available === 0n
    ? refuse(payment, "VOID", available, "There is nothing left to void.")
    : Result.succeed({ minor: available, final: true })
}

/** Whether an operation may be begun, and with which amount (contract section 4: permission comes from the sums). */
export const decide = (
  payment: Payment,
  asked: OperationRequest,
  capabilities: Capabilities
): Result.Result<OperationDecision, OperationRefused | ReferenceTaken> => {
  if (asked.reference !== undefined && payment.operations.some(({ reference }) => reference === asked.reference)) {
    return Result.fail(new ReferenceTaken({ transactionId: payment.id, reference: asked.reference }))
  }
  if (asked.type === "CAPTURE") return decideCapture(payment, asked, capabilities)
  return asked.type === "REFUND" ? decideRefund(payment, asked, capabilities) : decideVoid(payment)
}
