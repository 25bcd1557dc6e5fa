import { Clock, Effect } from "effect"
import type { RequestAlreadyBegun } from "../admission/RequestLedger.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Attempt } from "./Attempt.ts"
import { attemptReference, bytesNeeded } from "./AttemptReference.ts"
import { isRunning } from "./AuthorizePayment.ts"
import { GatewayLimits } from "./GatewayLimits.ts"
import { isUnderWay, type Operation } from "./Operation.ts"
import { operationCallOf } from "./OperationCallOf.ts"
import { decide, type OperationRequest } from "./OperationDecision.ts"
import { Accepted, noAnswer, type Outcome, Unknown } from "./Outcome.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
import { type OperationRefused, OperationRunning, type ReferenceTaken } from "./PaymentErrors.ts"
import { apply, type PaymentEvent, type SettledBy } from "./PaymentEvent.ts"
import { PaymentLocks } from "./PaymentLocks.ts"
import { countOperation } from "./PaymentMetrics.ts"
import { type OperationCall, type PaymentProvider, PaymentProviders } from "./PaymentProvider.ts"
import { type Actor, type PaymentChanged, type PaymentNotFound, PaymentStore } from "./PaymentStore.ts"
import { PaymentWork } from "./PaymentWork.ts"
import { type RequestKey, recordUnder } from "./PrepareAuthorization.ts"
import { ask, query, readOperation, underDeadline } from "./ProviderCalls.ts"
import { type Deferred, refundBeforeSettlement } from "./RefundBeforeSettlement.ts"
import { commitSettled } from "./SettledCommit.ts"
import { checked, deferOperation, expectedOf, settleOperation } from "./Settlement.ts"
import { voidPending } from "./VoidPending.ts"

/** A payment, the operation that the request began, and whether an earlier request had begun it. */
export interface OperationAnswer {
  readonly payment: Payment
  readonly operation: Operation
  readonly replayed: boolean
}

/** Nothing is sent: the provider has no way to release a rest, which lapses by itself once nothing more is captured. */
const leftToLapse = ({ authorization: { providerReference, reference } }: OperationCall): Outcome =>
  Accepted({ providerReference: providerReference ?? reference, answer: noAnswer, echo: {} })

const send = (provider: PaymentProvider, payment: Payment, operation: Operation, call: OperationCall) => {
  const { releasesRest } = provider.capabilities
  if (operation.type === "VOID" && call.captures.length > 0 && releasesRest === false) {
    return Effect.succeed(leftToLapse(call))
  }
  if (operation.type === "CAPTURE") return provider.capture({ ...call, final: operation.final })
  if (operation.type === "VOID") return provider.cancel(call)
  return provider.capabilities.refundBeforeSettlement === "wholeByVoid"
    ? refundBeforeSettlement(provider, payment, call)
    : provider.refund(call)
}

/** Carries an operation out that is open and settles it. */
export const makePerform = Effect.gen(function* () {
  const store = yield* PaymentStore
  const limits = yield* GatewayLimits

  return Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    operation: Operation,
    actor: Actor,
    by: SettledBy
  ) {
    const startedAt = yield* Clock.currentTimeMillis
    const call = operationCallOf(payment, attempt, operation, actor.requestId)
    const expected = expectedOf(attempt.reference, call.money, payment.card.last4)
    let deferred: Deferred | undefined
    const answered = yield* underDeadline(
      () =>
        Effect.map(send(provider, payment, operation, call), (outcome): Outcome => {
          if (outcome._tag !== "Deferred") return outcome
          deferred = outcome
          return Unknown({ reason: "deferred" })
        }),
      limits.attemptMillis
    )
    const now = yield* Clock.currentTimeMillis
    if (deferred !== undefined) {
      return yield* commitSettled(store, payment, [deferOperation(operation, deferred.availableFrom, now, by)], actor)
    }
    let outcome = checked(expected, answered)
    const isOpen = outcome._tag === "Unknown" || (outcome._tag === "Pending" && outcome.learnBy === "query")
    if (isOpen) {
      const until = outcome._tag === "Unknown" ? startedAt + limits.requestMillis : now + limits.finalWordMillis
      const { authorization } = call
      const read = readOperation(payment, operation)
      outcome = checked(expected, yield* ask({ provider, authorization, read, until, undecided: outcome }))
    }
    // A message that arrived twice is refused the second time, although the first was done.
    if (outcome._tag === "Refused" && provider.capabilities.query.byReference) {
      const left = startedAt + limits.requestMillis - (yield* Clock.currentTimeMillis)
      const finding = yield* query(provider, call.authorization, Math.max(left, 0))
      const done = readOperation(payment, operation)(finding, yield* Clock.currentTimeMillis)
      if (done !== undefined) outcome = checked(expected, done)
      else if (finding._tag === "Unanswered") {
        outcome = Unknown({
          reason: "it was refused, and whether it had been done before nobody said",
          answer: outcome.answer
        })
      }
    }
    const at = yield* Clock.currentTimeMillis
    return yield* commitSettled(store, payment, [settleOperation(operation, outcome, at, by)], actor)
  })
})

type OperateError =
  | OperationRefused
  | OperationRunning
  | PaymentNotFound
  | ReferenceTaken
  | RequestAlreadyBegun
  | Unavailable

