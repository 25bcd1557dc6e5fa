import { createHash } from "node:crypto"
import { Memory } from "@sarraf/adapters/memory/Memory"
import * as MemoryChallengeSteps from "@sarraf/adapters/memory/MemoryChallengeSteps"
import * as MemoryFollowUps from "@sarraf/adapters/memory/MemoryFollowUps"
import * as MemoryNotificationInbox from "@sarraf/adapters/memory/MemoryNotificationInbox"
import * as MemoryPaymentStore from "@sarraf/adapters/memory/MemoryPaymentStore"
import * as MemoryRequestLedger from "@sarraf/adapters/memory/MemoryRequestLedger"
import { catalogue } from "@sarraf/adapters/providers/catalogue"
import type { PostedNotification } from "@sarraf/adapters/providers/Simulator"
import { encodeBase32, Identifiers } from "@sarraf/domain/identifiers/TypeId"
import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import * as ChallengeFlow from "@sarraf/domain/payments/ChallengeFlow"
import { Challenges } from "@sarraf/domain/payments/Challenges"
import { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import * as DeferredRefunds from "@sarraf/domain/payments/DeferredRefunds"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import * as NotificationFlow from "@sarraf/domain/payments/NotificationFlow"
import { Notifications } from "@sarraf/domain/payments/Notifications"
import type { OperationRequest } from "@sarraf/domain/payments/OperationDecision"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { PaymentLocks } from "@sarraf/domain/payments/PaymentLocks"
import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Payments } from "@sarraf/domain/payments/Payments"
import { PaymentWork } from "@sarraf/domain/payments/PaymentWork"
import type { AuthorizationRequest } from "@sarraf/domain/payments/PrepareAuthorization"
import * as Reconciler from "@sarraf/domain/payments/Reconciler"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as CopiedBook from "../../../../sim/CopiedBook.ts"
import { openProviders } from "../../../../sim/Providers.ts"
import { admitted, authorization, caller } from "../../../domain/payments/support/Gateway.ts"
import * as ReadableTokens from "../../../domain/payments/support/ReadableTokens.ts"
import { noon } from "../../../domain/payments/support/SamplePayment.ts"
import { CurrentWire, transportTo, type Wire } from "./Wire.ts"

const digest = (text: string) => createHash("sha256").update(text).digest()

/** The same for the same test, and each one once. */
const identifiers = Layer.sync(Identifiers, () => {
  let count = 0
  return Identifiers.of({
    next: (prefix) =>
      Effect.sync(() => {
        const number = ++count
        const bytes = Uint8Array.from({ length: 16 }, (_, index) =>
          index < 12 ? 1 : (number >> ((15 - index) * 8)) & 255
        )
        return `${prefix}_${encodeBase32(bytes)}`
      }),
    randomBytes: (length) =>
      Effect.sync(() => {
        const number = ++count
        const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) => digest(`${number} ${block}`))
        return new Uint8Array(Buffer.concat(blocks).subarray(0, length))
      })
  })
})

const fingerprints = Layer.succeed(
  Fingerprints,
  Fingerprints.of({
    card: (organizationId, number) => `fingerprint of ${number.last4} at ${organizationId}`,
    content: (text) => `content ${text}`
  })
)

/** The one in which it is tried. */
export const currencyOf = ({ capabilities }: PaymentProvider): PaymentCurrency => capabilities.currencies[0] ?? "EUR"

/** A provider whose questions and authorizations are counted on the way. */
const watched = (provider: PaymentProvider, authorizations: Array<string>): PaymentProvider => ({
  ...provider,
  authorize: (call) =>
    Effect.suspend(() => {
      authorizations.push(`${provider.id} ${call.reference}`)
      return provider.authorize(call)
    }),
  query: (asked) =>
    Effect.flatMap(CurrentWire, (wire) => {
      if (wire !== undefined && wire.firstQuestion === 0) wire.firstQuestion = wire.requests + 1
      return provider.query(asked)
    })
})

/** A repetition of what was acknowledged comes this much later, in milliseconds. */
const repeatMillis = 3_000

/**
 * The whole gateway on the test's clock, at noon: the use cases, the reconciler, notifications, stores in memory, and the
 * adapters of these providers with their simulators. Every notification comes twice.
 */
