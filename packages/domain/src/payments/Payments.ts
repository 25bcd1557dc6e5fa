import { Clock, Context, Effect, Layer } from "effect"
import { RequestLedger, type RequestRecord } from "../admission/RequestLedger.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Identifiers } from "../identifiers/TypeId.ts"
import { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Capabilities } from "../routing/Capabilities.ts"
import { type AuthorizationAnswer, isRunning, makeAuthorize } from "./AuthorizePayment.ts"
import type { ChallengeSteps } from "./ChallengeSteps.ts"
import type { ChallengeTokens } from "./ChallengeTokens.ts"
import type { Fingerprints } from "./Fingerprints.ts"
import { makeOperate, type OperationAnswer } from "./OperateOnPayment.ts"
import { isUnderWay } from "./Operation.ts"
import type { OperationRequest } from "./OperationDecision.ts"
import type { Payment } from "./Payment.ts"
import {
  type CardInvalid,
  type InstallmentsUnavailable,
  KeyTaken,
  type NoProviderEligible,
  type OperationRefused,
  type OperationRunning,
  type ReferenceTaken,
  RequestStillRunning
} from "./PaymentErrors.ts"
import { answered } from "./PaymentEvent.ts"
import type { PaymentLocks } from "./PaymentLocks.ts"
import { PaymentProviders } from "./PaymentProvider.ts"
import { statusOf } from "./PaymentStatus.ts"
import { type Actor, type PaymentFilter, type PaymentNotFound, PaymentStore } from "./PaymentStore.ts"
import type { PaymentWork } from "./PaymentWork.ts"
import type { AuthorizationRequest, RequestKey } from "./PrepareAuthorization.ts"

type AuthorizeError =
  | CardInvalid
  | InstallmentsUnavailable
  | KeyTaken
  | NoProviderEligible
  | OperationRunning
  | ReferenceTaken
  | RequestStillRunning
  | Unavailable

type OperateError =
  | KeyTaken
  | OperationRefused
  | OperationRunning
  | PaymentNotFound
  | ReferenceTaken
  | RequestStillRunning
  | Unavailable

/** A request that was admitted: who, under which key, and what that key began before. */
export interface AdmittedRequest {
  readonly key: RequestKey
  readonly record: RequestRecord | undefined
  readonly actor: Actor
}

/** How often a waiting `get` looks, in milliseconds. */
const lookAgainMillis = 250

/** Driving port of the gateway: every runtime calls these and nothing deeper. */
export class Payments extends Context.Service<
  Payments,
  {
    /**
     * Takes a payment to a provider's word: AUTHORIZED, DECLINED, FAILED, or PENDING when the outcome is not known or
     * comes later. A repeat of an admitted request, and of a merchantReference with the same content, is answered from
     * what the first began.
     */
    authorize(
      request: AuthorizationRequest,
      admitted: AdmittedRequest
    ): Effect.Effect<AuthorizationAnswer, AuthorizeError, GatewayCaller>
    /** Captures, refunds or voids; permission comes from the sums. One at a time on each payment. */
    operate(
      id: string,
      request: OperationRequest,
      admitted: AdmittedRequest
    ): Effect.Effect<OperationAnswer, OperateError, GatewayCaller>
    /** The present state; with `waitMillis` as soon as it is no longer PENDING, at the latest after that time. */
    get(id: string, waitMillis?: number): Effect.Effect<Payment, PaymentNotFound | Unavailable, GatewayCaller>
    /** Newest first, at most `limit`. */
    list(filter: PaymentFilter): Effect.Effect<ReadonlyArray<Payment>, Unavailable, GatewayCaller>
    /** What each configured provider can do, by its id. */
    capabilities: ReadonlyMap<string, Capabilities>
  }
