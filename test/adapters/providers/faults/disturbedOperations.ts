import type { Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Effect } from "effect"
import { repeatsRefunds } from "../../../../sim/Probe.ts"
import { authorize, authorized, captured, type Journey, operate, visitIssuer } from "./Journey.ts"

type Step = Effect.Effect<Payment, unknown>

/** A step of a payment that the network disturbs. */
export interface DisturbedOperation {
  readonly name: string
  readonly isOffered: (provider: PaymentProvider) => boolean
  /** What comes before, undisturbed. The step that it answers is counted and disturbed. */
  readonly prepare: (journey: Journey) => Effect.Effect<Step, unknown>
  /** What the buyer does after it, before the books are compared. */
  readonly goOn?: (journey: Journey, payment: Payment) => Step
  /** Whether the provider does it again where the request comes twice, so that nobody can tell. */
  readonly isRepeated?: (journey: Journey) => Effect.Effect<boolean, unknown>
}

const always = () => true
const has3DS = ({ threeDS }: PaymentProvider) => threeDS !== undefined

const part = 6_000n
const smallPart = 2_500n

export const authorizing: DisturbedOperation = {
  name: "authorization",
  isOffered: always,
  prepare: (journey) => Effect.succeed(authorize(journey))
}

const capturing = (minor?: bigint): DisturbedOperation["prepare"] =>
  Effect.fnUntraced(function* (journey) {
    const payment = yield* authorized(journey)
    return operate(journey, payment, { type: "CAPTURE", ...(minor === undefined ? {} : { minor }) })
  })

const refunding = (minor?: bigint): DisturbedOperation["prepare"] =>
  Effect.fnUntraced(function* (journey) {
    const payment = yield* captured(journey)
    return operate(journey, payment, { type: "REFUND", ...(minor === undefined ? {} : { minor }) })
  })

/** What a gateway does with a payment, each disturbed alone. */
export const operations: ReadonlyArray<DisturbedOperation> = [
  authorizing,
  { name: "capture of the whole", isOffered: always, prepare: capturing() },
  {
    name: "capture of a part",
    isOffered: ({ capabilities }) => capabilities.partialCapture !== "none",
    prepare: capturing(part)
  },
  { name: "refund of the whole", isOffered: always, prepare: refunding() },
  {
    name: "refund of a part",
    isOffered: ({ capabilities }) => capabilities.partialRefund,
    prepare: refunding(smallPart),
    isRepeated: Effect.fnUntraced(function* (journey) {
      return yield* repeatsRefunds(journey.gateway, yield* captured(journey), smallPart)
    })
  },
  {
    name: "void",
    isOffered: always,
    prepare: Effect.fnUntraced(function* (journey) {
      return operate(journey, yield* authorized(journey), { type: "VOID" })
    })
  },
  {
    name: "void of what a capture left",
    isOffered: ({ capabilities }) => capabilities.partialCapture === "multiple",
    prepare: Effect.fnUntraced(function* (journey) {
      const payment = yield* captured(journey, { minor: part, final: false })
      return operate(journey, payment, { type: "VOID" })
    })
  },
  {
    name: "start of 3-D Secure",
    isOffered: has3DS,
    prepare: (journey) => Effect.succeed(authorize(journey, true)),
    goOn: Effect.fnUntraced(function* (journey, payment) {
      if (statusOf(payment) !== "REQUIRES_ACTION") return payment
      return yield* journey.gateway.comeBack(payment.id, yield* visitIssuer(journey, payment), journey.wire)
    })
  },
  {
    name: "completion of 3-D Secure",
    isOffered: has3DS,
    prepare: Effect.fnUntraced(function* (journey) {
      const payment = yield* authorize(journey, true)
      const returned = yield* visitIssuer(journey, payment)
      return journey.gateway.comeBack(payment.id, returned, journey.wire)
    })
  }
]