/** A void of a payment whose own outcome is not known. */
const isUndecidedVoid = (payment: Payment, open: Operation): boolean =>
  open.type === "VOID" && (payment.authorization === "PENDING" || payment.authorization === "REQUIRES_ACTION")

/** Milliseconds between looks at a payment on which another process is at work. */
const lookAgainMillis = 100

/** The `capture`, `refund` and `void` of `Payments`. */
export const makeOperate = Effect.gen(function* () {
  const store = yield* PaymentStore
  const work = yield* PaymentWork
  const identifiers = yield* Identifiers
  const providers = yield* PaymentProviders
  const limits = yield* GatewayLimits
  const locks = yield* PaymentLocks
  const perform = yield* makePerform

  const partiesOf = (payment: Payment) => {
    const attempt = lastAttempt(payment)
    const provider = providers.get(attempt?.provider ?? "")
    return attempt === undefined || provider === undefined
      ? Effect.die(new Error(`No provider for ${payment.id}`))
      : Effect.succeed({ attempt, provider })
  }

  const begin = Effect.fnUntraced(function* (payment: Payment, asked: OperationRequest, key: RequestKey, actor: Actor) {
    const { attempt, provider } = yield* partiesOf(payment)
    const { final, minor } = yield* Effect.fromResult(decide(payment, asked, provider.capabilities))
    const now = yield* Clock.currentTimeMillis
    const rule = provider.capabilities.reference
    const operation: Operation = {
      id: yield* identifiers.next("op"),
      type: asked.type,
      minor,
      final,
      status: "PENDING",
      reference: asked.reference ?? null,
      providerRequest: attemptReference(rule, yield* identifiers.randomBytes(bytesNeeded(rule))),
      providerReference: null,
      responseCode: null,
      fields: {},
      availableFrom: null,
      error: null,
      createdAt: now,
      deadline: now + limits.requestMillis,
      completedAt: null
    }
    const event: PaymentEvent = { type: "operation.begun", at: now, operation }
    const after = apply(payment, event)
    const record = recordUnder(key, payment, operation.id)
    yield* store.commit({ before: payment, after, events: [event], actor, record })
    return { payment: after, attempt, provider, operation }
  })

  /** A void that the provider could not settle yet is taken up again by the next: the same operation, asked once more. */
  const resume = Effect.fnUntraced(function* (payment: Payment, operation: Operation, key: RequestKey, actor: Actor) {
    const { attempt, provider } = yield* partiesOf(payment)
    const now = yield* Clock.currentTimeMillis
    const event = deferOperation(operation, null, now, "request", now + limits.requestMillis)
    const after = apply(payment, event)
    const record = recordUnder(key, payment, operation.id)
    yield* store.commit({ before: payment, after, events: [event], actor, record })
    return { payment: after, attempt, provider, operation }
  })

  /** Begins the operation once nothing else is under way; only the payment's own queue makes it wait. */
  const beginInTurn: (
    id: string,
    asked: OperationRequest,
    key: RequestKey,
    actor: Actor,
    until: number
  ) => Effect.Effect<Effect.Success<ReturnType<typeof begin>>, OperateError, GatewayCaller> = Effect.fnUntraced(
    function* (id, asked, key, actor, until) {
      const payment = yield* store.find(id)
      const now = yield* Clock.currentTimeMillis
      const open = openOperation(payment)
      const isBusy = isRunning(payment, now) || (open !== undefined && isUnderWay(open, now))
      if (open === undefined && !isBusy) {
        const begun = begin(payment, asked, key, actor)
        return yield* Effect.catchTag(begun, "PaymentChanged", (_: PaymentChanged) =>
          beginInTurn(id, asked, key, actor, until)
        )
      }
      if (open !== undefined && !isBusy && asked.type === "VOID" && isUndecidedVoid(payment, open)) {
        const resumed = resume(payment, open, key, actor)
        return yield* Effect.catchTag(resumed, "PaymentChanged", (_: PaymentChanged) =>
          beginInTurn(id, asked, key, actor, until)
        )
      }
      // What is open and not under way is unknown: waiting would not help.
      if (!isBusy || now >= until) return yield* new OperationRunning({ transactionId: id })
      yield* Effect.sleep(lookAgainMillis)
      return yield* beginInTurn(id, asked, key, actor, until)
    }
  )

  return Effect.fnUntraced(function* (id: string, asked: OperationRequest, key: RequestKey, actor: Actor) {
    const until = (yield* Clock.currentTimeMillis) + limits.queueMillis
    const carryOut = Effect.gen(function* () {
      const { attempt, operation, payment, provider } = yield* beginInTurn(id, asked, key, actor, until)
      const settled =
        payment.authorization === "AUTHORIZED"
          ? yield* perform(provider, payment, attempt, operation, actor, "request")
          : (yield* voidPending({ store, provider, payment, attempt, operation, actor, by: "request", limits })).payment
      const after = settled.operations.find((one) => one.id === operation.id) ?? operation
      yield* countOperation(settled, after)
      return { payment: settled, operation: after, replayed: false } satisfies OperationAnswer
    })
    return yield* work.run(locks.withLock(id, carryOut))
  })
})
