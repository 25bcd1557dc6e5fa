import { assert } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import type { Settlement } from "@sarraf/adapters/providers/Simulator"
import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { Money } from "@sarraf/domain/money/Money"
import { attemptReference, bytesNeeded } from "@sarraf/domain/payments/AttemptReference"
import type { Card } from "@sarraf/domain/payments/Card"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  AuthorizeCall,
  Captured,
  Finding,
  OperationCall,
  PaymentProvider
} from "@sarraf/domain/payments/PaymentProvider"
import { checked } from "@sarraf/domain/payments/Settlement"
import { DateTime, Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"

export type Send = ProviderTransport["Service"]["send"]

/** A provider under test: its adapter, speaking through `intercept` to its own simulator. */
export interface Subject {
  readonly name: string
  readonly currency: PaymentCurrency
  readonly make: (options: {
    readonly book: OrderBook
    readonly settlement: Settlement
    readonly intercept?: (send: Send) => Send
  }) => PaymentProvider
}

export const goodCard = "4111111111111111"
/** As digits that no other field of the calls has. */
const cvcOf = (number: string) => (number.startsWith("37") ? "7391" : "739")

const cardOf = (number: string): Card => ({
  number: Result.getOrThrow(CardNumber.parse(number)),
  expMonth: 3,
  expYear: 2030,
  cvc: Redacted.make(cvcOf(number)),
  holderName: "Ayşe Yılmaz"
})

const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** Neither the card's number nor its security code is in anything that an adapter gives back. */
const assertNoCardData = (value: Outcome | Finding, number: string): void => {
  for (const text of textsOf(value)) {
    assert.notInclude(text, number)
    assert.notStrictEqual(text, cvcOf(number))
  }
}

const passOn = (send: Send): Send => send
const start = DateTime.makeUnsafe("2026-11-21T09:00:00Z")

/**
 * One payment at the provider under test: what later calls need is taken over from what earlier ones answered, as the
 * use cases do. The clock stands at 2026-11-21T09:00:00Z.
 */
export const open = Effect.fnUntraced(function* (
  subject: Subject,
  options: { readonly settlement?: Settlement; readonly book?: OrderBook; readonly seed?: number } = {}
) {
  yield* TestClock.setTime(start.epochMilliseconds)
  let rule = passOn
  const provider = subject.make({
    book: options.book ?? MemoryOrderBook.make(),
    settlement: options.settlement ?? "instant",
    intercept: (send) => (request) => Effect.suspend(() => rule(send)(request))
  })
  const { capabilities } = provider
  const referenceOf = (seed: number) =>
    attemptReference(
      capabilities.reference,
      Uint8Array.from({ length: bytesNeeded(capabilities.reference) }, (_, index) => (seed * 37 + index * 11) % 256)
    )
  const seed = options.seed ?? 1
  const reference = referenceOf(seed)
  const moneyOf = (minor: bigint) => new Money({ currency: subject.currency, minor })
  const amount = 1001n
  let number = goodCard
  let authorization: Authorization = {
    reference,
    providerReference: null,
    notes: {},
    money: moneyOf(amount),
    authorizedAt: start
  }
  const captures: Array<Captured> = []
  let operations = 0

  const operationCall = (minor: bigint, changes: Partial<OperationCall> = {}): OperationCall => ({
    authorization,
    operationId: `op_${seed}_${++operations}`,
    reference: referenceOf(seed + 100 + operations),
    money: moneyOf(minor),
    captures: [...captures],
    requestId: `req_${operations}`,
    ...changes
  })
  /** As the use cases take it: an answer about something else is none. */
  const read = (minor: bigint, outcome: Outcome): Outcome => {
    assertNoCardData(outcome, number)
    return checked({ reference, money: moneyOf(minor), last4: number.slice(-4) }, outcome)
  }

  return {
    provider,
    capabilities,
    amount,
    reference,
    now: start,
    moneyOf,
    /** Puts something between adapter and simulator from now on; nothing: takes it away. */
    wire: (next: (send: Send) => Send = passOn) => {
      rule = next
    },
    authorize: Effect.fnUntraced(function* (cardNumber = goodCard, changes: Partial<AuthorizeCall> = {}) {
      number = cardNumber
      const outcome = yield* provider.authorize({
        reference,
        money: moneyOf(amount),
        card: cardOf(cardNumber),
        installment: 1,
        buyer: { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse@example.com", ip: "203.0.113.7" },
        billingAddress: {
          address: "Çiçek Sokağı 5",
          city: "İzmir",
          country: "TR",
          postalCode: "35000",
          state: "İzmir"
        },
        description: "Order 17 & 18",
        requestId: "req_authorize",
        note: () => Effect.void,
        ...changes
      })
      if (outcome._tag === "Accepted") {
        const { providerReference, notes = {} } = outcome
        authorization = { ...authorization, providerReference, notes }
      }
      return read(amount, outcome)
    }),
    capture: Effect.fnUntraced(function* (minor: bigint, changes: Partial<OperationCall> = {}) {
      const call = operationCall(minor, changes)
      const outcome = yield* provider.capture({ ...call, final: true })
      if (outcome._tag === "Accepted") {
        const { operationId } = call
        captures.push({ operationId, providerReference: outcome.providerReference, minor, refundedMinor: 0n })
      }
      return read(minor, outcome)
    }),
    refund: Effect.fnUntraced(function* (minor: bigint, changes: Partial<OperationCall> = {}) {
      return read(minor, yield* provider.refund(operationCall(minor, changes)))
    }),
    cancel: Effect.fnUntraced(function* (changes: Partial<OperationCall> = {}) {
      return read(amount, yield* provider.cancel(operationCall(amount, changes)))
    }),
    voidCapture: Effect.fnUntraced(function* (minor: bigint) {
      const { voidCapture } = provider
      if (voidCapture === undefined) return yield* Effect.die(new Error("This provider has no void of a capture."))
      return read(minor, yield* voidCapture(operationCall(minor)))
    }),
    query: Effect.fnUntraced(function* (changes: Partial<Authorization> = {}) {
      const finding = yield* provider.query({ ...authorization, ...changes })
      assertNoCardData(finding, number)
      return finding
    })
  }
})

export type ProviderSession = Effect.Success<ReturnType<typeof open>>