export const openFaultyGateway = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  yield* TestClock.setTime(noon)
  const entries = catalogue.filter(({ id }) => ids.includes(id))
  const scope = yield* Effect.scope
  const book = CopiedBook.make()
  const posted: Array<{ readonly provider: string; readonly notification: PostedNotification }> = []
  const authorizations: Array<string> = []
  const opened = openProviders(
    entries,
    book,
    (provider, notification) =>
      Effect.suspend(() => {
        posted.push({ provider, notification })
        const { body, delayMillis, headers } = notification
        const deliver = Effect.orDie(notifications.receive(provider, { headers, body, query: {} }))
        return Effect.sleep(delayMillis).pipe(
          Effect.andThen(deliver),
          Effect.andThen(Effect.delay(deliver, repeatMillis)),
          Effect.provideService(CurrentWire, undefined),
          Effect.forkIn(scope),
          Effect.asVoid
        )
      }),
    transportTo
  )
  const providers = new Map(opened.providers.map((one) => [one.id, one]))
  const memory = yield* Layer.build(Memory.layer)
  const context = yield* Layer.build(
    Layer.mergeAll(
      Payments.layer,
      ChallengeFlow.layer,
      NotificationFlow.layer,
      Reconciler.layer,
      DeferredRefunds.layer
    ).pipe(
      Layer.provideMerge(Layer.mergeAll(Layer.fresh(PaymentLocks.layer), Layer.fresh(PaymentWork.layer))),
      Layer.provideMerge(
        Layer.mergeAll(
          MemoryPaymentStore.layer,
          MemoryRequestLedger.layer,
          identifiers,
          fingerprints,
          MemoryFollowUps.layer,
          ReadableTokens.tokens,
          MemoryChallengeSteps.layer,
          MemoryNotificationInbox.layer,
          Layer.succeed(
            PaymentProviders,
            new Map([...providers].map(([id, one]) => [id, watched(one, authorizations)]))
          )
        )
      ),
      Layer.provideMerge(Layer.succeedContext(memory))
    )
  )
  const notifications = Context.get(context, Notifications)
  const payments = Context.get(context, Payments)
  const store = Context.get(context, PaymentStore)
  const challenges = Context.get(context, Challenges)
  const pageOf = (paymentId: string) => Context.get(context, ChallengeTokens).urlOf({ caller, paymentId })
  const tokenOf = (paymentId: string) => ReadableTokens.tokenIn(pageOf(paymentId))
  const on = (wire: Wire) => Effect.provideService(CurrentWire, wire)
  const asCaller = Effect.provideService(GatewayCaller, caller)
  return {
    book,
    /** What the simulators have posted so far. */
    posted,
    /** What adapters were asked to authorize for a payment: provider and reference, each time. */
    authorizationsOf: ({ attempts }: Payment) =>
      authorizations.filter((one) => attempts.some(({ provider, reference }) => one === `${provider} ${reference}`)),
    providers,
    simulators: opened.simulators,
    /** Sends the buyer on to the issuer. */
    proceed: (id: string) => challenges.proceed(tokenOf(id), "request-proceed"),
    /** The address, at its beginning, to which the issuer sends the buyer back. */
    returnUrlOf: pageOf,
    comeBack: (id: string, returned: Readonly<Record<string, string>>, wire: Wire) =>
      challenges
        .comeBack(tokenOf(id), { returned, buyerIp: "203.0.113.7", requestId: "request-return" })
        .pipe(on(wire)),
    authorize: (changes: Partial<AuthorizationRequest>, key: string, wire: Wire) =>
      asCaller(payments.authorize(authorization(changes), admitted(key, key))).pipe(on(wire)),
    operate: (id: string, asked: OperationRequest, key: string, wire: Wire) =>
      asCaller(payments.operate(id, asked, admitted(key, key))).pipe(on(wire)),
    stored: (id: string) => asCaller(Effect.orDie(store.find(id))),
    all: () => [...Context.get(memory, Memory).payments.values()].map(({ payment }) => payment)
  }
})

export type FaultyGateway = Effect.Success<ReturnType<typeof openFaultyGateway>>

/** The same with one provider. */
export const openGatewayTo = Effect.fnUntraced(function* (id: string) {
  const gateway = yield* openFaultyGateway([id])
  const provider = gateway.providers.get(id)
  return provider === undefined ? yield* Effect.die(new Error(`No provider ${id}`)) : { gateway, provider }
})

/** Every provider of the catalogue, to see what it can do; none is spoken to. */
export const everyProvider = openProviders(catalogue, CopiedBook.make(), () => Effect.void).providers
