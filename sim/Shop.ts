import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import type { OperationType } from "@sarraf/domain/payments/Operation"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { AdmittedRequest } from "@sarraf/domain/payments/Payments"
import type { AuthorizationRequest } from "@sarraf/domain/payments/PrepareAuthorization"
import { Clock, Effect, Exit } from "effect"
import { drawsOf } from "../crash/Draw.ts"
import { browse } from "./browse.ts"
import { caller } from "./Installation.ts"
import { ofNobody } from "./Network.ts"
import type { Process } from "./Process.ts"
import { pagesUrlOf } from "./Providers.ts"
import { cards, type Tale } from "./Tale.ts"
import type { World } from "./World.ts"

const second = 1_000
/** So often a request is sent again under its key, where nobody answered it or it was told to come again. */
const triesMax = 6
/** Answers after which a shop asks again. */
const comeAgain: ReadonlyArray<string> = ["Unavailable", "RequestStillRunning", "OperationRunning"]

interface Failed {
  readonly _tag: string
}

const requestOf = (
  { card, is3DS, merchantReference, minor }: Tale,
  currency: World["currency"]
): AuthorizationRequest => ({
  currency,
  minor,
  merchantReference,
  card: {
    cardNumber: cards[card],
    cardExpMonth: "12",
    cardExpYear: "2050",
    cardCvc: "123",
    holderName: "Ayşe Yılmaz"
  },
  isHolderNamed: true,
  installment: 1,
  is3DS,
  returnUrl: is3DS ? "https://shop.test/thanks" : null,
  buyer: {
    firstName: "Ayşe",
    lastName: "Yılmaz",
    email: "ayse@example.com",
    ip: "203.0.113.7",
    phone: "+905321234567"
  },
  billingAddress: {
    address: "İstiklal Cd. 1",
    city: "İstanbul",
    country: "TR",
    postalCode: "34000",
    state: "İstanbul"
  },
  description: null,
  metadata: {}
})

