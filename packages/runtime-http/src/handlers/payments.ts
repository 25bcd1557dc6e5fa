import { typeId } from "@sarraf/domain/identifiers/TypeId"
import { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { fromDecimal } from "@sarraf/domain/money/Money"
import { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import type { OperationRequest } from "@sarraf/domain/payments/OperationDecision"
import { PaymentNotFound as PaymentNotFoundError } from "@sarraf/domain/payments/PaymentStore"
import { Payments } from "@sarraf/domain/payments/Payments"
import type { AuthorizationRequest } from "@sarraf/domain/payments/PrepareAuthorization"
import { Effect, Result, Schema, Struct } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { present } from "../api/conventions.ts"
import { countryCode } from "../api/country.ts"
import { SignedRequestContext } from "../api/middleware.ts"
import type { AuthorizeRequest, CaptureRequest, RefundRequest, VoidRequest } from "../api/paymentRequests.ts"
import { GatewayMode } from "../auth/GatewayMode.ts"
import { withHeader } from "../http/AnswerHeaders.ts"
import { invalid } from "./conventions.ts"
import { makePaymentOutcomes } from "./paymentOutcome.ts"
import { makePaymentProblems } from "./paymentProblems.ts"
import { makeTransactions, type Transactions } from "./transactionBody.ts"

/** The schema has checked the decimals, so the double's shortest text is the amount that was sent. */
const minorOf = (amount: number): bigint => Result.getOrThrow(fromDecimal("EUR", String(amount))).minor

const authorizationRequest = (body: typeof AuthorizeRequest.Type): AuthorizationRequest => {
  const { billingAddress, buyer } = body
  return {
    currency: body.currency,
    minor: minorOf(body.amount),
    merchantReference: body.merchantReference,
    card: {
      cardNumber: body.cardNumber,
      cardExpMonth: body.cardExpMonth,
      cardExpYear: body.cardExpYear,
      cardCvc: body.cardCvc,
      holderName: body.cardHolderName ?? `${buyer.firstName} ${buyer.lastName}`
    },
    isHolderNamed: body.cardHolderName != null,
    installment: body.installment ?? 1,
    is3DS: body.is3DS ?? false,
    returnUrl: body.returnUrl ?? null,
    buyer: {
      firstName: buyer.firstName,
      lastName: buyer.lastName,
      email: buyer.email,
      ...present({ ip: buyer.ip, phone: buyer.phone })
    },
    billingAddress: {
      address: billingAddress.address,
      city: billingAddress.city,
      country: countryCode(billingAddress.country) ?? billingAddress.country,
      ...present({ postalCode: billingAddress.postalCode, state: billingAddress.state })
    },
    description: body.description ?? null,
    metadata: body.metadata ?? {}
  }
}

type OperationBody = typeof CaptureRequest.Type | typeof RefundRequest.Type | typeof VoidRequest.Type | null

/** The fields of an operation's body in our terms; an absent body is an empty one. */
const operationRequest = (type: OperationRequest["type"], body: OperationBody): OperationRequest => ({
  type,
  ...(body !== null && "amount" in body && body.amount != null ? { minor: minorOf(body.amount) } : {}),
  ...(body !== null && "finalCapture" in body && body.finalCapture === true ? { final: true } : {}),
  ...(body?.reference == null ? {} : { reference: body.reference })
})

const markReplayed = withHeader("idempotent-replayed", "true")

const isPaymentId = Schema.is(typeId("txn"))

/** What the gateway's endpoints have in common: the use cases, and the problems that their errors are. */
const makeOperations = (payments: Payments["Service"], transactions: Transactions, livemode: boolean) => {
  const outcomes = makePaymentOutcomes(transactions)
  const { CardInvalid, InstallmentsUnavailable, NoProviderEligible, OperationRefused, PaymentNotFound, ...shared } =
    makePaymentProblems(payments, transactions)

  const authorize = Effect.fnUntraced(
    function* (body: typeof AuthorizeRequest.Type) {
      if (livemode && body.is3DS === true && body.returnUrl?.startsWith("https:") === false) {
        return yield* invalid({ path: "returnUrl", message: "must be an https address in live mode" })
      }
      const answer = yield* payments.authorize(authorizationRequest(body), yield* SignedRequestContext)
      if (answer.replayed) yield* markReplayed
      return yield* outcomes.ofAuthorization(answer.payment)
    },
    Effect.catchTags({ ...shared, CardInvalid, InstallmentsUnavailable, NoProviderEligible })
  )

  const operate = Effect.fnUntraced(
    function* (id: string, type: OperationRequest["type"], body: OperationBody) {
      if (!isPaymentId(id)) return yield* new PaymentNotFoundError({ id })
      if (body?.transactionId != null && body.transactionId !== id) {
        return yield* invalid({ path: "transactionId", message: "must be the identifier in the path, or absent" })
      }
      const answer = yield* payments.operate(id, operationRequest(type, body), yield* SignedRequestContext)
      if (answer.replayed) yield* markReplayed
      return yield* outcomes.ofOperation(answer.payment, answer.operation)
    },
    Effect.catchTags({ ...shared, OperationRefused, PaymentNotFound })
  )

  const get = Effect.fnUntraced(
    function* (id: string, waitSeconds: number) {
      if (!isPaymentId(id)) return yield* new PaymentNotFoundError({ id })
      return HttpServerResponse.jsonUnsafe(transactions.detailsBody(yield* payments.get(id, waitSeconds * 1_000)))
    },
    Effect.catchTags({ PaymentNotFound, Unavailable: shared.Unavailable })
  )

  return { authorize, operate, get, unavailable: shared.Unavailable }
}

const pageSize = 25
const cursorPrefix = "after:"

const cursorFor = (id: string) => Buffer.from(cursorPrefix + id).toString("base64url")

/** The id that a page begins after, or undefined for what is no cursor of ours. */
const readCursor = (cursor: string): string | undefined => {
  const text = Buffer.from(cursor, "base64url").toString("latin1")
  return text.startsWith(`${cursorPrefix}txn_`) && cursorFor(text.slice(cursorPrefix.length)) === cursor
    ? text.slice(cursorPrefix.length)
    : undefined
}

const time = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "payments",
  Effect.fn(function* (handlers) {
    const payments = yield* Payments
    const transactions = makeTransactions(yield* ChallengeTokens)
    const { livemode } = yield* GatewayMode
    const { authorize, get, operate, unavailable } = makeOperations(payments, transactions, livemode)
    return handlers
      .handle("authorize", ({ payload }) => authorize(payload))
      .handle("capture", ({ params, payload }) => operate(params.id, "CAPTURE", payload))
      .handle("refund", ({ params, payload }) => operate(params.id, "REFUND", payload))
      .handle("void", ({ params, payload }) => operate(params.id, "VOID", payload))
      .handle("get", ({ params, query }) => get(params.id, query.wait ?? 0))
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const before = query.cursor === undefined ? undefined : readCursor(query.cursor)
          if (query.cursor !== undefined && before === undefined) {
            return yield* invalid({ path: "cursor", message: "must be the next_cursor of an earlier page" })
          }
          const limit = query.limit ?? pageSize
          const times = { from: time(query.from), to: time(query.to), updatedFrom: time(query.updatedFrom) }
          const filter = present({
            ...Struct.pick(query, ["status", "merchantReference", "provider", "currency"]),
            ...times,
            before
          })
          const found = yield* payments.list({ ...filter, limit: limit + 1 })
          const page = found.slice(0, limit)
          const last = page.at(-1)
          const hasMore = found.length > limit
          return {
            data: page.map((payment) => transactions.body(payment)),
            has_more: hasMore,
            next_cursor: hasMore && last !== undefined ? cursorFor(last.id) : null
          }
        }).pipe(Effect.catchTag("Unavailable", unavailable))
      )
      .handle("capabilities", () =>
        Effect.sync(() => {
          const all = [...payments.capabilities]
          return {
            currencies: PaymentCurrency.literals.filter((one) =>
              all.some(([, { currencies }]) => currencies.includes(one))
            ),
            providers: all.map(([provider, one]) => ({
              provider,
              currencies: one.currencies,
              brands: one.brands,
              threeDS: one.threeDS !== undefined,
              installmentsMax: one.installments?.max ?? 1,
              partialCapture: one.partialCapture,
              partialRefund: one.partialRefund
            }))
          }
        })
      )
  })
)
