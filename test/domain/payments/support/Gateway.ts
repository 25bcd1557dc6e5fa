import { Memory } from "@sarraf/adapters/memory/Memory"
import * as MemoryChallengeSteps from "@sarraf/adapters/memory/MemoryChallengeSteps"
import * as MemoryFollowUps from "@sarraf/adapters/memory/MemoryFollowUps"
import * as MemoryNotificationInbox from "@sarraf/adapters/memory/MemoryNotificationInbox"
import * as MemoryPaymentStore from "@sarraf/adapters/memory/MemoryPaymentStore"
import * as MemoryRequestLedger from "@sarraf/adapters/memory/MemoryRequestLedger"
import type { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { encodeBase32, Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import * as ChallengeFlow from "@sarraf/domain/payments/ChallengeFlow"
import { Challenges } from "@sarraf/domain/payments/Challenges"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import * as NotificationFlow from "@sarraf/domain/payments/NotificationFlow"
import { Notifications } from "@sarraf/domain/payments/Notifications"
import type { OperationRequest } from "@sarraf/domain/payments/OperationDecision"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { PaymentLocks } from "@sarraf/domain/payments/PaymentLocks"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { type AdmittedRequest, Payments } from "@sarraf/domain/payments/Payments"
import { PaymentWork } from "@sarraf/domain/payments/PaymentWork"
import type { AuthorizationRequest } from "@sarraf/domain/payments/PrepareAuthorization"
import { makeReconciler } from "@sarraf/domain/payments/Reconciler"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ReadableTokens from "./ReadableTokens.ts"
import { noon } from "./SamplePayment.ts"
import { type Script, type ScriptedProvider, scriptedProvider } from "./ScriptedProvider.ts"

export const caller = {
  organizationId: "org_01h455vb4pex5vsknk084sn02q",
  clientId: "sandbox_client",
  livemode: false
}

/** Identifiers that count: readable, in order, and each one once. */
const identifiers = Layer.sync(Identifiers, () => {
  let count = 0
  return Identifiers.of({
    next: (prefix) =>
      Effect.sync(() => `${prefix}_${encodeBase32(Uint8Array.from({ length: 16 }, (_, i) => (i < 15 ? 1 : ++count)))}`),
    randomBytes: (length) =>
      Effect.sync(() => {
        count++
        return Uint8Array.from({ length }, (_, index) => (count * 37 + index * 11) % 256)
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

/** Where a test steps in between the use case and its store: before a write, or after it and before its answer. */
export interface Interference {
  beforeBegin: Effect.Effect<void, Unavailable>
  beforeCommit: (types: string) => Effect.Effect<void, Unavailable>
  afterCommit: (types: string) => Effect.Effect<void, Unavailable>
}

/** The memory's store, which writes into the log when something has been committed. */
const watchedStore = (log: Array<string>, interference: Interference) =>
  Layer.effect(
    PaymentStore,
    Effect.map(PaymentStore, (store) =>
      PaymentStore.of({
        ...store,
        begin: (...parts) =>
          interference.beforeBegin.pipe(
            Effect.andThen(store.begin(...parts)),
            Effect.tap((begun) => Effect.sync(() => log.push(begun ? "begun" : "taken")))
          ),
        commit: (change) => {
          const types = change.events.map(({ type }) => type).join("+")
          return Effect.suspend(() => interference.beforeCommit(types)).pipe(
            Effect.andThen(store.commit(change)),
            Effect.tap(() => Effect.sync(() => log.push(`committed ${types}`))),
            Effect.tap(() => Effect.suspend(() => interference.afterCommit(types)))
          )
        }
      })
    )
  )

/** `Payments` on providers that follow scripts and a store in memory, at noon of the test's clock. */
export const openGateway = Effect.fnUntraced(function* (make: (log: Array<string>) => ReadonlyArray<ScriptedProvider>) {
  yield* TestClock.setTime(noon)
  const log: Array<string> = []
  const interference: Interference = {
    beforeBegin: Effect.void,
    beforeCommit: () => Effect.void,
    afterCommit: () => Effect.void
  }
  const providers = make(log)
  const memory = yield* Layer.build(Memory.layer)
  const shared = yield* Layer.build(
    Layer.mergeAll(
      watchedStore(log, interference).pipe(Layer.provide(MemoryPaymentStore.layer)),
      MemoryRequestLedger.layer,
      identifiers,
      fingerprints,
      MemoryFollowUps.layer,
      ReadableTokens.tokens,
      MemoryChallengeSteps.layer,
      MemoryNotificationInbox.layer,
      Layer.succeed(PaymentProviders, new Map(providers.map((one) => [one.id, one])))
    ).pipe(Layer.provide(Layer.succeedContext(memory)))
  )
  /** One process of the service: its locks and its work are its own, all else is shared. */
  const openProcess = Layer.build(
    Layer.mergeAll(Payments.layer, ChallengeFlow.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(Layer.fresh(PaymentLocks.layer), Layer.fresh(PaymentWork.layer))),
      Layer.provideMerge(Layer.succeedContext(shared))
    )
  )
  const context = yield* openProcess
  const other = yield* openProcess
  const elsewhere = Context.get(other, Payments)
  /** One look of the reconciler at all that is due, as a process does it that has just started. */
  const lookIn = (services: typeof context) =>
    makeReconciler.pipe(
      Effect.flatten,
      Effect.flatMap(({ count, looked }) => Effect.as(looked, count)),
      Effect.provideContext(services)
    )
  // What a failed test leaves under way ends before the layers wait for it.
  yield* Effect.addFinalizer(() => TestClock.adjust("5 minutes"))
  const payments = Context.get(context, Payments)
  const asCaller = Effect.provideService(GatewayCaller, caller)
  const authorize = (changes: Partial<AuthorizationRequest> = {}, key = "key-1") =>
    asCaller(payments.authorize(authorization(changes), admitted(key, contentOf(changes))))
  const operateWith = (through: Payments["Service"]) => (id: string, asked: OperationRequest, key: string) =>
    asCaller(through.operate(id, asked, admitted(key, `${id} ${asked.type} ${asked.minor} ${asked.reference}`)))
  return {
    /** The services of this process, for what works beside `Payments`. */
    process: context,
    log,
    interference,
    payments,
    challenges: Context.get(context, Challenges),
    /** Opened where a test needs it, since it looks every second of the test's clock. */
    openNotifications: Effect.map(
      Layer.build(Layer.fresh(NotificationFlow.layer).pipe(Layer.provide(Layer.succeedContext(context)))),
      (opened) => Context.get(opened, Notifications)
    ),
    /** The same in another process. */
    challengesElsewhere: Context.get(other, Challenges),
    reconcileElsewhere: lookIn(other),
    reconcile: lookIn(context),
    store: Context.get(context, PaymentStore),
    work: Context.get(context, PaymentWork),
    authorize,
    /** A payment that its first provider has accepted. */
    authorized: Effect.map(authorize(), ({ payment }) => payment),
    operate: operateWith(payments),
    /** The same in another process on the same store. */
    operateElsewhere: operateWith(elsewhere),
    stored: (id: string) => asCaller(Effect.orDie(Context.get(context, PaymentStore).find(id))),
    events: (id: string) => asCaller(Effect.orDie(Context.get(context, PaymentStore).events(id))),
    all: () => [...Context.get(memory, Memory).payments.values()].map(({ payment }) => payment)
  }
})

/** The same with one provider, `akbank`. */
export const openGatewayTo = (script: Script = {}, capabilities: Parameters<typeof scriptedProvider>[3] = {}) => {
  const made: Array<ScriptedProvider> = []
  return Effect.map(
    openGateway((log) => {
      made.push(scriptedProvider("akbank", log, script, capabilities))
      return made
    }),
    (gateway) => {
      const [provider] = made
      if (provider === undefined) throw new Error("The gateway was opened without its provider")
      return { ...gateway, provider }
    }
  )
}

export const authorization = (changes: Partial<AuthorizationRequest> = {}): AuthorizationRequest => ({
  currency: "EUR",
  minor: 10_000n,
  merchantReference: "order-1",
  card: {
    cardNumber: "4111 1111 1111 1111",
    cardExpMonth: "12",
    cardExpYear: "2050",
    cardCvc: "123",
    holderName: "Ayşe Yılmaz"
  },
  isHolderNamed: false,
  installment: 1,
  is3DS: false,
  returnUrl: null,
  buyer: { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse@example.com" },
  billingAddress: { address: "İstiklal Cd. 1", city: "İstanbul", country: "TR" },
  description: null,
  metadata: {},
  ...changes
})

const contentOf = (changes: Partial<AuthorizationRequest>) => JSON.stringify(changes, withoutBigints)

const withoutBigints = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

export const admitted = (key: string, fingerprint: string): AdmittedRequest => ({
  key: { key, fingerprint },
  record: undefined,
  actor: { name: `client:${caller.clientId}`, requestId: `request-${key}` }
})

export const outcomesOf = ({ attempts }: Payment) => attempts.map(({ outcome, provider }) => `${provider} ${outcome}`)
