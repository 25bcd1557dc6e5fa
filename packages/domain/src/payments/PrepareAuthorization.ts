import { Clock, DateTime, Effect, Result, Struct } from "effect"
import type { RequestRecord } from "../admission/RequestLedger.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { PaymentCurrency } from "../money/Currency.ts"
import { Money } from "../money/Money.ts"
import { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Capabilities, OptionalField } from "../routing/Capabilities.ts"
import { onlyInstallmentsMissing, type RoutingQuestion } from "../routing/Route.ts"
import { makeRouter } from "../routing/Router.ts"
import { attemptReference, bytesNeeded } from "./AttemptReference.ts"
import { type Card, type CardText, parseCard } from "./Card.ts"
import { Fingerprints } from "./Fingerprints.ts"
import type { PaymentRequest } from "./Payment.ts"
import { CardInvalid, InstallmentsUnavailable, NoProviderEligible } from "./PaymentErrors.ts"
import type { BillingAddress, Buyer } from "./PaymentProvider.ts"

/** A request to authorize, decoded and in our terms. */
export interface AuthorizationRequest {
  readonly currency: PaymentCurrency
  /** Minor units: 14990n is 149.90. */
  readonly minor: bigint
  readonly merchantReference: string
  readonly card: CardText
  /** Whether the caller named the card holder; routing asks where a provider needs it. */
  readonly isHolderNamed: boolean
  readonly installment: number
  readonly is3DS: boolean
  /** Where the browser goes after 3D Secure; null without 3D Secure, and where our own page is to end it. */
  readonly returnUrl: string | null
  readonly buyer: Buyer
  readonly billingAddress: BillingAddress
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
}

/** Under which key the request is recorded, and the digest of its content. */
export type RequestKey = Pick<RequestRecord, "key" | "fingerprint">

/** What a request begins, as it is recorded under its key. */
export const recordUnder = (
  { fingerprint, key }: RequestKey,
  { clientId, id, organizationId }: Pick<PaymentRequest, "clientId" | "id" | "organizationId">,
  operationId: string | null
): RequestRecord => ({ organizationId, caller: clientId, key, fingerprint, paymentId: id, operationId })

/** All that an authorization needs before anything is begun. */
export interface PreparedAuthorization {
  readonly request: PaymentRequest
  readonly card: Card
  readonly buyer: Buyer
  readonly billingAddress: BillingAddress
  /** The optional fields that the request carries. */
  readonly present: ReadonlyArray<OptionalField>
}

const presentFields = ({
  billingAddress,
  buyer,
  isHolderNamed
}: AuthorizationRequest): ReadonlyArray<OptionalField> => [
  ...(buyer.ip === undefined ? [] : (["buyer.ip"] as const)),
  ...(buyer.phone === undefined ? [] : (["buyer.phone"] as const)),
  ...(billingAddress.postalCode === undefined ? [] : (["billingAddress.postalCode"] as const)),
  ...(billingAddress.state === undefined ? [] : (["billingAddress.state"] as const)),
  ...(isHolderNamed ? (["cardHolderName"] as const) : [])
]

/** Reads the card, chooses the route and makes the payment's identity. Nothing is written yet and nobody is asked. */
export const prepareAuthorization = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  const fingerprints = yield* Fingerprints
  const routed = yield* makeRouter
  return Effect.fnUntraced(function* (asked: AuthorizationRequest, key: RequestKey) {
    const { clientId, livemode, organizationId } = yield* GatewayCaller
    const now = yield* Clock.currentTimeMillis
    const parsed = parseCard(asked.card, DateTime.toPartsUtc(DateTime.makeUnsafe(now)))
    if (Result.isFailure(parsed)) return yield* new CardInvalid({ detail: parsed.failure })
    const card = parsed.success
    const id = yield* identifiers.next("txn")
    const present = presentFields(asked)
    const question: RoutingQuestion = {
      paymentId: id,
      currency: asked.currency,
      minor: asked.minor,
      brand: card.number.brand,
      billingCountry: asked.billingAddress.country,
      installment: asked.installment,
      is3DS: asked.is3DS,
      present
    }
    const routing = yield* routed(organizationId, question)
    if (onlyInstallmentsMissing(question, routing)) return yield* new InstallmentsUnavailable()
    if (routing.order.length === 0) return yield* new NoProviderEligible({ reasons: routing.reasons })
    const request: PaymentRequest = {
      id,
      organizationId,
      clientId,
      merchantReference: asked.merchantReference,
      contentFingerprint: key.fingerprint,
      livemode,
      money: new Money({ currency: asked.currency, minor: asked.minor }),
      installment: asked.installment,
      is3DS: asked.is3DS,
      returnUrl: asked.is3DS ? asked.returnUrl : null,
      description: asked.description,
      metadata: asked.metadata,
      card: {
        brand: card.number.brand,
        first6: card.number.first6,
        last4: card.number.last4,
        expMonth: card.expMonth,
        expYear: card.expYear,
        fingerprint: fingerprints.card(organizationId, card.number)
      },
      routing,
      createdAt: now
    }
    const { billingAddress, buyer } = asked
    return { request, card, buyer, billingAddress, present } satisfies PreparedAuthorization
  })
})

/**
 * Starts an attempt at a provider: our reference is made and the deadline set. With `present`, the optional fields that
 * the request carries, it says for which others the provider gets a stand-in.
 */
export const startAttempt = Effect.fnUntraced(function* (
  identifiers: Identifiers["Service"],
  provider: { readonly id: string; readonly capabilities: Pick<Capabilities, "reference" | "standIns"> },
  number: number,
  deadline: number,
  present?: ReadonlyArray<OptionalField>
) {
  const { reference: rule, standIns } = provider.capabilities
  const replaced =
    present === undefined || standIns === undefined
      ? []
      : Struct.keys(standIns).filter((field) => !present.includes(field))
  return {
    number,
    provider: provider.id,
    reference: attemptReference(rule, yield* identifiers.randomBytes(bytesNeeded(rule))),
    startedAt: yield* Clock.currentTimeMillis,
    deadline,
    ...(replaced.length === 0 ? {} : { standIns: replaced })
  }
})
