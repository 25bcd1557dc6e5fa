import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { capturable } from "@sarraf/domain/payments/Sums"
import { isCharged, type Order } from "./books.ts"
import { type Exchange, patienceMillis, type Told, type ToldOperation } from "./ClientRecord.ts"

import type { Kept, Snapshot } from "./Snapshot.ts"
import { storyOf } from "./story.ts"
import { orderOf, type Unfinished, workMillis } from "./unfinished.ts"

/** Something that must not be. */
export interface Violation {
  readonly message: string
  readonly paymentIds: ReadonlyArray<string>
  /** Whose record tells of it. */
  readonly stories: ReadonlyArray<string>
}

/** All that the checks look at. */
export interface Evidence {
  readonly seed: number
  readonly exchanges: ReadonlyArray<Exchange>
  readonly snapshot: Snapshot
  readonly unfinished: ReadonlyMap<string, Unfinished>
  /** What the simulators' book has lost with its database. */
  readonly forgotten: ReadonlySet<string>
}

type Check = (evidence: Evidence) => ReadonlyArray<Violation>

const minorOf = (major: number): bigint => BigInt(Math.round(major * 100))

const about = (payment: Payment, message: string): Violation => ({
  message: `${payment.id}: ${message}`,
  paymentIds: [payment.id],
  stories: [payment.merchantReference]
})

const of = ({ sent }: Exchange, message: string, paymentId?: string): Violation => ({
  message: `${sent.story}, request ${sent.number} (${sent.asked}): ${message}`,
  paymentIds: paymentId === undefined ? [] : [paymentId],
  stories: [sent.story]
})

const groups = <A>(
  items: ReadonlyArray<A>,
  nameOf: (item: A) => string | null
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const found = new Map<string, Array<A>>()
  for (const item of items) {
    const name = nameOf(item)
    if (name === null) continue
    const group = found.get(name)
    if (group === undefined) found.set(name, [item])
    else group.push(item)
  }
  return found
}

const operationFaults = ({ payment }: Kept, told: ToldOperation): ReadonlyArray<string> => {
  const kept = payment.operations.find(({ id }) => id === told.operationId)
  if (kept === undefined) return [`${told.type} ${told.operationId} was acknowledged and is missing`]
  const isSame = kept.type === told.type && kept.minor === minorOf(told.amount)
  return [
    ...(isSame ? [] : [`${told.type} ${told.operationId} of ${told.amount} is another now`]),
    ...(told.status === "PENDING" || told.status === kept.status
      ? []
      : [`${told.type} ${told.operationId} was ${told.status} and is ${kept.status}`])
  ]
}

const endedWithout: ReadonlyArray<string> = ["DECLINED", "FAILED", "VOIDED", "EXPIRED"]

/** Where the payment of now does not follow from the one that was told. */
const stateFaults = ({ payment }: Kept, told: Told): ReadonlyArray<string> => {
  const { sums } = payment
  const status = statusOf(payment)
  const isSame =
    payment.merchantReference === told.merchantReference &&
    payment.money.currency === told.currency &&
    payment.money.minor === minorOf(told.amount)
  const authorized = minorOf(told.authorizedAmount)
  const falls = (
    [
      ["captured", told.capturedAmount],
      ["refunded", told.refundedAmount],
      ["released", told.releasedAmount]
    ] as const
  ).flatMap(([name, amount]) =>
    sums[name] < minorOf(amount) ? [`${name} was ${amount} and is ${sums[name]} in minor units`] : []
  )
  return [
    ...(isSame ? [] : ["reference, amount or currency are others now"]),
    ...(authorized === 0n || authorized === sums.authorized ? [] : [`was ${told.status} and is ${status}`]),
    ...(endedWithout.includes(told.status) && told.status !== status ? [`was ${told.status} and is ${status}`] : []),
    ...falls
  ]
}

/** No acknowledged payment is missing, or in a state that does not follow from the acknowledged one. */
export const acknowledged: Check = ({ exchanges, snapshot }) =>
  exchanges.flatMap((exchange) => {
    const told = exchange.answered?.told ?? null
    if (told === null) return []
    const kept = snapshot.kept.get(told.transactionId)
    if (kept === undefined) return [of(exchange, `${told.transactionId} was acknowledged and is missing`)]
    const faults = [
      ...stateFaults(kept, told),
      ...(told.operation === undefined ? [] : operationFaults(kept, told.operation))
    ]
    return faults.map((fault) => of(exchange, `${told.transactionId} ${fault}`, told.transactionId))
  })

