import { Memory } from "@sarraf/adapters/memory/Memory"
import { catalogue } from "@sarraf/adapters/providers/catalogue"
import type { PostedNotification, Simulator } from "@sarraf/adapters/providers/Simulator"
import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Context, Deferred, Effect, Latch, Layer } from "effect"
import { type Draw, drawsOf } from "../crash/Draw.ts"
import * as CopiedBook from "./CopiedBook.ts"
import * as Disturbances from "./Disturbances.ts"
import * as Installation from "./Installation.ts"
import { wrongAtOnce } from "./Invariants.ts"
import { makeWire, ofNobody, traced } from "./Network.ts"
import * as Process from "./Process.ts"
import { type Counterparties, openProviders, pagesUrlOf } from "./Providers.ts"
import type { Settings } from "./Settings.ts"
import { settingOf, type Tale, talesOf } from "./Tale.ts"
import * as Trace from "./Trace.ts"
import type { VirtualTime } from "./VirtualTime.ts"

const processCount = 2
const second = 1_000
/** Until a process that died is started again, at most. */
const restartMillisMax = 20 * second
/** Until what nobody acknowledged is posted again. */
const postAgainMillis = 10 * second
const postsMax = 60

/** All that there is in a run: an installation, its processes, the providers behind it, and what breaks. */
export interface World {
  readonly settings: Settings
  readonly time: VirtualTime
  readonly trace: Trace.Trace
  readonly disturbances: Disturbances.Disturbances
  readonly tales: ReadonlyArray<Tale>
  readonly currency: PaymentCurrency
  readonly simulators: ReadonlyMap<string, Simulator>
  readonly counterparties: Counterparties
  readonly payments: () => ReadonlyArray<Payment>
  /** Any process that lives, as soon as there is one. */
  readonly anyProcess: (draw: Draw) => Effect.Effect<Process.Process>
  /** Ends all processes, and starts none before `millis` have passed. */
  readonly standStill: (millis: number) => Effect.Effect<void>
  /** Ends the run: an invariant is broken. */
  readonly breaks: (what: string) => void
  readonly broken: Deferred.Deferred<string>
}

/** Which providers take a currency; none is spoken to. */
const ableIn = (() => {
  const all = openProviders(catalogue, CopiedBook.make(), () => Effect.void).providers
  return (currency: PaymentCurrency) =>
    all.filter(({ capabilities }) => capabilities.currencies.includes(currency)).map(({ id }) => id)
})()

const stateOf = (payment: Payment): string => {
  const { captured, refunded, released } = payment.sums
  const sums =
    payment.sums.authorized === 0n ? "" : `, captured ${captured}, refunded ${refunded}, released ${released}`
  const review = payment.needsReview === null ? "" : `, needs review: ${payment.needsReview}`
  return `${statusOf(payment)} at ${lastAttempt(payment)?.provider}${sums}${review}`
}

type Deliver = (provider: string, posted: PostedNotification) => Effect.Effect<void>

/** Posts what simulators notify: late, twice and in any order where the seed has it so, and until it is acknowledged. */
const makePost = (world: Pick<World, "anyProcess" | "breaks" | "disturbances" | "settings" | "trace">): Deliver => {
  const { anyProcess, breaks, disturbances, settings, trace } = world
  const draw = drawsOf(settings.seed, "posts")
  const deliver = Effect.fnUntraced(function* (provider: string, { body, headers }: PostedNotification) {
    for (let posts = 0; posts < postsMax; posts++) {
      const process = yield* anyProcess(draw)
      const exit = yield* process.reach(process.notifications.receive(provider, { headers, body, query: {} }))
      if (exit?._tag === "Success") return trace.add(`${process.name}  acknowledges a message of ${provider}`)
      const reason = exit?.cause.reasons[0]
      const isAway = exit === undefined || (reason?._tag === "Fail" && reason.error._tag === "Unavailable")
      if (!isAway) return breaks(`a message of ${provider} was refused: ${exit?.cause}`)
      yield* Effect.sleep(postAgainMillis)
    }
  })
  return (provider, posted) =>
    Effect.suspend(() => {
      const struck = disturbances.at(`post.${provider}`, 200, (chosen) => ({
        times: chosen.oneOf([1, 1, 2, 3]),
        lateMillis: chosen.whole(0, 120 * second)
      }))
      if (struck !== undefined) {
        const { lateMillis, times } = struck.kind
        trace.add(`wire       a message of ${provider} comes ${times} times, ${lateMillis} ms late [${struck.name}]`)
      }
      const { lateMillis, times } = struck?.kind ?? { times: 1, lateMillis: 0 }
      const copies = Array.from({ length: times }, (_, copy) =>
        Effect.delay(deliver(provider, posted), posted.delayMillis + lateMillis + copy * second)
      )
      return ofNobody(Effect.asVoid(Effect.forkDetach(Effect.all(copies, { concurrency: "unbounded" }))))
    })
}

