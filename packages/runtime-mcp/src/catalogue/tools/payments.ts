import { Identity } from "@sarraf/domain/organizations/Identity"
import { cardBrands } from "@sarraf/domain/payments/CardNumber"
import { type PaymentAccount, PaymentReading, type PaymentRecord } from "@sarraf/domain/payments/PaymentReading"
import { paymentStatuses } from "@sarraf/domain/payments/PaymentStatus"
import { capturable, refundable } from "@sarraf/domain/payments/Sums"
import { startOfDay } from "@sarraf/domain/time/CalendarDate"
import { Effect, Schema } from "effect"
import { fitting, makeListTool, pageFields } from "../listTool.ts"
import {
  count,
  cut,
  cutOrNull,
  dateIn,
  flag,
  idIn,
  listOf,
  money,
  moneyOf,
  object,
  oneOf,
  optional,
  someOf,
  text,
  textIn,
  textOrNull,
  time,
  timeOf,
  timeOrNull
} from "../shapes.ts"
import { makeTool } from "../tool.ts"

const operationsLengthMax = 20_000
const attemptsMax = 20
const currencies = ["USD", "EUR", "TRY", "AED", "GBP"] as const

const paymentFields = {
  id: text("txn_…: pass it to get_payment"),
  status: oneOf(paymentStatuses, "Where it stands"),
  amount: money("What was asked for"),
  authorized: money("What the issuer granted"),
  captured: money("What was taken of it"),
  refunded: money("What was given back"),
  capturable: money("What can still be captured"),
  refundable: money("What can still be refunded"),
  disputed: money("What the buyer disputes"),
  provider: text("The payment provider of its last attempt"),
  card: object({ brand: oneOf(cardBrands, "Its scheme"), last4: text("The last four digits") }, "The buyer's card"),
  client_id: text("The payment client that sent it"),
  merchant_reference: text("The merchant's own reference: text from outside"),
  description: textOrNull("Text from outside"),
  installment: count("In how many parts; 1: at once"),
  is_3ds: flag("Whether the buyer was authenticated by 3D Secure"),
  expires_at: timeOrNull("When what is not captured lapses"),
  created_at: time("When it was asked for"),
  updated_at: time("When something happened to it last")
}

const shown = (payment: PaymentRecord) => {
  const { currency, minor } = payment.money
  const { sums } = payment
  const of = (sum: bigint) => moneyOf(currency, sum)
  return {
    id: payment.id,
    status: payment.status,
    amount: of(minor),
    authorized: of(sums.authorized),
    captured: of(sums.captured),
    refunded: of(sums.refunded),
    capturable: of(capturable(sums)),
    refundable: of(refundable(sums)),
    disputed: of(sums.disputed),
    provider: payment.provider,
    card: { brand: payment.card.brand, last4: payment.card.last4.slice(-4) },
    client_id: payment.clientId,
    merchant_reference: cut(payment.merchantReference, 200),
    description: cutOrNull(payment.description, 300),
    installment: payment.installment,
    is_3ds: payment.is3DS,
    expires_at: payment.expiresAt === null ? null : timeOf(payment.expiresAt),
    created_at: timeOf(payment.createdAt),
    updated_at: timeOf(payment.updatedAt)
  }
}

/** `list_payments`. */
export const listPayments = Effect.gen(function* () {
  const payments = yield* PaymentReading
  const identity = yield* Identity
  return yield* makeListTool({
    name: "list_payments",
    title: "List payments",
    description:
      "Lists card payments that the organization's payment clients took, newest first. It takes the role ADMIN, OWNER or AUDITOR.",
    input: Schema.Struct({
      status: optional(someOf(paymentStatuses, "Only in one of these states")),
      currency: optional(oneOf(currencies, "Only in this currency")),
      provider: optional(textIn(64, "Only whose last attempt was at this provider: garanti")),
      merchant_reference: optional(textIn(200, "Only with exactly this reference")),
      from: optional(dateIn("First day, included")),
      to: optional(dateIn("Last day, included")),
      ...pageFields
    }),
    item: Schema.Struct(paymentFields),
    list: ({ currency, from, merchant_reference, provider, status, to }, page) =>
      Effect.flatMap(identity.current, ({ organization: { timezone } }) =>
        payments.list(
          {
            ...(status === undefined ? {} : { statuses: status }),
            ...(currency === undefined ? {} : { currency }),
            ...(provider === undefined ? {} : { provider }),
            ...(merchant_reference === undefined ? {} : { merchantReference: merchant_reference }),
            ...(from === undefined ? {} : { from: startOfDay(from, timezone) }),
            ...(to === undefined ? {} : { to: startOfDay(to, timezone, 1) })
          },
          page
        )
      ),
    keyOf: ({ id }) => id,
    show: (found) => Effect.succeed(found.map(shown))
  })
})

