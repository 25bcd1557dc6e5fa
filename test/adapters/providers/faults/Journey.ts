import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import type { OperationRequest } from "@sarraf/domain/payments/OperationDecision"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { capturable, refundable } from "@sarraf/domain/payments/Sums"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isSettled } from "../../../../sim/Books.ts"
import { browse } from "../../../../sim/browse.ts"
import { pagesUrlOf } from "../../../../sim/Providers.ts"
import type { FaultyGateway } from "./FaultyGateway.ts"
import { makeWire, type Wire } from "./Wire.ts"

/** One payment from its beginning on. */
export interface Journey {
  readonly gateway: FaultyGateway
  readonly currency: PaymentCurrency
  readonly wire: Wire
  /** Names payment and keys; no other journey has it. */
  readonly name: string
}

const amount = 10_000n

export const begin = (gateway: FaultyGateway, currency: PaymentCurrency, name: string): Journey => ({
  gateway,
  currency,
  name,
  wire: makeWire()
})

const challengeCard = "4000 0000 0000 3220"

/** Authorizes, with the same key and content each time. */
export const authorize = ({ currency, gateway, name, wire }: Journey, is3DS = false) =>
  Effect.map(
    gateway.authorize(
      {
        merchantReference: name,
        currency,
        minor: amount,
        isHolderNamed: true,
        is3DS,
        returnUrl: is3DS ? "https://shop.test/thanks" : null,
        card: {
          cardNumber: is3DS ? challengeCard : "4111 1111 1111 1111",
          cardExpMonth: "12",
          cardExpYear: "2050",
          cardCvc: "123",
          holderName: "Ayşe Yılmaz"
        },
        buyer: {
          firstName: "Ayşe",
          lastName: "Yılmaz",
          email: "ayse@example.com",
          ip: "203.0.113.7",
          phone: "+905321234567"
        },
        billingAddress: {
          address: "İstiklal Cd. 1",
          city: "İstanbul",
          country: "TR",
          postalCode: "34000",
          state: "İstanbul"
        }
      },
      `${name} authorize`,
      wire
    ),
    ({ payment }) => payment
  )

/** Each operation of a payment under a key of its own. */
export const operate = ({ gateway, name, wire }: Journey, payment: Payment, asked: OperationRequest) =>
  Effect.map(
    gateway.operate(payment.id, asked, `${name} ${asked.type} ${payment.operations.length}`, wire),
    (answer) => answer.payment
  )

/** The payment once nothing of it is open, or as it stands when the time is over. */
export const settled = Effect.fnUntraced(function* ({ gateway }: Journey, { id }: Payment, millis: number) {
  let left = millis
  for (;;) {
    const payment = yield* gateway.stored(id)
    if (isSettled(payment) || left <= 0) return payment
    yield* Effect.sleep(1_000)
    left -= 1_000
  }
})

/** Milliseconds in which what nothing disturbs has come to its end, a notification included. */
const healthyMillis = 20_000

/** An operation that nothing disturbs and that has to succeed. */
const succeed = Effect.fnUntraced(function* (journey: Journey, payment: Payment, asked: OperationRequest) {
  const after = yield* settled(journey, yield* operate(journey, payment, asked), healthyMillis)
  const done = after.operations.at(-1)
  return done?.type === asked.type && done.status === "SUCCEEDED"
    ? after
    : yield* Effect.die(new Error(`an undisturbed ${asked.type} ended ${done?.status}: ${done?.error?.detail}`))
})

export const authorized = Effect.fnUntraced(function* (journey: Journey) {
  const payment = yield* settled(journey, yield* authorize(journey), healthyMillis)
  return statusOf(payment) === "AUTHORIZED"
    ? payment
    : yield* Effect.die(new Error(`an undisturbed authorization ended ${statusOf(payment)}`))
})

export const captured = (journey: Journey, how: Pick<OperationRequest, "final" | "minor"> = {}) =>
  Effect.flatMap(authorized(journey), (payment) => succeed(journey, payment, { type: "CAPTURE", ...how }))

/** What the buyer brings back from the issuer, with the right code. */
export const visitIssuer = Effect.fnUntraced(function* ({ gateway }: Journey, payment: Payment) {
  const { id } = payment
  const provider = lastAttempt(payment)?.provider ?? ""
  const simulator = gateway.simulators.get(provider)
  const step = yield* gateway.proceed(id)
  if (step === undefined || simulator === undefined) return yield* Effect.die(new Error("the buyer was not sent on"))
  const { returned } = yield* browse(simulator, step, "right", {
    pagesUrl: pagesUrlOf(provider),
    returnUrl: gateway.returnUrlOf(id)
  })
  return returned
})

/** Captures what is left and refunds all of it, undisturbed: what was kept of the payment is enough for that. */
export const takeToItsEnd = Effect.fnUntraced(function* (journey: Journey, before: Payment) {
  let payment = before
  if (capturable(payment.sums) > 0n) payment = yield* succeed(journey, payment, { type: "CAPTURE", final: true })
  if (refundable(payment.sums) > 0n) payment = yield* succeed(journey, payment, { type: "REFUND" })
  return payment
})

/** Lets the test's clock run, second by second, until the work is done. */
export const whileTimeRuns = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  let isDone = false
  const fiber = yield* Effect.forkChild(
    Effect.ensuring(
      work,
      Effect.sync(() => (isDone = true))
    )
  )
  while (!isDone) yield* TestClock.adjust("1 second")
  return yield* Fiber.join(fiber)
})
