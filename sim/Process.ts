import * as ProviderBreakers from "@sarraf/adapters/providers/ProviderBreakers"
import type { ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import { RequestLedger } from "@sarraf/domain/admission/RequestLedger"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import type { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import * as ChallengeFlow from "@sarraf/domain/payments/ChallengeFlow"
import { ChallengeSteps } from "@sarraf/domain/payments/ChallengeSteps"
import { Challenges } from "@sarraf/domain/payments/Challenges"
import type { ChallengeTokens } from "@sarraf/domain/payments/ChallengeTokens"
import * as DeferredRefunds from "@sarraf/domain/payments/DeferredRefunds"
import type { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { FollowUps } from "@sarraf/domain/payments/FollowUps"
import * as NotificationFlow from "@sarraf/domain/payments/NotificationFlow"
import { NotificationInbox } from "@sarraf/domain/payments/NotificationInbox"
import { Notifications } from "@sarraf/domain/payments/Notifications"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { PaymentLocks } from "@sarraf/domain/payments/PaymentLocks"
import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Payments } from "@sarraf/domain/payments/Payments"
import { PaymentWork } from "@sarraf/domain/payments/PaymentWork"
import * as Reconciler from "@sarraf/domain/payments/Reconciler"
import { Context, Deferred, Effect, type Exit, Layer, Scope } from "effect"
import type { Disturbances } from "./Disturbances.ts"
import type { Trace } from "./Trace.ts"

/** What all processes share, as they share a database. */
export type Shared =
  | ChallengeSteps
  | ChallengeTokens
  | Fingerprints
  | FollowUps
  | Identifiers
  | NotificationInbox
  | PaymentStore
  | RequestLedger

/** A process of the gateway, until it dies. */
export interface Process {
  /** `process 3`: no process ever has the name of one before it. */
  readonly name: string
  readonly payments: Payments["Service"]
  readonly challenges: Challenges["Service"]
  readonly notifications: Notifications["Service"]
  readonly ledger: RequestLedger["Service"]
  readonly died: Deferred.Deferred<void>
  /** Ends it where it stands: whatever it was about to write is not written, and nobody hears from it again. */
  readonly kill: () => void
  /** A request to it: how that ended, or undefined where the process died over it. */
  readonly reach: <A, E>(request: Effect.Effect<A, E>) => Effect.Effect<Exit.Exit<A, E> | undefined>
}

interface Life {
  readonly died: Deferred.Deferred<void>
  isOver: boolean
}

/** What a write may come to. The first two end the process, the others are a database that goes away. */
const writeKinds = {
  "dies before": 3,
  "dies after": 3,
  "is without its database before": 1,
  "loses its database after": 1
} as const
type WriteKind = keyof typeof writeKinds

/** Of a thousand writes so many are disturbed. */
const perThousand = 15

/** What happens to a process's dealings with the world, once it is dead and before. */
const makeBoundary = (name: string, life: Life, disturbances: Disturbances, trace: Trace) => {
  /** A dead process does nothing and learns of nothing. */
  const alive = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() =>
      life.isOver
        ? Effect.never
        : Effect.flatMap(Effect.exit(effect), (exit): Effect.Effect<A, E> => (life.isOver ? Effect.never : exit))
    )
  const end = () => {
    life.isOver = true
    Deferred.doneUnsafe(life.died, Effect.void)
  }
  const writes = <A, E, R>(place: string, what: string, write: Effect.Effect<A, E, R>) =>
    alive(
      Effect.suspend((): Effect.Effect<A, E | Unavailable, R> => {
        const struck = disturbances.at(place, perThousand, (draw) => draw.weighted<WriteKind>(writeKinds))
        if (struck === undefined) return write
        trace.add(`${name}  ${struck.kind} it writes ${what} [${struck.name}]`)
        switch (struck.kind) {
          case "dies before":
            end()
            return Effect.never
          case "dies after":
            return Effect.flatMap(Effect.exit(write), () => Effect.andThen(Effect.sync(end), Effect.never))
          case "is without its database before":
            return Effect.fail(new Unavailable())
          case "loses its database after":
            return Effect.flatMap(Effect.exit(write), () => Effect.fail(new Unavailable()))
        }
      })
    )
  return { alive, end, writes }
}

type Boundary = ReturnType<typeof makeBoundary>

/** The shared stores as one process reaches them. */
const storesOf = (
  shared: Context.Context<Shared>,
  { alive, writes }: Boundary,
  committed: (payment: Payment) => void
) => {
  const store = Context.get(shared, PaymentStore)
  const followUps = Context.get(shared, FollowUps)
  const inbox = Context.get(shared, NotificationInbox)
  const steps = Context.get(shared, ChallengeSteps)
  const ledger = Context.get(shared, RequestLedger)
  const placeOf = ({ merchantReference }: Payment) => `write.${merchantReference}`
  return shared.pipe(
    Context.add(
      PaymentStore,
      PaymentStore.of({
        begin: (payment, event, record) => {
          const begin = Effect.tap(store.begin(payment, event, record), (isBegun) =>
            Effect.sync(() => isBegun && committed(payment))
          )
          return writes(placeOf(payment), `${payment.merchantReference} ${event.type}`, begin)
        },
        commit: (change) => {
          const { after, before, events } = change
          const what = `${after.merchantReference} ${events.map(({ type }) => type).join("+")}`
          const commit = Effect.tap(store.commit(change), () => Effect.sync(() => committed(after)))
          return writes(placeOf(before), what, commit)
        },
        find: (id) => alive(store.find(id)),
        findByReference: (reference) => alive(store.findByReference(reference)),
        findAttempt: (provider, reference) => alive(store.findAttempt(provider, reference)),
        events: (id) => alive(store.events(id)),
        dueRefunds: (now, limit) => alive(store.dueRefunds(now, limit)),
        list: (filter) => alive(store.list(filter))
      })
    ),
    Context.add(
      FollowUps,
      FollowUps.of({
        enlist: (now, since) => alive(followUps.enlist(now, since)),
        claim: (now, limit, without) => alive(followUps.claim(now, limit, without)),
        release: (claimed, at, tries) =>
          writes("write.follow-ups", "when it looks again", followUps.release(claimed, at, tries)),
        wake: (provider, now, limit) => alive(followUps.wake(provider, now, limit)),
        wakeAll: (now) => alive(followUps.wakeAll(now)),
        reviews: alive(followUps.reviews)
      })
    ),
    Context.add(
      NotificationInbox,
      NotificationInbox.of({
        keep: (provider, ids, message, now) =>
          writes("write.inbox", `a message of ${provider}`, inbox.keep(provider, ids, message, now)),
        claim: (now, limit) => alive(inbox.claim(now, limit)),
        release: (kept, againAt) =>
          writes("write.inbox", `what became of a message of ${kept.provider}`, inbox.release(kept, againAt))
      })
    ),
    Context.add(
      ChallengeSteps,
      ChallengeSteps.of({
        keep: (owner, step, until) => writes("write.steps", "a form for a buyer", steps.keep(owner, step, until)),
        take: (owner) => writes("write.steps", "that a form was taken", steps.take(owner)),
        sweep: alive(steps.sweep)
      })
    ),
    Context.add(
      RequestLedger,
      RequestLedger.of({
        admit: (request) => writes("write.ledger", "a spent signature", ledger.admit(request)),
        admitRead: ledger.admitRead,
        find: (organizationId, caller, key) => alive(ledger.find(organizationId, caller, key))
      })
    )
  )
}

/**
 * Starts a process on what all share. Its locks, its work under way, its tokens at providers and what it knows of their
 * health are its own, and end with it.
 */
export const open = Effect.fnUntraced(function* (options: {
  readonly name: string
  readonly shared: Context.Context<Shared>
  readonly wire: ProviderTransport["Service"]
  readonly providersOn: (wire: ProviderTransport["Service"], process: string) => ReadonlyArray<PaymentProvider>
  readonly disturbances: Disturbances
  readonly trace: Trace
  readonly committed: (process: string, payment: Payment) => void
}) {
  const { committed, disturbances, name, providersOn, shared, trace, wire } = options
  const life: Life = { died: Deferred.makeUnsafe<void>(), isOver: false }
  const boundary = makeBoundary(name, life, disturbances, trace)
  const transport = { send: (request: Parameters<typeof wire.send>[0]) => boundary.alive(wire.send(request)) }
  const providers = new Map(providersOn(transport, name).map((one) => [one.id, one]))
  const stores = storesOf(shared, boundary, (payment) => committed(name, payment))
  const watched = ProviderBreakers.layerWatched.pipe(
    Layer.provide(Layer.succeed(PaymentProviders, providers)),
    Layer.provideMerge(ProviderBreakers.layer)
  )
  const process = Layer.mergeAll(
    Payments.layer,
    ChallengeFlow.layer,
    NotificationFlow.layer,
    Reconciler.layer,
    DeferredRefunds.layer
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(PaymentLocks.layer, PaymentWork.layer, watched, Layer.succeedContext(stores)))
  )
  // Never closed: a process that dies finishes nothing.
  const context = yield* Layer.buildWithScope(process, Scope.makeUnsafe())
  trace.add(`${name}  starts`)
  return {
    name,
    payments: Context.get(context, Payments),
    challenges: Context.get(context, Challenges),
    notifications: Context.get(context, Notifications),
    ledger: Context.get(stores, RequestLedger),
    died: life.died,
    kill: boundary.end,
    reach: <A, E>(request: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const answered = Deferred.makeUnsafe<Exit.Exit<A, E>>()
        // Of its own, so that whoever waits for a dead process stops waiting although nothing there ends any more.
        yield* Effect.forkDetach(Effect.flatMap(Effect.exit(request), (exit) => Deferred.succeed(answered, exit)))
        const lost = Effect.as(Deferred.await(life.died), undefined)
        return yield* Effect.raceFirst(Deferred.await(answered), lost)
      })
  } satisfies Process
})