/** No buyer is charged twice: one order with money for a payment, one payment with money for a merchantReference. */
export const chargedOnce: Check = ({ snapshot, unfinished }) => {
  const charged = [...snapshot.kept.values()].map(({ payment }) => ({
    payment,
    orders: payment.attempts.flatMap((attempt) => {
      const order = orderOf(snapshot.orders, attempt)
      return order !== undefined && isCharged(order) ? [order] : []
    })
  }))
  const twice = charged
    .filter(({ orders, payment }) => orders.length > 1 && !unfinished.has(payment.id))
    .map(({ orders, payment }) =>
      about(payment, `is charged at ${orders.map(({ provider }) => provider).join(" and ")}`)
    )
  const byReference = groups(
    charged.filter(({ orders, payment }) => orders.length > 0 && !unfinished.has(payment.id)),
    ({ payment }) => `${payment.clientId} ${payment.merchantReference}`
  )
  const shared = [...byReference.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      message: `${group[0]?.payment.merchantReference} is charged as ${group.map(({ payment }) => payment.id).join(" and ")}`,
      paymentIds: group.map(({ payment }) => payment.id),
      stories: group.map(({ payment }) => payment.merchantReference)
    }))
  return [...twice, ...shared]
}

/** Every payment is settled, needs a person, or waits for something whose time has not come. */
export const settled: Check = ({ snapshot, unfinished }) =>
  [...unfinished.values()].flatMap(({ dueAt, paymentId, why }) => {
    const kept = snapshot.kept.get(paymentId)
    return kept === undefined || dueAt + workMillis > snapshot.at ? [] : [about(kept.payment, why)]
  })

/** The attempt that stands for the payment's money, by our books. */
const standing = (payment: Payment) => (payment.sums.authorized > 0n ? lastAttempt(payment) : undefined)

const sumFaults = (payment: Payment, order: Order): ReadonlyArray<string> => {
  const { captured, refunded } = payment.sums
  const there = { captured: BigInt(order.captured), refunded: BigInt(order.refunded) }
  // What was given back whole before it settled is a capture that never was, at some providers.
  const isTakenBack = captured === refunded && there.captured === there.refunded
  const left = capturable(payment.sums)
  return [
    ...(there.captured === captured || isTakenBack ? [] : [`captured ${there.captured} there and ${captured} here`]),
    ...(there.refunded === refunded || isTakenBack ? [] : [`refunded ${there.refunded} there and ${refunded} here`]),
    ...(order.held === null || BigInt(order.held) === left ? [] : [`${order.held} held there and ${left} here`])
  ]
}

/** To the minor unit, the simulators' books hold what ours do, and no order that is none of ours. */
export const sumsAreEqual: Check = ({ forgotten, snapshot, unfinished }) => {
  const known = new Set<Order>()
  const read = new Set(snapshot.orders.map(({ provider }) => provider))
  const faults = [...snapshot.kept.values()].flatMap(({ payment }) => {
    const counts = !unfinished.has(payment.id) && !forgotten.has(payment.id) && payment.needsReview === null
    return payment.attempts.flatMap((attempt) => {
      const order = orderOf(snapshot.orders, attempt)
      if (order !== undefined) known.add(order)
      if (!counts) return []
      const name = `${attempt.provider} ${attempt.reference}`
      if (attempt !== standing(payment)) {
        return order !== undefined && isCharged(order)
          ? [about(payment, `${name} is charged, and does not stand for the payment`)]
          : []
      }
      if (order !== undefined) return sumFaults(payment, order).map((fault) => about(payment, `${name}: ${fault}`))
      return read.has(attempt.provider) ? [about(payment, `${name} is not in the provider's book`)] : []
    })
  })
  const strangers = snapshot.orders
    .filter((order) => isCharged(order) && !known.has(order))
    .map(({ provider, reference }) => ({
      message: `${provider} ${reference} is charged there, and no payment of ours`,
      paymentIds: [],
      stories: []
    }))
  return [...faults, ...strangers]
}

/** The event log rebuilds what the tables hold. */
export const rebuilds: Check = ({ snapshot }) => [
  ...[...snapshot.kept.values()].flatMap(({ differences, payment }) =>
    differences.map((difference) => about(payment, difference))
  ),
  ...snapshot.strays.map((message) => ({ message, paymentIds: [], stories: [] }))
]

/** Under one key one payment, and one operation, however often it was sent. */
export const repeatsAgree: Check = ({ exchanges }) =>
  [...groups(exchanges, ({ sent }) => sent.key)].flatMap(([key, group]) => {
    const told = group.flatMap(({ answered }) => answered?.told ?? [])
    const payments = new Set(told.map(({ transactionId }) => transactionId))
    const operations = new Set(told.flatMap(({ operation }) => operation?.operationId ?? []))
    const stories = [...new Set(group.map(({ sent }) => sent.story))]
    return [
      ...(payments.size > 1 ? [{ message: `${key} was answered with ${[...payments].join(" and ")}` }] : []),
      ...(operations.size > 1 ? [{ message: `${key} was answered with ${[...operations].join(" and ")}` }] : [])
    ].map(({ message }) => ({ message, paymentIds: [...payments], stories }))
  })

