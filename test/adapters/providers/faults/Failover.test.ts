import { assert, describe, it } from "@effect/vitest"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { capturable, isSound, refundable } from "@sarraf/domain/payments/Sums"
import { Effect, Schema } from "effect"
import { differences, isSettled, settlesAll } from "../../../../sim/Books.ts"
import { type Fault, faults, isDuplicate, lostAfter, minutesLate } from "../../../../sim/Fault.ts"
import { everyProvider, type FaultyGateway, openFaultyGateway } from "./FaultyGateway.ts"
import { authorize, begin, type Journey, operate, settled, visitIssuer, whileTimeRuns } from "./Journey.ts"
import { arm } from "./Wire.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** So many kinds of a disturbance are a provider that is down, so that another is tried, and so many come minutes late. */
const downKinds = 12
const lateKinds = 8

/** What happens to the request of this number. */
const Disturbance = Schema.Struct({
  request: whole(1, 6),
  kind: whole(0, downKinds + lateKinds + faults.length - 1)
})

const Step = Schema.Struct({
  type: Schema.Literals(["CAPTURE", "REFUND", "VOID", "AUTHORIZE AGAIN"]),
  /** Of what is left, in percent. */
  share: whole(1, 100),
  disturbances: Schema.Array(Disturbance).check(Schema.isMaxLength(2))
})

const Tale = Schema.Struct({
  is3DS: Schema.Boolean,
  disturbances: Schema.Array(Disturbance).check(Schema.isMaxLength(4)),
  steps: Schema.Array(Step).check(Schema.isMaxLength(3))
})

const World = Schema.Struct({
  currency: Schema.Literals(["AED", "EUR", "TRY", "USD"]),
  /** Which of the providers that take the currency are there, counted round. */
  providers: Schema.Array(whole(0, 100)).check(Schema.isMinLength(2), Schema.isMaxLength(4)),
  tales: Schema.Array(Tale).check(Schema.isMinLength(1), Schema.isMaxLength(6))
})

const [down = lostAfter] = faults
const usual = [
  ...Array.from({ length: downKinds }, () => down),
  ...Array.from({ length: lateKinds }, () => minutesLate)
]
const kindsOfAuthorizations = [...usual, ...faults]
/** A refund of a part that comes twice is two at some providers, which nobody can tell from two that were asked for. */
const kindsOfSteps = faults.map((fault) => (isDuplicate(fault) ? lostAfter : fault))

const planOf = (disturbances: ReadonlyArray<typeof Disturbance.Type>, kinds: ReadonlyArray<Fault>) =>
  new Map(disturbances.map(({ kind, request }) => [request, kinds[kind % kinds.length] ?? down]))

const chosen = ({ currency, providers }: typeof World.Type): ReadonlyArray<string> => {
  const able = everyProvider.filter((one) => one.capabilities.currencies.includes(currency)).map(({ id }) => id)
  return [...new Set(providers.flatMap((number) => able[number % able.length] ?? []))]
}

/** An undisturbed buyer, where one is needed. */
const withBuyer = Effect.fnUntraced(function* (journey: Journey, payment: Payment) {
  if (statusOf(payment) !== "REQUIRES_ACTION") return payment
  return yield* journey.gateway.comeBack(payment.id, yield* visitIssuer(journey, payment), journey.wire)
})

const take = Effect.fnUntraced(function* (journey: Journey, payment: Payment, step: typeof Step.Type, is3DS: boolean) {
  arm(journey.wire, planOf(step.disturbances, kindsOfSteps))
  if (step.type === "AUTHORIZE AGAIN") return yield* authorize(journey, is3DS)
  const left = step.type === "REFUND" ? refundable(payment.sums) : capturable(payment.sums)
  const minor = (left * BigInt(step.share)) / 100n
  return yield* operate(journey, payment, { type: step.type, ...(minor > 0n ? { minor } : {}) })
})

/** After a challenge that nobody took, and silence that has become proof; and after the last look but one at what ended. */
const settlingMillis = 25 * 60_000
const lateLooksMillis = 70 * 60_000

/** One payment from its beginning to its end, however often it is asked for meanwhile. */
const tell = Effect.fnUntraced(function* (gateway: FaultyGateway, world: typeof World.Type, number: number) {
  const tale = world.tales[number]
  if (tale === undefined) return []
  const journey = begin(gateway, world.currency, `tale ${number}`)
  arm(journey.wire, planOf(tale.disturbances, kindsOfAuthorizations))
  const [first] = yield* Effect.all(
    [authorize(journey, tale.is3DS), Effect.exit(Effect.delay(authorize(journey, tale.is3DS), 1_000))],
    { concurrency: "unbounded" }
  )
  let payment = yield* withBuyer(journey, first)
  // What is refused, or has to wait for another, is no fault of anybody's here.
  for (const step of tale.steps) {
    yield* Effect.exit(take(journey, payment, step, tale.is3DS))
    payment = yield* gateway.stored(payment.id)
  }
  arm(journey.wire)
  payment = yield* settled(journey, payment, settlingMillis)
  if (tale.disturbances.some(({ kind }) => kindsOfAuthorizations[kind] === minutesLate)) {
    yield* Effect.sleep(lateLooksMillis)
    payment = yield* gateway.stored(payment.id)
  }
  return [...(yield* differences(gateway, payment)), ...wrongWith(gateway, payment)].map(
    (problem) => `tale ${number}: ${problem}`
  )
})

const wrongWith = (gateway: FaultyGateway, payment: Payment): ReadonlyArray<string> => {
  const same = gateway.all().filter(({ merchantReference }) => merchantReference === payment.merchantReference)
  const last = gateway.providers.get(payment.attempts.at(-1)?.provider ?? "")
  const { length: asked } = gateway.authorizationsOf(payment)
  return [
    ...(isSound(payment.sums) ? [] : ["its sums cannot be"]),
    ...(isSettled(payment) || last === undefined || !settlesAll(last) ? [] : [`it is left ${statusOf(payment)}`]),
    ...(same.length === 1 ? [] : [`it was begun ${same.length} times`]),
    ...(asked === payment.attempts.length ? [] : [`${asked} authorizations for ${payment.attempts.length} attempts`])
  ]
}

describe("A payment that may go to several providers", () => {
  it.effect.prop(
    "is held by one of them at most, whatever the network does, and each attempt is sent once",
    [World],
    ([world]) =>
      Effect.gen(function* () {
        const gateway = yield* openFaultyGateway(chosen(world))
        const numbers = world.tales.map((_, index) => index)
        const all = Effect.forEach(numbers, (number) => tell(gateway, world, number), { concurrency: "unbounded" })
        const problems = (yield* whileTimeRuns(all)).flat()
        assert.strictEqual(problems.join("; "), "", chosen(world).join(", "))
      }).pipe(Effect.scoped),
    { timeout: 60_000, arbitrary: { runs: 100, maxShrinks: 60 } }
  )
})