>()("@sarraf/domain/payments/Payments") {
  static readonly layer: Layer.Layer<
    Payments,
    never,
    | ChallengeSteps
    | ChallengeTokens
    | Fingerprints
    | Identifiers
    | PaymentLocks
    | PaymentProviders
    | PaymentStore
    | PaymentWork
    | RequestLedger
  > = Layer.effect(
    Payments,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const ledger = yield* RequestLedger
      const providers = yield* PaymentProviders
      const authorizeAnew = yield* makeAuthorize
      const operateAnew = yield* makeOperate

      /** The answer to a repeat: frozen where the first ended with a final word, else the present state. */
      const replay = Effect.fnUntraced(function* (record: RequestRecord) {
        const present = yield* Effect.catchTag(store.find(record.paymentId), "PaymentNotFound", Effect.die)
        const now = yield* Clock.currentTimeMillis
        const open = present.operations.find(({ id }) => id === record.operationId)
        const isOpen =
          record.operationId === null ? isRunning(present, now) : open !== undefined && isUnderWay(open, now)
        if (isOpen) return yield* new RequestStillRunning({ transactionId: present.id })
        return answered(yield* store.events(present.id), record.operationId) ?? present
      })

      /** The other request under this key was first: its record is there now. */
      const recordOf = Effect.fnUntraced(function* ({ key: { fingerprint, key } }: AdmittedRequest) {
        const { clientId, organizationId } = yield* GatewayCaller
        const record = yield* ledger.find(organizationId, clientId, key)
        if (record === undefined) return yield* Effect.die(new Error("A request was begun and has no record"))
        return record.fingerprint === fingerprint ? record : yield* new KeyTaken({ key })
      })

      const replayAuthorize = (record: RequestRecord) =>
        Effect.map(replay(record), (payment) => ({ payment, replayed: true }) satisfies AuthorizationAnswer)

      const replayOperate = Effect.fnUntraced(function* (record: RequestRecord) {
        const payment = yield* replay(record)
        const operation = payment.operations.find(({ id }) => id === record.operationId)
        if (operation === undefined) return yield* Effect.die(new Error("A record without its operation"))
        return { payment, operation, replayed: true } satisfies OperationAnswer
      })

      /**
       * A refusal may be the shadow of an equal request that was first: while this one waited its turn, the other began
       * what this one then found in the way. It is answered from that one's record.
       */
      const unlessBegun =
        <A>(
          admitted: AdmittedRequest,
          answerFrom: (record: RequestRecord) => Effect.Effect<A, RequestStillRunning | Unavailable, GatewayCaller>
        ) =>
        <E>(refusal: E): Effect.Effect<A, E | KeyTaken | RequestStillRunning | Unavailable, GatewayCaller> =>
          Effect.gen(function* () {
            const { clientId, organizationId } = yield* GatewayCaller
            const record = yield* ledger.find(organizationId, clientId, admitted.key.key)
            if (record === undefined) return yield* Effect.fail(refusal)
            if (record.fingerprint !== admitted.key.fingerprint) return yield* new KeyTaken({ key: record.key })
            return yield* answerFrom(record)
          })

      return Payments.of({
        capabilities: new Map([...providers].map(([id, { capabilities }]) => [id, capabilities])),
        authorize: (request, admitted) =>
          admitted.record !== undefined
            ? replayAuthorize(admitted.record)
            : authorizeAnew(request, admitted.key, admitted.actor).pipe(
                Effect.catchTag("RequestAlreadyBegun", () => Effect.flatMap(recordOf(admitted), replayAuthorize)),
                Effect.catchTag(["OperationRunning", "ReferenceTaken"], unlessBegun(admitted, replayAuthorize))
              ),
        operate: (id, request, admitted) =>
          admitted.record !== undefined
            ? replayOperate(admitted.record)
            : operateAnew(id, request, admitted.key, admitted.actor).pipe(
                Effect.catchTag("RequestAlreadyBegun", () => Effect.flatMap(recordOf(admitted), replayOperate)),
                Effect.catchTag(
                  ["OperationRefused", "OperationRunning", "ReferenceTaken"],
                  unlessBegun(admitted, replayOperate)
                )
              ),
        list: (filter) => store.list(filter),
        get: Effect.fnUntraced(function* (id, waitMillis = 0) {
          const until = (yield* Clock.currentTimeMillis) + waitMillis
          for (;;) {
            const payment = yield* store.find(id)
            const left = until - (yield* Clock.currentTimeMillis)
            if (left <= 0 || statusOf(payment) !== "PENDING") return payment
            yield* Effect.sleep(Math.min(left, lookAgainMillis))
          }
        })
      })
    })
  )
}
