import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { type AuditEntry, AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, NotFound, type VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "./Caller.ts"
import { requireVerified, requireVersion, type VerificationMissing } from "./Credentials.ts"
import type { Organizations } from "./Organizations.ts"
import { type PaymentClientRecord, PaymentClientStore } from "./PaymentClientStore.ts"
import { permitted } from "./Permissions.ts"
import { SecretTokens } from "./SecretTokens.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** What is said of a new client. */
export interface NewPaymentClient {
  /** An operator may choose it; else it is made, `client_…`. */
  readonly id?: string
  readonly name: string | null
  readonly livemode: boolean
}

/** A secret that is shown this once. */
export interface ShownClientSecret {
  readonly client: PaymentClientRecord
  readonly number: number
  readonly secret: Redacted.Redacted<string>
}

type Expected = ReadonlyArray<number> | undefined
type Refusal = NotFound | RoleMissing | Unavailable | VersionConflict

/** Driving port: an organization's gateway clients, for its OWNERs and the operator (contract section 3). */
export class PaymentClientSettings extends Context.Service<
  PaymentClientSettings,
  {
    list(page: PageRequest): Effect.Effect<Page<PaymentClientRecord>, RoleMissing | Unavailable, Caller>
    find(id: string): Effect.Effect<PaymentClientRecord, NotFound | RoleMissing | Unavailable, Caller>
    /** A client with its first secret. `InvalidFields` for an id that is taken, `VerificationMissing` in live mode alone. */
    create(
      client: NewPaymentClient
    ): Effect.Effect<ShownClientSecret, InvalidFields | RoleMissing | Unavailable | VerificationMissing, Caller>
    /**
     * Adds a secret. The newest before it stays valid for `keepHours` more, and any other ends at once, so that there are
     * two at most.
     */
    rotate(id: string, keepHours: number, expected: Expected): Effect.Effect<ShownClientSecret, Refusal, Caller>
    /** Ends one secret at once. */
    retireSecret(id: string, number: number, expected: Expected): Effect.Effect<void, Refusal, Caller>
    /** Ends the client and all its secrets. Its payments stay. */
    retire(id: string, expected: Expected): Effect.Effect<void, Refusal, Caller>
  }
>()("@sarraf/domain/organizations/PaymentClientSettings") {
  static readonly layer: Layer.Layer<
    PaymentClientSettings,
    never,
    AuditTrail | Identifiers | Organizations | PaymentClientStore | SecretTokens | UnitOfWork
  > = Layer.effect(
    PaymentClientSettings,
    Effect.gen(function* () {
      const store = yield* PaymentClientStore
      const trail = yield* AuditTrail
      const identifiers = yield* Identifiers
      const tokens = yield* SecretTokens
      const units = yield* UnitOfWork
      const services = yield* Effect.context<Organizations>()

      const missing = (id: string) => new NotFound({ resource: "payment client", id })
      const existing = Effect.fnUntraced(function* (id: string) {
        return (yield* store.find(id)) ?? (yield* missing(id))
      })
      const locked = Effect.fnUntraced(function* (id: string, expected: Expected) {
        const client = (yield* store.lock(id)) ?? (yield* missing(id))
        yield* requireVersion(client.version, expected)
        return client
      })
      const noted = (action: string, id: string, change: Pick<AuditEntry, "after" | "detail">) =>
        trail.append({ action: `payment_client.${action}`, subject: { type: "payment_client", id }, ...change })

      const withNewSecret = Effect.fnUntraced(function* (id: string) {
        const secret = yield* tokens.next("sec")
        const number = yield* store.addSecret(id, secret)
        return { client: yield* existing(id), number, secret }
      })

      const create = Effect.fnUntraced(function* (caller: Caller["Service"], fields: NewPaymentClient) {
        yield* Effect.provide(requireVerified(fields.livemode), services)
        const id = fields.id ?? (yield* identifiers.next("client"))
        const { name } = fields
        const createdAt = yield* Clock.currentTimeMillis
        const isNew = yield* store.insert({ id, name, createdAt, createdBy: caller.userId ?? caller.createdBy })
        if (!isNew) return yield* new InvalidFields({ faults: [{ path: "id", message: "is taken by another client" }] })
        const shown = yield* Effect.catchTag(withNewSecret(id), "NotFound", Effect.die)
        yield* noted("created", id, { after: { name } })
        return shown
      })

      const rotate = Effect.fnUntraced(function* (id: string, keepHours: number, expected: Expected) {
        const { secrets } = yield* locked(id, expected)
        const [newest, ...older] = secrets
        if (newest !== undefined) yield* store.endSecret(id, newest.number, keepHours)
        for (const { number } of older) yield* store.endSecret(id, number, 0)
        yield* store.change(id, yield* Clock.currentTimeMillis, false)
        const shown = yield* withNewSecret(id)
        yield* noted("rotated", id, { detail: { number: shown.number, keep_hours: keepHours } })
        return shown
      })

      return PaymentClientSettings.of({
        list: Effect.fn("PaymentClientSettings.list")(function* (page) {
          yield* permitted("credential.read")
          return yield* store.list(page)
        }),
        find: Effect.fn("PaymentClientSettings.find")(function* (id) {
          yield* permitted("credential.read")
          return yield* existing(id)
        }),
        create: Effect.fn("PaymentClientSettings.create")(function* (fields) {
          const { caller } = yield* permitted("credential.change")
          return yield* units.run(create(caller, fields))
        }),
        rotate: Effect.fn("PaymentClientSettings.rotate")(function* (id, keepHours, expected) {
          yield* permitted("credential.change")
          return yield* units.run(rotate(id, keepHours, expected))
        }),
        retireSecret: Effect.fn("PaymentClientSettings.retireSecret")(function* (id, number, expected) {
          yield* permitted("credential.change")
          yield* units.run(
            Effect.gen(function* () {
              const { secrets } = yield* locked(id, expected)
              if (!secrets.some((secret) => secret.number === number)) {
                return yield* new NotFound({ resource: "valid secret of the payment client", id: String(number) })
              }
              yield* store.endSecret(id, number, 0)
              yield* store.change(id, yield* Clock.currentTimeMillis, false)
              yield* noted("secret_retired", id, { detail: { number } })
            })
          )
        }),
        retire: Effect.fn("PaymentClientSettings.retire")(function* (id, expected) {
          yield* permitted("credential.change")
          yield* units.run(
            Effect.gen(function* () {
              const { secrets } = yield* locked(id, expected)
              for (const { number } of secrets) yield* store.endSecret(id, number, 0)
              yield* store.change(id, yield* Clock.currentTimeMillis, true)
              yield* noted("retired", id, { detail: { secrets: secrets.map(({ number }) => number) } })
            })
          )
        })
      })
    })
  )
}
