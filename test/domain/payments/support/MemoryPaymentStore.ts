import { RequestAlreadyBegun, type RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { type FollowUp, followUpOf } from "@sarraf/domain/payments/FollowUp"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { releasesReference, statusOf } from "@sarraf/domain/payments/PaymentStatus"
import {
  type DueRefund,
  PaymentChanged,
  type PaymentFilter,
  PaymentNotFound,
  PaymentStore
} from "@sarraf/domain/payments/PaymentStore"
import { isSound } from "@sarraf/domain/payments/Sums"
import { Context, Effect, Layer } from "effect"

interface Stored {
  readonly payment: Payment
  readonly events: ReadonlyArray<PaymentEvent>
}

/** When a payment is looked at again. */
export interface ScheduledLook extends FollowUp {
  readonly provider: string
  readonly leaseUntil: number | null
  readonly needsReview: boolean
}

/** What the stores of this process hold, for tests to look at. */
export class Memory extends Context.Service<
  Memory,
  {
    readonly payments: Map<string, Stored>
    readonly records: Map<string, RequestRecord>
    readonly followUps: Map<string, ScheduledLook>
  }
>()("@sarraf/test/domain/payments/Memory") {
  static readonly layer = Layer.sync(Memory, () => ({
    payments: new Map(),
    records: new Map(),
    followUps: new Map()
  }))
}

export const recordKey = ({ caller, key, organizationId }: Pick<RequestRecord, "caller" | "key" | "organizationId">) =>
  `${organizationId} ${caller} ${key}`

const fits = ({ payment }: Stored, filter: PaymentFilter): boolean =>
  (filter.status ?? statusOf(payment)) === statusOf(payment) &&
  (filter.merchantReference ?? payment.merchantReference) === payment.merchantReference &&
  (filter.provider === undefined || filter.provider === lastAttempt(payment)?.provider) &&
  (filter.currency ?? payment.money.currency) === payment.money.currency &&
  payment.createdAt >= (filter.from ?? payment.createdAt) &&
  payment.createdAt < (filter.to ?? Number.POSITIVE_INFINITY) &&
  payment.updatedAt >= (filter.updatedFrom ?? payment.updatedAt) &&
  (filter.before === undefined || payment.id < filter.before)

/** What the table's unique indexes refuse: two operations under way at once, or two of one reference. */
const hasConflict = ({ operations }: Payment): boolean => {
  const open = operations.filter(({ availableFrom, status }) => status === "PENDING" && availableFrom === null)
  const references = operations.flatMap(({ reference }) => (reference === null ? [] : [reference]))
  return open.length > 1 || new Set(references).size < references.length
}

const dueRefunds = (all: ReadonlyArray<Stored>, now: number): ReadonlyArray<DueRefund> =>
  all
    .flatMap(({ payment: { clientId, id, livemode, operations, organizationId } }) =>
      operations.flatMap(({ availableFrom, id: operationId, status }) =>
        status === "PENDING" && availableFrom !== null && availableFrom <= now
          ? [{ at: availableFrom, due: { caller: { organizationId, clientId, livemode }, paymentId: id, operationId } }]
          : []
      )
    )
    .sort((a, b) => a.at - b.at)
    .map(({ due }) => due)

/** The port in this process. It keeps the port's contract, which its own run of the contract's suite shows. */
export const layer = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const { followUps, payments, records } = yield* Memory
    const schedule = (before: Payment, payment: Payment) => {
      const followUp = followUpOf(before, payment)
      if (followUp === null) return
      const provider = lastAttempt(payment)?.provider ?? ""
      const needsReview = payment.needsReview !== null
      followUps.set(payment.id, { ...followUp, provider, leaseUntil: null, needsReview })
    }
    const ownPayments = Effect.map(GatewayCaller, ({ clientId, organizationId }) =>
      [...payments.values()].filter(
        ({ payment }) => payment.organizationId === organizationId && payment.clientId === clientId
      )
    )
    const holds = (asked: Payment) =>
      [...payments.values()].some(
        ({ payment }) =>
          payment.organizationId === asked.organizationId &&
          payment.clientId === asked.clientId &&
          payment.merchantReference === asked.merchantReference &&
          !releasesReference(statusOf(payment))
      )
    const isBegun = (record: RequestRecord | undefined) => record !== undefined && records.has(recordKey(record))

    return PaymentStore.of({
      begin: (payment, event, record) =>
        Effect.suspend(() => {
          if (holds(payment)) return Effect.succeed(false)
          if (isBegun(record)) return Effect.fail(new RequestAlreadyBegun({ key: record.key }))
          payments.set(payment.id, { payment, events: [event] })
          records.set(recordKey(record), record)
          return Effect.succeed(true)
        }),
      commit: ({ after, before, events, record }) =>
        Effect.suspend((): Effect.Effect<void, PaymentChanged | RequestAlreadyBegun> => {
          const stored = payments.get(before.id)
          if (stored?.payment.version !== before.version || hasConflict(after)) {
            return Effect.fail(new PaymentChanged({ id: before.id }))
          }
          if (record !== undefined && isBegun(record)) return Effect.fail(new RequestAlreadyBegun({ key: record.key }))
          if (!isSound(after.sums)) return Effect.die(new Error("These sums cannot be"))
          payments.set(before.id, { payment: after, events: [...stored.events, ...events] })
          if (record !== undefined) records.set(recordKey(record), record)
          schedule(before, after)
          return Effect.void
        }),
      find: Effect.fnUntraced(function* (id) {
        const found = (yield* ownPayments).find(({ payment }) => payment.id === id)
        return found === undefined ? yield* new PaymentNotFound({ id }) : found.payment
      }),
      findByReference: (merchantReference) =>
        Effect.map(
          ownPayments,
          (all) =>
            all.find(
              ({ payment }) => payment.merchantReference === merchantReference && !releasesReference(statusOf(payment))
            )?.payment
        ),
      findAttempt: (provider, reference) =>
        Effect.sync(() => {
          const owner = [...payments.values()].find(({ payment }) =>
            payment.attempts.some((one) => one.provider === provider && one.reference === reference)
          )?.payment
          if (owner === undefined) return undefined
          const { clientId, id, livemode, organizationId } = owner
          return { caller: { organizationId, clientId, livemode }, paymentId: id }
        }),
      events: (id) => Effect.map(ownPayments, (all) => all.find(({ payment }) => payment.id === id)?.events ?? []),
      dueRefunds: (now, limit) => Effect.sync(() => dueRefunds([...payments.values()], now).slice(0, limit)),
      list: (filter) =>
        Effect.map(ownPayments, (all) =>
          all
            .filter((stored) => fits(stored, filter))
            .map(({ payment }) => payment)
            .sort((a, b) => (a.id < b.id ? 1 : -1))
            .slice(0, filter.limit)
        )
    })
  })
)
