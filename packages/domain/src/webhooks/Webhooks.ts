import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { type AuditEntry, AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, NotFound, StateRefused, type VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { EventType } from "../events/EventLog.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { requireVersion } from "../organizations/Credentials.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import { isoTimeOrNull } from "../time/IsoTime.ts"
import { beginOf, endOf, type Moment } from "../time/Moment.ts"
import { auditedChange, auditedFields } from "./EndpointAudit.ts"
import { type DeliveryFilter, type ReplayRange, WebhookDeliveries } from "./WebhookDeliveries.ts"
import type { DeliveryAttempt, WebhookDelivery } from "./WebhookDelivery.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"
import { checkedSettings, type EndpointFields } from "./WebhookEndpointFields.ts"
import { commanded, refusedBy } from "./WebhookEndpointStatus.ts"
import { WebhookEndpointStore } from "./WebhookEndpointStore.ts"
import { nextWebhookSecret, rotated } from "./WebhookSecrets.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** Endpoints that an organization may have. */
export const endpointsMax = 50

/** What is said of a new endpoint. */
export type NewEndpoint = Partial<EndpointFields> & Pick<EndpointFields, "url" | "events">

/** What is changed of one: `status` pauses and resumes it. */
export interface EndpointChange extends Partial<EndpointFields> {
  readonly status?: "ENABLED" | "PAUSED"
}

/** A secret that is shown this once. */
export interface ShownWebhookSecret {
  readonly endpoint: WebhookEndpoint
  readonly secret: Redacted.Redacted<string>
}

/** A delivery with what was tried, oldest first. */
export interface LoggedDelivery {
  readonly delivery: WebhookDelivery
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** Which deliveries of an endpoint are asked for. */
export interface DeliveryQuestion extends Omit<DeliveryFilter, "endpointId" | "from" | "to"> {
  readonly from?: Moment
  readonly to?: Moment
}

/** What is sent again: `to` undefined, or yet to come, means until now. */
export interface ReplayRequest extends Omit<ReplayRange, "from" | "to"> {
  readonly from: Moment
  readonly to: Moment | undefined
}

type Expected = ReadonlyArray<number> | undefined
type Unpermitted = RoleMissing | Unavailable
type Refusal = NotFound | Unpermitted | VersionConflict

/** Driving port: where an organization wants its events, and what became of them (contract section 7). */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    list(page: PageRequest): Effect.Effect<Page<WebhookEndpoint>, Unpermitted, Caller>
    find(id: string): Effect.Effect<WebhookEndpoint, NotFound | Unpermitted, Caller>
    /** `InvalidFields` with every fault; `StateRefused` where the organization has as many as it may have. */
    create(
      fields: NewEndpoint,
      livemode: boolean
    ): Effect.Effect<ShownWebhookSecret, InvalidFields | StateRefused | Unpermitted, Caller>
    /** Changes what is given. `StateRefused` for pausing what the service disabled. */
    change(
      id: string,
      change: EndpointChange,
      terms: { readonly expected: Expected; readonly livemode: boolean }
    ): Effect.Effect<WebhookEndpoint, InvalidFields | Refusal | StateRefused, Caller>
    /** Ends it, with everything that was on its way to it, and its log. */
    remove(id: string, expected: Expected): Effect.Effect<void, Refusal, Caller>
    /** A new secret; the one before it signs as well for 24 h. */
    rotateSecret(id: string, expected: Expected): Effect.Effect<ShownWebhookSecret, Refusal, Caller>
    /** An example of the type for this endpoint alone. `StateRefused` unless it is ENABLED. */
    sendTest(id: string, type: EventType): Effect.Effect<LoggedDelivery, NotFound | StateRefused | Unpermitted, Caller>
    deliveries(
      endpointId: string,
      question: DeliveryQuestion,
      page: PageRequest
    ): Effect.Effect<Page<LoggedDelivery>, NotFound | Unpermitted, Caller>
    /** Sends one again. */
    repeat(deliveryId: string): Effect.Effect<LoggedDelivery, NotFound | Unpermitted, Caller>
    /** Sends those of a range of time again, and says how many they are. `InvalidFields` for a range that is none. */
    replay(range: ReplayRequest): Effect.Effect<number, InvalidFields | NotFound | Unpermitted, Caller>
  }
>()("@sarraf/domain/webhooks/Webhooks") {
  static readonly layer: Layer.Layer<
    Webhooks,
    never,
    AuditTrail | Identifiers | Organizations | UnitOfWork | WebhookDeliveries | WebhookEndpointStore | WebhookSender
  > = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const store = yield* WebhookEndpointStore
      const deliveries = yield* WebhookDeliveries
      const trail = yield* AuditTrail
      const identifiers = yield* Identifiers
      const units = yield* UnitOfWork
      const organizations = yield* Organizations
      const { refusalOf } = yield* WebhookSender

      const nextSecret = Effect.provideService(nextWebhookSecret, Identifiers, identifiers)
      const missing = (id: string) => new NotFound({ resource: "webhook endpoint", id })
      const existing = Effect.fnUntraced(function* (id: string) {
        return (yield* store.find(id)) ?? (yield* missing(id))
      })
      const held = Effect.fnUntraced(function* (id: string) {
        return (yield* store.lock(id)) ?? (yield* missing(id))
      })
      const locked = Effect.fnUntraced(function* (id: string, expected: Expected) {
        const endpoint = yield* held(id)
        yield* requireVersion(endpoint.version, expected)
        return endpoint
      })
      const noted = (action: string, id: string, change: Omit<AuditEntry, "action" | "subject">) =>
        trail.append({ action: `webhook.${action}`, subject: { type: "webhook", id }, ...change })

      const logged = Effect.fnUntraced(function* (found: ReadonlyArray<WebhookDelivery>) {
        const attempts = yield* deliveries.attemptsOf(found.map(({ id }) => id))
        return found.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] }))
      })
      const loggedOne = Effect.fnUntraced(function* (delivery: WebhookDelivery) {
        const attempts = yield* deliveries.attemptsOf([delivery.id])
        return { delivery, attempts: attempts.get(delivery.id) ?? [] }
      })

      /** Under the lock of all endpoints of the organization. */
      const requireRoom = Effect.fnUntraced(function* () {
        if ((yield* store.count()) < endpointsMax) return
        return yield* new StateRefused({
          resource: "organization",
          status: `at its limit of ${endpointsMax} webhook endpoints`,
          allowed: ["removing one", "changing one"]
        })
      })

      const create = Effect.fnUntraced(function* (fields: NewEndpoint, livemode: boolean) {
        const settings = yield* Effect.fromResult(checkedSettings(fields, undefined, { livemode, refusalOf }))
        yield* requireRoom()
        const at = yield* Clock.currentTimeMillis
        const secret = yield* nextSecret
        const endpoint: WebhookEndpoint = {
          ...settings,
          id: yield* identifiers.next("whk"),
          status: "ENABLED",
          disabledReason: null,
          failingSince: null,
          formerSecretUntil: null,
          createdAt: at,
          updatedAt: at,
          version: 1
        }
        yield* store.insert(endpoint, { current: secret, former: null })
        yield* noted("created", endpoint.id, { after: auditedFields(endpoint) })
        return { endpoint, secret }
      })

      const change = Effect.fnUntraced(function* (
        id: string,
        { status, ...fields }: EndpointChange,
        expected: Expected,
        livemode: boolean
      ) {
        const before = yield* locked(id, expected)
        const settings = yield* Effect.fromResult(checkedSettings(fields, before, { livemode, refusalOf }))
        const told = { ...before, ...settings }
        const wanted =
          status === undefined
            ? told
            : yield* Effect.fromResult(commanded(told, status === "ENABLED" ? "resume" : "pause"))
        const differences = auditedChange(before, wanted)
        if (differences === undefined) return before
        const after = { ...wanted, version: before.version + 1, updatedAt: yield* Clock.currentTimeMillis }
        yield* store.update(after)
        if (after.status === "ENABLED" && before.status !== "ENABLED") yield* deliveries.wake(id)
        yield* noted("changed", id, differences)
        return after
      })

      const remove = Effect.fnUntraced(function* (id: string, expected: Expected) {
        const before = yield* locked(id, expected)
        yield* store.remove(id)
        yield* noted("removed", id, { before: auditedFields(before) })
      })

      const rotateSecret = Effect.fnUntraced(function* (id: string, expected: Expected) {
        const before = yield* locked(id, expected)
        const present = (yield* store.findSecrets(id)) ?? (yield* missing(id))
        const at = yield* Clock.currentTimeMillis
        const secret = yield* nextSecret
        const secrets = rotated(present, secret, at)
        yield* store.replaceSecrets(id, secrets)
        const formerSecretUntil = secrets.former?.until ?? null
        const endpoint = { ...before, formerSecretUntil, version: before.version + 1, updatedAt: at }
        yield* store.update(endpoint)
        yield* noted("secret_rotated", id, { detail: { former_secret_until: isoTimeOrNull(formerSecretUntil) } })
        return { endpoint, secret }
      })

      const sendTest = Effect.fnUntraced(function* (id: string, type: EventType) {
        const { status } = yield* held(id)
        if (status !== "ENABLED") {
          return yield* refusedBy(status, "An example would wait until the endpoint is enabled again.")
        }
        const delivery = yield* deliveries.sendExample(id, type)
        yield* noted("tested", id, { detail: { type, delivery_id: delivery.id } })
        return yield* loggedOne(delivery)
      })

      const repeat = Effect.fnUntraced(function* (id: string) {
        const gone = new NotFound({ resource: "webhook delivery", id })
        const found = (yield* deliveries.find(id)) ?? (yield* gone)
        // What is left of the log of a removed endpoint is on its way out.
        if ((yield* store.find(found.endpointId)) === undefined) return yield* gone
        const delivery = (yield* deliveries.repeat(id)) ?? (yield* gone)
        const { endpointId, eventId } = delivery
        yield* noted("delivery_repeated", endpointId, { detail: { delivery_id: id, event_id: eventId } })
        return yield* loggedOne(delivery)
      })

      const replay = Effect.fnUntraced(function* ({ endpointId, status, ...asked }: ReplayRequest) {
        yield* existing(endpointId)
        const { timezone } = yield* organizations.current
        const from = beginOf(asked.from, timezone)
        const now = yield* Clock.currentTimeMillis
        // What is made from now on is on its way anyway.
        const until = asked.to === undefined ? now : Math.min(endOf(asked.to, timezone), now)
        if (from >= until) {
          const message = from >= now ? "must be in the past" : "must be before to"
          return yield* new InvalidFields({ faults: [{ path: "from", message }] })
        }
        const count = yield* deliveries.replay({ endpointId, from, to: until, status })
        yield* noted("replayed", endpointId, {
          detail: { from: isoTimeOrNull(from), to: isoTimeOrNull(until), status: status ?? null, deliveries: count }
        })
        return count
      })

      /** As one unit of work, for who may change endpoints. */
      const changing = <A, E>(effect: Effect.Effect<A, E, Caller>) =>
        Effect.andThen(permitted("webhook.change"), units.run(effect))

      return Webhooks.of({
        list: Effect.fn("Webhooks.list")(function* (page) {
          yield* permitted("webhook.read")
          return yield* store.list(page)
        }),
        find: Effect.fn("Webhooks.find")(function* (id) {
          yield* permitted("webhook.read")
          return yield* existing(id)
        }),
        deliveries: Effect.fn("Webhooks.deliveries")(function* (endpointId, { from, to, ...rest }, page) {
          yield* permitted("webhook.read")
          const { timezone } = yield* organizations.current
          const filter = {
            ...rest,
            endpointId,
            ...(from === undefined ? {} : { from: beginOf(from, timezone) }),
            ...(to === undefined ? {} : { to: endOf(to, timezone) })
          }
          return yield* units.run(
            Effect.gen(function* () {
              yield* existing(endpointId)
              const { hasMore, items } = yield* deliveries.list(filter, page)
              return { items: yield* logged(items), hasMore }
            })
          )
        }),
        create: Effect.fn("Webhooks.create")((fields, livemode) => changing(create(fields, livemode))),
        change: Effect.fn("Webhooks.change")((id, fields, { expected, livemode }) =>
          changing(change(id, fields, expected, livemode))
        ),
        remove: Effect.fn("Webhooks.remove")((id, expected) => changing(remove(id, expected))),
        rotateSecret: Effect.fn("Webhooks.rotateSecret")((id, expected) => changing(rotateSecret(id, expected))),
        sendTest: Effect.fn("Webhooks.sendTest")((id, type) => changing(sendTest(id, type))),
        repeat: Effect.fn("Webhooks.repeat")((id) => changing(repeat(id))),
        replay: Effect.fn("Webhooks.replay")((range) => changing(replay(range)))
      })
    })
  )
}
