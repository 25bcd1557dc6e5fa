import { assert } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import type { PostedNotification, Simulator, SimulatorOptions } from "@sarraf/adapters/providers/Simulator"
import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { Money } from "@sarraf/domain/money/Money"
import { attemptReference, bytesNeeded } from "@sarraf/domain/payments/AttemptReference"
import type { Card } from "@sarraf/domain/payments/Card"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import type { NotifiedItem } from "@sarraf/domain/payments/Notification"
import type { OperationType } from "@sarraf/domain/payments/Operation"
import { Accepted, type BuyerStep, type Outcome, Refused } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  AuthorizeCall,
  Captured,
  Finding,
  OperationCall,
  PaymentProvider,
  ThreeDSReturn
} from "@sarraf/domain/payments/PaymentProvider"
import { checked } from "@sarraf/domain/payments/Settlement"
import { DateTime, Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { type BuyerAnswer, browse } from "../../../sim/browse.ts"

export type Send = ProviderTransport["Service"]["send"]

/** A provider under test: its adapter, speaking through `intercept` to its own simulator. */
export interface Subject {
  readonly name: string
  readonly currency: PaymentCurrency
  readonly make: (
    options: Pick<SimulatorOptions, "notify" | "orderBook" | "pagesUrl" | "settlement"> & {
      readonly intercept?: (send: Send) => Send
    }
  ) => { readonly provider: PaymentProvider; readonly simulator: Simulator }
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

/** Where the buyer's browser reaches the simulator, and where it comes back to. */
export const pagesUrl = "http://sandbox.test:8080/sandbox/simulated"
export const returnUrl = `https://gateway.test/pf/v1/3ds/${"token".repeat(30)}/return`

const passOn = (send: Send): Send => send
const start = DateTime.makeUnsafe("2026-11-21T09:00:00Z")

/**
 * One payment at the provider under test: what later calls need is taken over from what earlier ones answered, as the
 * use cases do. The clock stands at 2026-11-21T09:00:00Z.
 */
export const open = Effect.fnUntraced(function* (
  subject: Subject,
  options: {
    readonly settlement?: SimulatorOptions["settlement"]
    readonly book?: OrderBook
    readonly seed?: number
  } = {}
) {
  yield* TestClock.setTime(start.epochMilliseconds)
  let rule = passOn
  const posted: Array<PostedNotification> = []
  const { provider, simulator } = subject.make({
    orderBook: options.book ?? MemoryOrderBook.make(),
    settlement: options.settlement ?? "instant",
    pagesUrl,
    notify: (notification) => Effect.sync(() => void posted.push(notification)),
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
  const keepNotes: AuthorizeCall["note"] = (facts) =>
    Effect.sync(() => {
      authorization = { ...authorization, notes: { ...authorization.notes, ...facts } }
    })
  const keep = (outcome: Outcome) => {
    if (outcome._tag !== "Accepted" && outcome._tag !== "ActionRequired" && outcome._tag !== "Pending") return
    const providerReference = outcome.providerReference ?? authorization.providerReference
    authorization = { ...authorization, providerReference, notes: { ...authorization.notes, ...outcome.notes } }
  }

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

  /** What the provider has posted so far about this payment. */
  const notified = (): ReadonlyArray<NotifiedItem> =>
    posted.flatMap(({ body, headers }) => {
      const reading = provider.readNotification?.({ headers, body, query: {} })
      assert(reading?._tag !== "Forged", "the simulator's own notification is not genuine")
      return (reading?.items ?? []).filter((item) => item.reference === reference)
    })

  /** The last word on an operation that the provider says by a notification. */
  const lastWord = (type: OperationType, outcome: Outcome): Outcome => {
    if (outcome._tag !== "Pending" || outcome.learnBy !== "notification") return outcome
    const { answer, echo, providerReference } = outcome
    for (const { word } of notified()) {
      if (word._tag !== "Operation" || word.type !== type || word.providerReference !== providerReference) continue
      if (word.status === "SUCCEEDED")
        return Accepted({ providerReference: word.providerReference ?? "", answer, echo })
      const detail = "The provider said later that it did not do it."
      return Refused({ code: "PROVIDER_ERROR", detail, answer, mayTryAnother: false, echo })
    }
    return outcome
  }

  const returnCall = (returned: Readonly<Record<string, string>>): ThreeDSReturn => ({
    authorization,
    installment: 1,
    returned,
    buyerIp: "203.0.113.7",
    requestId: "req_return",
    note: keepNotes
  })

  return {
    provider,
    capabilities,
    notified,
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
        note: keepNotes,
        ...changes
      })
      keep(outcome)
      return read(amount, outcome)
    }),
    /** What the buyer's browser brings back from the step, and whether it saw the issuer's page. */
    browse: (step: BuyerStep, answer: BuyerAnswer) => browse(simulator, step, answer, { pagesUrl, returnUrl }),
    /** Undefined where the return is not genuine. */
    complete: Effect.fnUntraced(function* (returned: Readonly<Record<string, string>>) {
      const { threeDS } = provider
      if (threeDS === undefined) return yield* Effect.die(new Error("This provider has no 3-D Secure."))
      if (!threeDS.isGenuine(returnCall(returned))) return undefined
      const outcome = yield* threeDS.complete(returnCall(returned))
      keep(outcome)
      return read(amount, outcome)
    }),
    /** What is known of the authorization now. */
    authorization: () => authorization,
    capture: Effect.fnUntraced(function* (minor: bigint, changes: Partial<OperationCall> = {}) {
      const call = operationCall(minor, changes)
      const outcome = lastWord("CAPTURE", yield* provider.capture({ ...call, final: true }))
      if (outcome._tag === "Accepted") {
        const { operationId } = call
        captures.push({ operationId, providerReference: outcome.providerReference, minor, refundedMinor: 0n })
      }
      return read(minor, outcome)
    }),
    refund: Effect.fnUntraced(function* (minor: bigint, changes: Partial<OperationCall> = {}) {
      return read(minor, lastWord("REFUND", yield* provider.refund(operationCall(minor, changes))))
    }),
    cancel: Effect.fnUntraced(function* (changes: Partial<OperationCall> = {}) {
      return read(amount, lastWord("VOID", yield* provider.cancel(operationCall(amount, changes))))
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
