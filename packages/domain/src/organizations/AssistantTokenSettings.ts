import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Forbidden, InvalidFields, NotFound, type VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Instant } from "../time/Instant.ts"
import { isoTimeOrNull } from "../time/IsoTime.ts"
import { type AssistantTokenRecord, AssistantTokenStore } from "./AssistantTokenStore.ts"
import type { Caller, RoleMissing } from "./Caller.ts"
import { lastFour, requireVersion } from "./Credentials.ts"
import { permitted } from "./Permissions.ts"
import { SecretTokens } from "./SecretTokens.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

const dayMillis = 86_400_000
/** How long a token lives by default, and at most, in days. */
const daysUsual = 90
const daysMax = 365

/** A token that is shown this once. */
export interface ShownAssistantToken {
  readonly record: AssistantTokenRecord
  readonly token: Redacted.Redacted<string>
}

type Refusal = Forbidden | RoleMissing | Unavailable

/** Driving port: a person's tokens for the assistant server; an OWNER sees and revokes those of everybody. */
export class AssistantTokenSettings extends Context.Service<
  AssistantTokenSettings,
  {
    list(page: PageRequest): Effect.Effect<Page<AssistantTokenRecord>, Refusal, Caller>
    /**
     * For the person who asks. `expiresAt` null: in 90 days. `Forbidden` for an API key, which no person stands behind;
     * `InvalidFields` for a time that is over or more than a year away.
     */
    create(token: {
      readonly name: string
      readonly expiresAt: Instant | null
    }): Effect.Effect<ShownAssistantToken, InvalidFields | Refusal, Caller>
    revoke(
      id: string,
      expected: ReadonlyArray<number> | undefined
    ): Effect.Effect<void, NotFound | Refusal | VersionConflict, Caller>
  }
>()("@sarraf/domain/organizations/AssistantTokenSettings") {
  static readonly layer: Layer.Layer<
    AssistantTokenSettings,
    never,
    AssistantTokenStore | AuditTrail | Identifiers | SecretTokens | UnitOfWork
  > = Layer.effect(
    AssistantTokenSettings,
    Effect.gen(function* () {
      const store = yield* AssistantTokenStore
      const trail = yield* AuditTrail
      const identifiers = yield* Identifiers
      const tokens = yield* SecretTokens
      const units = yield* UnitOfWork

      const personOf = ({ userId }: Caller["Service"]) =>
        userId === null
          ? Effect.fail(
              new Forbidden({
                reason:
                  "An assistant token belongs to a person, and no person stands behind an API key: sign in for it."
              })
            )
          : Effect.succeed(userId)

      /** The person whose tokens are meant; undefined: everybody's. */
      const scope = Effect.flatMap(permitted("assistantToken.manage"), ({ caller, reach }) =>
        reach === "all" ? Effect.undefined : personOf(caller)
      )

      const create = Effect.fnUntraced(function* (userId: string, name: string, expiresAt: Instant | null) {
        const at = yield* Clock.currentTimeMillis
        const end = expiresAt ?? at + daysUsual * dayMillis
        if (end <= at || end > at + daysMax * dayMillis) {
          const message = `must be in the future, and at most ${daysMax} days away`
          return yield* new InvalidFields({ faults: [{ path: "expires_at", message }] })
        }
        const token = yield* tokens.next("mcp")
        const record = {
          id: yield* identifiers.next("mcpt"),
          userId,
          name,
          createdAt: at,
          expiresAt: end,
          lastUsedAt: null,
          last4: lastFour(token),
          version: 1
        }
        yield* store.insert(token, record)
        yield* trail.append({
          action: "assistant_token.created",
          subject: { type: "assistant_token", id: record.id },
          after: { user_id: userId, name, expires_at: isoTimeOrNull(end), last4: record.last4 }
        })
        return { record, token }
      })

      return AssistantTokenSettings.of({
        list: Effect.fn("AssistantTokenSettings.list")(function* (page) {
          return yield* store.list(yield* scope, page)
        }),
        create: Effect.fn("AssistantTokenSettings.create")(function* ({ expiresAt, name }) {
          const userId = yield* Effect.flatMap(permitted("assistantToken.manage"), ({ caller }) => personOf(caller))
          return yield* units.run(create(userId, name, expiresAt))
        }),
        revoke: Effect.fn("AssistantTokenSettings.revoke")(function* (id, expected) {
          const userId = yield* scope
          yield* units.run(
            Effect.gen(function* () {
              const missing = new NotFound({ resource: "assistant token", id })
              const record = yield* store.find(id)
              if (record === undefined || (userId !== undefined && record.userId !== userId)) return yield* missing
              yield* requireVersion(record.version, expected)
              if (!(yield* store.revoke(id, yield* Clock.currentTimeMillis))) return yield* missing
              yield* trail.append({
                action: "assistant_token.revoked",
                subject: { type: "assistant_token", id },
                before: { user_id: record.userId, name: record.name }
              })
            })
          )
        })
      })
    })
  )
}
