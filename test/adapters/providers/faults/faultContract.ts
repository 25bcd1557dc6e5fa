import { assert, it } from "@effect/vitest"
import type { Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { differences, isSettled, settlesAll } from "../../../../sim/Books.ts"
import {
  type Fault,
  faults,
  isDuplicate,
  isLate,
  lostAfter,
  lostBefore,
  muchTooLateMillis
} from "../../../../sim/Fault.ts"
import { authorizing, type DisturbedOperation, operations } from "./disturbedOperations.ts"
import { currencyOf, type FaultyGateway, openGatewayTo } from "./FaultyGateway.ts"
import { authorize, begin, type Journey, settled, takeToItsEnd, whileTimeRuns } from "./Journey.ts"
import { arm, type Wire } from "./Wire.ts"

/** What happens to which request of the disturbed step; they count from 1. */
type Plan = ReadonlyMap<number, Fault>

/** A request's own end, and two minutes after the provider answers again or its silence is proof (contract section 4). */
const patienceOf = ({ capabilities: { query } }: PaymentProvider): number =>
  30_000 + Duration.toMillis(query.absenceProvenAfter ?? 0) + 120_000

/** Nobody declines in these journeys but the issuer that has not seen its buyer. */
const isFalselyDeclined = (payment: Payment): boolean =>
  statusOf(payment) === "DECLINED" && !(payment.is3DS && payment.error?.code === "3DS_FAILED")

const judged = Effect.fnUntraced(function* ({ gateway }: Journey, provider: PaymentProvider, payment: Payment) {
  const problems = [...(yield* differences(gateway, payment))]
  if (isFalselyDeclined(payment)) problems.push(`it is called declined: ${payment.error?.code}`)
  if (!settlesAll(provider)) return problems
  if (!isSettled(payment)) problems.push(`it is not settled: ${statusOf(payment)}`)
  if (payment.needsReview !== null) problems.push(`it needs a review: ${payment.needsReview}`)
  return problems
})

/** One payment to its end with one step disturbed: what is wrong with it, and what the step sent. */
const disturb = Effect.fnUntraced(function* (
  journey: Journey,
  provider: PaymentProvider,
  operation: DisturbedOperation,
  plan: Plan,
  elsewhere: Wire["elsewhere"]
) {
  const { gateway, wire } = journey
  const step = yield* operation.prepare(journey)
  const startedAt = yield* Clock.currentTimeMillis
  arm(wire, plan, elsewhere)
  const answered = yield* step
  const { answers, firstQuestion, requests } = wire
  arm(wire)
  const problems = isSettled(answered) ? [...(yield* judged(journey, provider, answered))] : []
  const after = operation.goOn === undefined ? answered : yield* operation.goOn(journey, answered)
  const left = (millis: number) => Effect.map(Clock.currentTimeMillis, (now) => startedAt + millis - now)
  if ([...plan.values()].some(isLate)) yield* Effect.sleep(yield* left(muchTooLateMillis + 3_000))
  const payment = yield* settled(journey, after, yield* left(patienceOf(provider)))
  problems.push(...(yield* judged(journey, provider, payment)))
  if (problems.length === 0 && isSettled(payment)) {
    problems.push(...(yield* judged(journey, provider, yield* takeToItsEnd(journey, payment))))
  }
  const { length: asked } = gateway.authorizationsOf(payment)
  if (asked !== payment.attempts.length) problems.push(`the provider was asked ${asked} times to authorize it`)
  return { problems, sent: { answers, firstQuestion, requests } }
})

const named = (plan: Plan): string => [...plan].map(([number, { name }]) => `${name} at request ${number}`).join(", ")

const runAll = Effect.fnUntraced(function* (
  gateway: FaultyGateway,
  provider: PaymentProvider,
  operation: DisturbedOperation,
  plans: ReadonlyArray<Plan>,
  elsewhere: Wire["elsewhere"]
) {
  const found = yield* Effect.forEach(
    plans,
    (plan, index) =>
      disturb(
        begin(gateway, currencyOf(provider), `${operation.name} ${index}`),
        provider,
        operation,
        plan,
        elsewhere
      ).pipe(
        Effect.map(({ problems }) => problems),
        Effect.catchCause((cause) => Effect.succeed([`${cause}`])),
        Effect.map((problems) =>
          problems.length === 0 ? [] : [`${named(plan)}: ${[...new Set(problems)].join("; ")}`]
        )
      ),
    { concurrency: "unbounded" }
  )
  return found.flat()
})

/** What the step sends where nothing disturbs it but that these answers are lost. */
const rehearse = (
  gateway: FaultyGateway,
  provider: PaymentProvider,
  operation: DisturbedOperation,
  lost: ReadonlyArray<number> = []
) => {
  const plan: Plan = new Map(lost.map((number) => [number, lostAfter]))
  const journey = begin(gateway, currencyOf(provider), `rehearsed ${operation.name} ${lost.join(" ")}`)
  return Effect.map(whileTimeRuns(disturb(journey, provider, operation, plan, new Map())), ({ sent }) => sent)
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) => from + index)