/** One order's shop and buyer. */
const makeOrder = (world: World, tale: Tale) => {
  const { anyProcess, breaks, settings, simulators, time, trace } = world
  const order = tale.merchantReference
  const draw = drawsOf(settings.seed, `conduct of ${order}`)
  const says = (who: "shop" | "buyer", what: string) => trace.add(`${who.padEnd(9)}  ${order}: ${what}`)
  let requests = 0

  /** Admits a request as the HTTP side does, and makes it. */
  const admitted = <E extends Failed>(
    process: Process,
    key: string,
    fingerprint: string,
    request: (admitted: AdmittedRequest) => Effect.Effect<Payment, E, GatewayCaller>
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { record } = yield* process.ledger.admit({
        organizationId: caller.organizationId,
        clientId: caller.clientId,
        signatureDigest: `${key} ${++requests}`,
        signatureExpiresAt: now + 300 * second,
        use: { target: key, operation: "write", idempotencyKey: key, usedAt: now },
        isBodiless: false,
        fingerprint
      })
      const actor = { name: "client:shop", requestId: `request ${requests}` }
      return yield* request({ key: { key, fingerprint }, record, actor })
    }).pipe(Effect.provideService(GatewayCaller, caller))

  /** Asks until there is an answer, or patience ends. Undefined: none, or a refusal. */
  const ask = Effect.fnUntraced(function* <E extends Failed>(
    who: "shop" | "buyer",
    what: string,
    request: (process: Process) => Effect.Effect<Payment, E>
  ) {
    for (let tries = 0; tries < triesMax; tries++) {
      const process = yield* anyProcess(draw)
      says(who, `asks ${process.name} to ${what}`)
      const exit = yield* process.reach(request(process))
      if (exit !== undefined && Exit.isSuccess(exit)) {
        says(who, `hears of ${what}: ${statusOf(exit.value)}`)
        return exit.value
      }
      const reason = exit?.cause.reasons[0]
      if (reason?._tag === "Die") breaks(`${order}: a request to ${what} died: ${reason.defect}`)
      const error = reason?._tag === "Fail" ? reason.error._tag : "nothing"
      says(who, `hears of ${what}: ${error}`)
      if (exit !== undefined && !comeAgain.includes(error)) return undefined
      yield* Effect.sleep(draw.whole(second, 30 * second))
    }
    return undefined
  })

  const authorizeUnder = (key: string) =>
    ask("shop", "authorize", (process) =>
      admitted(process, key, `content of ${order}`, (request) =>
        Effect.map(process.payments.authorize(requestOf(tale, world.currency), request), ({ payment }) => payment)
      )
    )

  /** The buyer goes to the issuer, and comes back as the tale has it. */
  const visitIssuer = Effect.fnUntraced(function* (payment: Payment) {
    const provider = lastAttempt(payment)?.provider ?? ""
    const simulator = simulators.get(provider)
    yield* Effect.sleep(tale.buyerMillis)
    if (tale.buyer === "leaves" || simulator === undefined) return says("buyer", "leaves")
    const before = yield* anyProcess(draw)
    const proceeded = yield* before.reach(before.challenges.proceed(payment.id, "request proceed"))
    const step = proceeded !== undefined && Exit.isSuccess(proceeded) ? proceeded.value : undefined
    if (step === undefined) return says("buyer", "is not sent on, and leaves")
    const answer = tale.buyer === "wrong" || tale.buyer === "cancel" ? tale.buyer : "right"
    const returnUrl = `https://gateway.test/pf/v1/3ds/${payment.id}`
    const visited = yield* Effect.exit(
      ofNobody(browse(simulator, step, answer, { pagesUrl: pagesUrlOf(provider), returnUrl }))
    )
    if (Exit.isFailure(visited)) return says("buyer", "sees an error at the issuer, and leaves")
    const { returned } = visited.value
    const back = ask("buyer", "finish", (process) =>
      process.challenges.comeBack(payment.id, { returned, buyerIp: "203.0.113.7", requestId: "request return" })
    )
    yield* Effect.all(tale.buyer === "twice" ? [back, back] : [back], { concurrency: "unbounded", discard: true })
  })

  /** Authorizes, with a buyer where one is needed. */
  const authorize = Effect.fnUntraced(function* (key: string) {
    const [payment] = yield* Effect.all(
      tale.isRepeatedAtOnce ? [authorizeUnder(key), authorizeUnder(key)] : [authorizeUnder(key)],
      { concurrency: "unbounded" }
    )
    if (payment !== undefined && statusOf(payment) === "REQUIRES_ACTION") yield* visitIssuer(payment)
    return payment
  })

  const operateUnder = (id: string, type: OperationType, share: number, key: string) => {
    const minor = (tale.minor * BigInt(share)) / 100n
    const part = share === 100 || type === "VOID" || minor === 0n ? {} : { minor }
    const what = `${type.toLowerCase()} ${"minor" in part ? part.minor : "all"}`
    return ask("shop", what, (process) =>
      admitted(process, key, `${id} ${what}`, (request) =>
        Effect.map(process.payments.operate(id, { type, ...part }, request), ({ payment }) => payment)
      )
    )
  }
  return { authorize, operateUnder, isOver: () => time.elapsed() > settings.minutes * 60 * second }
}

/** Plays an order from its beginning, until its tale is told or the run's time is over. */
export const play = Effect.fnUntraced(function* (world: World, tale: Tale) {
  yield* Effect.sleep(tale.startsAt)
  const { authorize, isOver, operateUnder } = makeOrder(world, tale)
  const order = tale.merchantReference
  let payment = yield* authorize(`${order} authorize 0`)
  for (const [index, step] of tale.steps.entries()) {
    yield* Effect.sleep(step.afterMillis)
    if (payment === undefined || isOver()) return
    const key = `${order} ${step.type} ${index + 1}`
    if (step.type === "AUTHORIZE") {
      payment = (yield* authorize(key)) ?? payment
      continue
    }
    const other = step.times === "twice under two keys" ? `${key} again` : key
    const keys = step.times === "once" ? [key] : [key, other]
    const { id } = payment
    const { share, type } = step
    yield* Effect.forEach(keys, (one) => operateUnder(id, type, share, one), {
      concurrency: "unbounded",
      discard: true
    })
  }
})
