import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, NotFound, type VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Instant } from "../time/Instant.ts"
import { isoTimeOrNull } from "../time/IsoTime.ts"
import { type ApiKeyRecord, ApiKeyStore } from "./ApiKeyStore.ts"
import type { Caller, Role, RoleMissing } from "./Caller.ts"
import { lastFour, requireVerified, requireVersion, type VerificationMissing } from "./Credentials.ts"
import type { Organizations } from "./Organizations.ts"
import { permitted } from "./Permissions.ts"
import { SecretTokens } from "./SecretTokens.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** What the caller says of a new key. */
export interface NewApiKey {
  readonly name: string
  readonly role: Role
  readonly expiresAt: Instant | null
  /** Of the process: a key opens processes of the mode that it was made in. */
  readonly livemode: boolean
}

/** A key that is shown this once. */
export interface ShownApiKey {
  readonly record: ApiKeyRecord
  readonly key: Redacted.Redacted<string>
}

/** Driving port: an organization's API keys, for its OWNERs (contract section 3). */
export class ApiKeySettings extends Context.Service<
  ApiKeySettings,
  {
    list(page: PageRequest): Effect.Effect<Page<ApiKeyRecord>, RoleMissing | Unavailable, Caller>
    find(id: string): Effect.Effect<ApiKeyRecord, NotFound | RoleMissing | Unavailable, Caller>
    /** `InvalidFields` for a time that is over, `VerificationMissing` in live mode alone. */
    create(
      key: NewApiKey
    ): Effect.Effect<ShownApiKey, InvalidFields | RoleMissing | Unavailable | VerificationMissing, Caller>
    revoke(
      id: string,
      expected: ReadonlyArray<number> | undefined
    ): Effect.Effect<void, NotFound | RoleMissing | Unavailable | VersionConflict, Caller>
  }
>()("@sarraf/domain/organizations/ApiKeySettings") {
  static readonly layer: Layer.Layer<
    ApiKeySettings,
    never,
    ApiKeyStore | AuditTrail | Identifiers | Organizations | SecretTokens | UnitOfWork
  > = Layer.effect(
    ApiKeySettings,
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const trail = yield* AuditTrail
      const identifiers = yield* Identifiers
      const tokens = yield* SecretTokens
      const units = yield* UnitOfWork
      const services = yield* Effect.context<Organizations>()

      const existing = Effect.fnUntraced(function* (id: string) {
        return (yield* store.find(id)) ?? (yield* new NotFound({ resource: "API key", id }))
      })

      const create = Effect.fnUntraced(function* (caller: Caller["Service"], fields: NewApiKey) {
        const at = yield* Clock.currentTimeMillis
        if (fields.expiresAt !== null && fields.expiresAt <= at) {
          return yield* new InvalidFields({ faults: [{ path: "expires_at", message: "must be in the future" }] })
        }
        yield* Effect.provide(requireVerified(fields.livemode), services)
        const made = yield* tokens.next(fields.livemode ? "key_live" : "key_test")
        const record = {
          ...fields,
          id: yield* identifiers.next("key"),
          createdBy: caller.userId ?? caller.createdBy,
          createdAt: at,
          lastUsedAt: null,
          last4: lastFour(made),
          version: 1
        }
        yield* store.insert(made, record)
        yield* trail.append({
          action: "api_key.created",
          subject: { type: "api_key", id: record.id },
          after: {
            name: record.name,
            role: record.role,
            expires_at: isoTimeOrNull(record.expiresAt),
            last4: record.last4
          }
        })
        return { record, key: made }
      })

      return ApiKeySettings.of({
        list: Effect.fn("ApiKeySettings.list")(function* (page) {
          yield* permitted("credential.read")
          return yield* store.list(page)
        }),
        find: Effect.fn("ApiKeySettings.find")(function* (id) {
          yield* permitted("credential.read")
          return yield* existing(id)
        }),
        create: Effect.fn("ApiKeySettings.create")(function* (fields) {
          const { caller } = yield* permitted("credential.change")
          return yield* units.run(create(caller, fields))
        }),
        revoke: Effect.fn("ApiKeySettings.revoke")(function* (id, expected) {
          yield* permitted("credential.change")
          yield* units.run(
            Effect.gen(function* () {
              const { name, role, version } = yield* existing(id)
              yield* requireVersion(version, expected)
              const isRevoked = yield* store.revoke(id, yield* Clock.currentTimeMillis)
              if (!isRevoked) return yield* new NotFound({ resource: "API key", id })
              yield* trail.append({
                action: "api_key.revoked",
                subject: { type: "api_key", id },
                before: { name, role }
              })
            })
          )
        })
      })
    })
  )
}