/** `twice`: each fault also at two requests in a row, so that a repetition is disturbed too. */
type Extent = "once" | "twice"

/** Each fault at each of the requests. */
const plansAt = (
  numbers: ReadonlyArray<number>,
  extent: Extent,
  chosen: ReadonlyArray<Fault> = faults,
  lost: ReadonlyArray<number> = []
): ReadonlyArray<Plan> => {
  const before = lost.map((number) => [number, lostAfter] as const)
  return numbers.flatMap((number) =>
    chosen.flatMap((fault) => {
      const once: Plan = new Map([...before, [number, fault]])
      return extent === "once" ? [once] : [once, new Map([...once, [number + 1, fault]])]
    })
  )
}

/** Every fault at every request of the operation. */
const everyFault = Effect.fnUntraced(function* (id: string, operation: DisturbedOperation, extent: Extent) {
  const { gateway, provider } = yield* openGatewayTo(id)
  const { answers, requests } = yield* rehearse(gateway, provider, operation)
  const isRepeated =
    operation.isRepeated !== undefined &&
    (yield* whileTimeRuns(operation.isRepeated(begin(gateway, currencyOf(provider), `repeated ${operation.name}`))))
  const chosen = isRepeated ? faults.filter((fault) => !isDuplicate(fault)) : faults
  const plans = plansAt(range(1, requests), extent, chosen)
  const problems = yield* whileTimeRuns(runAll(gateway, provider, operation, plans, answers))
  assert.deepStrictEqual(problems, [], `${id}, of ${plans.length} payments with a disturbed ${operation.name}`)
})

/** The fewest lost answers after which the provider is asked what has become of the authorization. */
const lossesBeforeQuestion = Effect.fnUntraced(function* (gateway: FaultyGateway, provider: PaymentProvider) {
  const { requests } = yield* rehearse(gateway, provider, authorizing)
  for (const count of range(1, 3)) {
    for (const first of range(1, requests).toReversed()) {
      const lost = range(first, first + count - 1)
      const sent = yield* rehearse(gateway, provider, authorizing, lost)
      if (sent.firstQuestion > 0) return { lost, ...sent }
    }
  }
  return undefined
})

/** Every fault at every request of the question that follows an authorization whose answer was lost. */
const everyFaultOfTheQuestion = Effect.fnUntraced(function* (id: string, extent: Extent) {
  const { gateway, provider } = yield* openGatewayTo(id)
  const sent = yield* lossesBeforeQuestion(gateway, provider)
  assert(sent !== undefined, "it was never asked")
  const plans = plansAt(range(sent.firstQuestion, sent.requests), extent, faults, sent.lost)
  const problems = yield* whileTimeRuns(runAll(gateway, provider, authorizing, plans, sent.answers))
  assert.deepStrictEqual(problems, [], `${id}, of ${plans.length} payments with a disturbed question`)
})

/** After the last question of the schedule (contract section 4, unknown outcomes), whichever way it is counted. */
const scheduleMillis = Duration.toMillis("50 hours")

/** What never came to a provider that cannot be asked is for a person in the end, and neither declined nor lost. */
const reviewed = Effect.fnUntraced(function* (id: string) {
  const { gateway, provider } = yield* openGatewayTo(id)
  const journey = begin(gateway, currencyOf(provider), "never arrived")
  arm(journey.wire, new Map(range(1, 8).map((number) => [number, lostBefore])))
  const { id: paymentId } = yield* whileTimeRuns(authorize(journey))
  yield* TestClock.adjust(scheduleMillis)
  const payment = yield* gateway.stored(paymentId)
  assert.strictEqual(statusOf(payment), "PENDING")
  assert.isNotNull(payment.needsReview)
  assert.deepStrictEqual(yield* differences(gateway, payment), [])
})

/**
 * A provider's adapter and simulator in the whole gateway, with every fault at every request: in the end both books say
 * the same, nothing unknown was called declined, and everything is settled that can be.
 */
export const faultContract = (provider: PaymentProvider, extent: Extent): void => {
  const { capabilities, id } = provider
  for (const operation of operations) {
    if (!operation.isOffered(provider)) continue
    it.effect(`settles a disturbed ${operation.name}`, () => everyFault(id, operation, extent))
  }
  if (capabilities.query.byReference) {
    it.effect("settles a lost authorization whose question is disturbed", () => everyFaultOfTheQuestion(id, extent))
  }
  if (!settlesAll(provider)) it.effect("leaves to a person what nobody can tell", () => reviewed(id))
}