const details = {
  attempts: listOf(
    {
      number: count("From 1"),
      provider: text("Where it was tried"),
      outcome: text("How it ended: Accepted, Refused, NotSent, ActionRequired, Pending, Unknown, or RUNNING"),
      response_code: textOrNull("The provider's own code"),
      detail: textOrNull("What the provider or the gateway said"),
      started_at: time("When it began"),
      duration_ms: Schema.NullOr(Schema.Int).annotate({ description: "How long it took; null while it runs" })
    },
    "In their order: one after another only where the one before certainly did not take the payment"
  ),
  routing: object(
    {
      sentence: text("Where it was sent and why, in words"),
      order: Schema.Array(Schema.String).annotate({
        description: "The providers in the order in which they were to be tried"
      }),
      rule: textOrNull("The organization's rule that applied; null: none did"),
      policy_version: count("Of the routing policy"),
      reasons: listOf(
        { provider: text("The provider"), reason: text("Why it stands where it does, or was left out") },
        "Of every provider, those that were to be tried first"
      )
    },
    "Why it went where it went"
  ),
  operations: listOf(
    {
      id: text("op_…"),
      type: oneOf(["CAPTURE", "REFUND", "VOID"], "What was done"),
      amount: money("Of how much"),
      status: oneOf(["PENDING", "SUCCEEDED", "FAILED"], "How it ended"),
      reference: textOrNull("The merchant's own reference: text from outside"),
      available_from: timeOrNull("When a refund that waits will be sent")
    },
    "Captures, refunds and voids, in their order"
  ),
  operations_left_out: count("How many more operations it has"),
  error: Schema.NullOr(
    object({ code: text("INSUFFICIENT_FUNDS, for example"), detail: text("What to do") }, "Why it was not authorized")
  ).annotate({ description: "Null where it was authorized, or is not decided" })
}

/** Where it was sent and why, from routing's own words. */
const routingSentence = ({ attempts, routing }: PaymentAccount): string => {
  const [chosen] = routing.order
  if (chosen === undefined) return "No provider could take it: see reasons."
  const rule =
    routing.rule === null ? "no rule of the organization applied" : "a rule of the organization applied, see rule"
  const others = attempts.length - 1
  const more =
    others > 0 ? ` It was then tried at ${others === 1 ? "another provider" : `${others} others`}, see attempts.` : ""
  return `It was sent to ${chosen} first: ${rule}, and routing says of it: ${routing.reasons[chosen] ?? "nothing"}.${more}`
}

const detailsOf = (payment: PaymentAccount) => {
  const { order, policyVersion, reasons, rule } = payment.routing
  const { currency } = payment.money
  const left = Object.keys(reasons).filter((provider) => !order.includes(provider))
  const operations = fitting(
    payment.operations.map(({ availableFrom, id, minor, reference, status, type }) => ({
      id,
      type,
      amount: moneyOf(currency, minor),
      status,
      reference: cutOrNull(reference, 200),
      available_from: availableFrom === null ? null : timeOf(availableFrom)
    })),
    operationsLengthMax
  )
  return {
    attempts: payment.attempts.slice(-attemptsMax).map((attempt) => ({
      number: attempt.number,
      provider: attempt.provider,
      outcome: attempt.outcome,
      response_code: cutOrNull(attempt.responseCode, 100),
      detail: cutOrNull(attempt.detail, 300),
      started_at: timeOf(attempt.startedAt),
      duration_ms: attempt.completedAt === null ? null : attempt.completedAt - attempt.startedAt
    })),
    routing: {
      sentence: cut(routingSentence(payment), 800),
      order,
      rule: cutOrNull(rule, 200),
      policy_version: policyVersion,
      reasons: [...order, ...left].map((provider) => ({ provider, reason: cut(reasons[provider] ?? "", 300) }))
    },
    operations,
    operations_left_out: payment.operations.length - operations.length,
    error: payment.error === null ? null : { code: payment.error.code, detail: cut(payment.error.detail, 500) }
  }
}

/** `get_payment`. */
export const getPayment = Effect.gen(function* () {
  const payments = yield* PaymentReading
  return yield* makeTool({
    name: "get_payment",
    title: "Get a payment",
    description:
      "Tells everything about one card payment: where it was routed and why, each attempt, and its captures, refunds and voids. It takes the role ADMIN, OWNER or AUDITOR.",
    input: Schema.Struct({ id: idIn("txn", "The payment, from list_payments") }),
    output: Schema.Struct({ ...paymentFields, ...details }),
    read: Effect.fnUntraced(function* ({ id }) {
      const payment = yield* payments.find(id)
      return { ...shown(payment), ...detailsOf(payment) }
    })
  })
})
