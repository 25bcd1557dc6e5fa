import { RequestAlreadyBegun, type RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { followUpOf } from "@sarraf/domain/payments/FollowUp"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { releasesReference, statusOf } from "@sarraf/domain/payments/PaymentStatus"
import {
  type DueRefund,
  PaymentChanged,
  type PaymentFilter,
  PaymentNotFound,
  PaymentStore
} from "@sarraf/domain/payments/PaymentStore"
import { isSound } from "@sarraf/domain/payments/Sums"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

const callerOf = ({ clientId, livemode, organizationId }: Payment) => ({ organizationId, clientId, livemode })

const fits = (payment: Payment, filter: PaymentFilter): boolean =>
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

const dueRefunds = (payments: Iterable<Payment>, now: Instant): ReadonlyArray<DueRefund> =>
  [...payments]
    .flatMap((payment) =>
      payment.operations.flatMap(({ availableFrom, id: operationId, status }) =>
        status === "PENDING" && availableFrom !== null && availableFrom <= now
          ? [{ at: availableFrom, due: { caller: callerOf(payment), paymentId: payment.id, operationId } }]
          : []
      )
    )
    .sort((a, b) => a.at - b.at)
    .map(({ due }) => due)

/** Payments in this process: the same compare-and-set, the same unique references and keys as the tables have. */
export const layer: Layer.Layer<PaymentStore, never, Memory> = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const { addRecord, findRecord, followUps, payments } = yield* Memory
    const every = () => [...payments.values()].map(({ payment }) => payment)
    const schedule = (before: Payment, payment: Payment) => {
      const followUp = followUpOf(before, payment)
      if (followUp === null) return
      const provider = lastAttempt(payment)?.provider ?? ""
      const needsReview = payment.needsReview !== null
      followUps.set(payment.id, { ...followUp, provider, leaseUntil: null, needsReview })
    }
    const ownPayments = Effect.map(GatewayCaller, ({ clientId, organizationId }) =>
      every().filter((payment) => payment.organizationId === organizationId && payment.clientId === clientId)
    )
    const ownStored = (id: string) =>
      Effect.map(GatewayCaller, ({ clientId, organizationId }) => {
        const stored = payments.get(id)
        const isOwn = stored?.payment.organizationId === organizationId && stored.payment.clientId === clientId
        return isOwn ? stored : undefined
      })
    const holds = (asked: Payment) =>
      every().some(
        (payment) =>
          payment.organizationId === asked.organizationId &&
          payment.clientId === asked.clientId &&
          payment.merchantReference === asked.merchantReference &&
          !releasesReference(statusOf(payment))
      )
    const isBegun = (record: RequestRecord | undefined, now: Instant) =>
      record !== undefined && findRecord(record, now) !== undefined

    return PaymentStore.of({
      begin: (payment, event, record) =>
        Effect.suspend(() => {
          if (holds(payment)) return Effect.succeed(false)
          if (isBegun(record, event.at)) return Effect.fail(new RequestAlreadyBegun({ key: record.key }))
          payments.set(payment.id, { payment, events: [event] })
          addRecord(record, event.at)
          return Effect.succeed(true)
        }),
      commit: ({ after, before, events, record }) =>
        Effect.suspend((): Effect.Effect<void, PaymentChanged | RequestAlreadyBegun> => {
          const stored = payments.get(before.id)
          if (stored?.payment.version !== before.version || hasConflict(after)) {
            return Effect.fail(new PaymentChanged({ id: before.id }))
          }
          if (record !== undefined && isBegun(record, after.updatedAt)) {
            return Effect.fail(new RequestAlreadyBegun({ key: record.key }))
          }
          if (!isSound(after.sums)) return Effect.die(new Error("These sums cannot be"))
          payments.set(before.id, { payment: after, events: [...stored.events, ...events] })
          if (record !== undefined) addRecord(record, after.updatedAt)
          schedule(before, after)
          return Effect.void
        }),
      find: Effect.fnUntraced(function* (id) {
        return (yield* ownStored(id))?.payment ?? (yield* new PaymentNotFound({ id }))
      }),
      findByReference: (merchantReference) =>
        Effect.map(ownPayments, (own) =>
          own.find(
            (payment) => payment.merchantReference === merchantReference && !releasesReference(statusOf(payment))
          )
        ),
      findAttempt: (provider, reference) =>
        Effect.sync(() => {
          const owner = every().find(({ attempts }) =>
            attempts.some((one) => one.provider === provider && one.reference === reference)
          )
          return owner === undefined ? undefined : { caller: callerOf(owner), paymentId: owner.id }
        }),
      events: (id) => Effect.map(ownStored(id), (stored) => stored?.events ?? []),
      dueRefunds: (now, limit) => Effect.sync(() => dueRefunds(every(), now).slice(0, limit)),
      list: (filter) =>
        Effect.map(ownPayments, (own) =>
          own
            .filter((payment) => fits(payment, filter))
            .sort((a, b) => (a.id < b.id ? 1 : -1))
            .slice(0, filter.limit)
        )
    })
  })
)