/** Nothing was done that nobody asked for, or more often than it was asked for. */
export const asAsked: Check = ({ exchanges, snapshot }) => {
  const wanted = groups(exchanges, ({ sent }) => sent.paymentId)
  const stories = groups(exchanges, ({ sent }) => sent.story)
  return [...snapshot.kept.values()].flatMap(({ payment }) => {
    if (!stories.has(payment.merchantReference)) return [about(payment, "is a payment that nobody asked for")]
    const asked = wanted.get(payment.id) ?? []
    const kinds = groups(payment.operations, ({ minor, type }) => (type === "VOID" ? type : `${type} ${minor}`))
    return [...kinds].flatMap(([kind, operations]) => {
      const requests = asked.filter(
        ({ sent }) => kind === (sent.asked === "void" ? "VOID" : `${sent.asked.toUpperCase()} ${sent.minor}`)
      )
      const keys = new Set(requests.map(({ sent }) => sent.key))
      const done = operations.filter(({ status }) => status !== "FAILED")
      return done.length > keys.size
        ? [about(payment, `${kind} is there ${done.length} times and was asked for ${keys.size} times`)]
        : []
    })
  })
}

const moneyless: ReadonlyArray<string> = ["insufficientFunds", "declined", "providerError", "neverArrives"]

/** What the sandbox's cards end in, whatever is broken meanwhile (contract section 5). */
export const cardsDecide: Check = ({ seed, snapshot }) =>
  [...snapshot.kept.values()].flatMap(({ payment }) => {
    const [, client, number] = /^c(\d+)-(\d+)$/.exec(payment.merchantReference) ?? []
    const story = storyOf(seed, Number(client), Number(number))
    return moneyless.includes(story.card) && payment.sums.authorized > 0n
      ? [about(payment, `is ${statusOf(payment)} by the card ${story.card}`)]
      : []
  })

/** Never an answer to requests as correct as these, whatever is broken. */
const neverAnswered: ReadonlyArray<string> = [
  "INTERNAL_ERROR",
  "INVALID_REQUEST",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "INVALID_SIGNATURE",
  "TIMESTAMP_EXPIRED",
  "SIGNATURE_REUSED",
  "DUPLICATE_REFERENCE",
  "IDEMPOTENCY_CONFLICT"
]

/** No answer that blames the caller, and none that blames the gateway's own code. */
export const answersFit: Check = ({ exchanges }) =>
  exchanges.flatMap((exchange) => {
    const { code = null, status = null } = exchange.answered ?? {}
    return status !== null && code !== null && neverAnswered.includes(code)
      ? [of(exchange, `was answered ${status} ${code}`, exchange.answered?.told?.transactionId)]
      : []
  })

/** A connection may break, but nobody waits for ever. */
export const answersCome: Check = ({ exchanges }) =>
  exchanges.flatMap((exchange) => {
    const { answered, sent } = exchange
    return sent.asked !== "visit" && answered !== null && answered.at - sent.at >= patienceMillis
      ? [of(exchange, `had no answer after ${patienceMillis / 1000} s`)]
      : []
  })

/** Where every request was answered 503 nothing was sent anywhere. */
export const unavailableSentNothing: Check = ({ exchanges, snapshot }) => {
  const asked = groups(
    exchanges.filter(({ sent }) => sent.asked === "authorize"),
    ({ sent }) => sent.story
  )
  return [...snapshot.kept.values()].flatMap(({ payment }) => {
    const own = asked.get(payment.merchantReference) ?? []
    const isRefused = own.length > 0 && own.every(({ answered }) => answered?.status === 503)
    const isThere = payment.attempts.some((attempt) => orderOf(snapshot.orders, attempt) !== undefined)
    return isRefused && isThere ? [about(payment, "was answered 503 UNAVAILABLE and reached a provider")] : []
  })
}

/** Every check, by the sentence that it stands for. */
export const checks: Readonly<Record<string, Check>> = {
  "acknowledged payments are there, as acknowledged": acknowledged,
  "no merchantReference is charged twice": chargedOnce,
  "every payment is settled or needs a person": settled,
  "our sums are the simulators' to the minor unit": sumsAreEqual,
  "the event log rebuilds the tables": rebuilds,
  "repeats were answered with the same payment": repeatsAgree,
  "nothing was done that nobody asked for": asAsked,
  "cards end as the sandbox says": cardsDecide,
  "no answer blames the caller or our own code": answersFit,
  "every request is answered, or its connection breaks": answersCome,
  "503 means that nothing was sent": unavailableSentNothing
}