/** Keeps so many processes alive: one that dies is started again after a while. */
const keepProcesses = Effect.fnUntraced(function* (
  settings: Settings,
  start: (name: string) => Effect.Effect<Process.Process>
) {
  const living: Array<Process.Process | undefined> = Array.from({ length: processCount }, () => undefined)
  const mayStart = Latch.makeUnsafe(true)
  let started = 0
  const keep = Effect.fnUntraced(function* (slot: number) {
    const draw = drawsOf(settings.seed, `restarts ${slot}`)
    for (;;) {
      yield* mayStart.await
      const process = yield* start(`process ${++started}`)
      living[slot] = process
      yield* Deferred.await(process.died)
      living[slot] = undefined
      yield* Effect.sleep(draw.whole(second, restartMillisMax))
    }
  })
  for (const slot of living.keys()) yield* Effect.forkDetach(keep(slot))
  return {
    anyProcess: Effect.fnUntraced(function* (draw: Draw) {
      for (;;) {
        const slot = draw.whole(0, processCount - 1)
        const process = living[slot] ?? living.find((one) => one !== undefined)
        if (process !== undefined) return process
        yield* Effect.sleep(second)
      }
    }),
    standStill: Effect.fnUntraced(function* (millis: number) {
      mayStart.closeUnsafe()
      for (const process of living) process?.kill()
      yield* Effect.sleep(millis)
      mayStart.openUnsafe()
    })
  }
})

/** Sets up a run: nothing has happened yet but that the processes have started. */
export const open = Effect.fnUntraced(function* (settings: Settings, time: VirtualTime) {
  const trace = Trace.make(time.elapsed)
  const disturbances = Disturbances.make(settings)
  const { currency, providers } = settingOf(settings.seed, ableIn)
  const entries = catalogue.filter(({ id }) => providers.includes(id))
  trace.add(`setting    seed ${settings.seed}, ${settings.minutes} minutes, ${currency} at ${providers.join(", ")}`)
  const tales = talesOf(settings)
  const memory = yield* Layer.build(Memory.layer)
  const shared = yield* Layer.build(Installation.layer(settings.seed).pipe(Layer.provide(Layer.succeedContext(memory))))
  const stored = Context.get(memory, Memory).payments
  const payments = () => [...stored.values()].map(({ payment }) => payment)
  const broken = Deferred.makeUnsafe<string>()
  const breaks = (what: string) => {
    trace.add(`BROKEN     ${what}`)
    Deferred.doneUnsafe(broken, Effect.succeed(what))
  }
  const talesByOrder = new Map(tales.map((tale) => [tale.merchantReference, tale]))
  const committed = (process: string, { id }: Payment) => {
    const payment = stored.get(id)?.payment
    const tale = talesByOrder.get(payment?.merchantReference ?? "")
    if (payment === undefined || tale === undefined) return
    const { merchantReference } = payment
    trace.add(`${process}  writes ${merchantReference}, version ${payment.version}: ${stateOf(payment)}`)
    for (const wrong of wrongAtOnce(payment, payments(), tale)) breaks(`${merchantReference}: ${wrong}`)
  }
  const sent = new Set<string>()
  const authorized = (provider: string, reference: string) => {
    if (sent.has(`${provider} ${reference}`)) breaks(`${provider} was asked twice to authorize one attempt`)
    sent.add(`${provider} ${reference}`)
  }
  const orderOf = (provider: string, reference: string) =>
    payments().find(({ attempts }) => attempts.some((one) => one.provider === provider && one.reference === reference))
      ?.merchantReference ?? "no order"

  const book = CopiedBook.make()
  const posted: Array<Counterparties["posted"][number]> = []
  let post: Deliver = () => Effect.void
  const opened = openProviders(entries, book, (provider, notification) => {
    posted.push({ provider, notification })
    return post(provider, notification)
  })
  const processes = yield* keepProcesses(settings, (name) =>
    Process.open({
      name,
      shared,
      wire: makeWire([...opened.simulators.values()], disturbances, trace),
      providersOn: (wire, process) =>
        entries.map(({ id, sandbox }) => traced(sandbox(wire, pagesUrlOf(id)), process, trace, orderOf, authorized)),
      disturbances,
      trace,
      committed
    })
  )
  post = makePost({ ...processes, breaks, disturbances, settings, trace })
  return {
    settings,
    time,
    trace,
    disturbances,
    tales,
    currency,
    simulators: opened.simulators,
    counterparties: { providers: new Map(opened.providers.map((one) => [one.id, one])), book, posted },
    payments,
    ...processes,
    breaks,
    broken
  } satisfies World
})
