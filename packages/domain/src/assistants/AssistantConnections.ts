import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Forbidden, NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import { Caller, type RoleMissing } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import { type ConnectionRecord, ConnectionStore } from "./ConnectionStore.ts"
import { OauthArtifacts } from "./OauthArtifacts.ts"

/** A connection lives as long as its grant: 90 days, as an `mcp_` token does by default. */
export const connectionSecondsMax = 90 * 86_400

/** What a person consents to. */
export interface NewConnection extends Pick<ConnectionRecord, "clientId" | "clientName" | "redirectHost"> {
  readonly grantId: string
}

/** Why a connection ends without a person's word: the client gave it back, or somebody used a code or token twice. */
export type ConnectionEnd = "given back by the client" | "code used twice" | "refresh token used twice"

type Refusal = Forbidden | RoleMissing | Unavailable

/** The authorization server's own work in an organization. */
const systemIn = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "OWNER",
  name: "system",
  kind: "system",
  userId: null,
  createdBy: null
})

/** Driving port: assistants that a person has connected by OAuth; an OWNER sees and revokes those of everybody. */
export class AssistantConnections extends Context.Service<
  AssistantConnections,
  {
    list(page: PageRequest): Effect.Effect<Page<ConnectionRecord>, Refusal, Caller>
    /** The assistant reads nothing from then on: grant and tokens are gone with it. */
    revoke(id: string): Effect.Effect<void, NotFound | Refusal, Caller>
    /** The caller has consented. `Forbidden` for an API key, which no person stands behind. */
    open(connection: NewConnection): Effect.Effect<ConnectionRecord, Refusal, Caller>
    /** The grant is over. Nothing happens where no connection stands for it, or none any more. */
    end(grantId: string, reason: ConnectionEnd): Effect.Effect<void, Unavailable>
  }
>()("@sarraf/domain/assistants/AssistantConnections") {
  static readonly layer: Layer.Layer<
    AssistantConnections,
    never,
    AuditTrail | ConnectionStore | Identifiers | OauthArtifacts | UnitOfWork
  > = Layer.effect(
    AssistantConnections,
    Effect.gen(function* () {
      const store = yield* ConnectionStore
      const artifacts = yield* OauthArtifacts
      const trail = yield* AuditTrail
      const identifiers = yield* Identifiers
      const units = yield* UnitOfWork

      const personOf = ({ userId }: Caller["Service"]) =>
        userId === null
          ? Effect.fail(
              new Forbidden({
                reason: "A connection belongs to a person, and no person stands behind an API key: sign in for it."
              })
            )
          : Effect.succeed(userId)

      /** The person whose connections are meant; undefined: everybody's. */
      const scope = Effect.flatMap(permitted("assistantConnection.manage"), ({ caller, reach }) =>
        reach === "all" ? Effect.undefined : personOf(caller)
      )

      /** In a unit of work. False where it was revoked before. */
      const revoke = Effect.fnUntraced(function* (record: ConnectionRecord, reason?: ConnectionEnd) {
        const { clientId, clientName, id, userId } = record
        const grantId = yield* store.revoke(id, yield* Clock.currentTimeMillis)
        if (grantId === undefined) return false
        yield* artifacts.endGrant(grantId)
        yield* trail.append({
          action: "assistant_connection.revoked",
          subject: { type: "assistant_connection", id },
          before: { user_id: userId, client_id: clientId, client_name: clientName },
          ...(reason === undefined ? {} : { detail: { reason } })
        })
        return true
      })

      const insert = Effect.fnUntraced(function* (userId: string, { grantId, ...connection }: NewConnection) {
        const createdAt = yield* Clock.currentTimeMillis
        const record = {
          ...connection,
          id: yield* identifiers.next("mcpc"),
          userId,
          createdAt,
          expiresAt: createdAt + connectionSecondsMax * 1000,
          lastUsedAt: null
        }
        yield* store.insert(grantId, record)
        yield* trail.append({
          action: "assistant_connection.created",
          subject: { type: "assistant_connection", id: record.id },
          after: {
            user_id: userId,
            client_id: record.clientId,
            client_name: record.clientName,
            redirect_host: record.redirectHost
          }
        })
        return record
      })

      return AssistantConnections.of({
        list: Effect.fn("AssistantConnections.list")(function* (page) {
          return yield* store.list(yield* scope, page)
        }),
        revoke: Effect.fn("AssistantConnections.revoke")(function* (id) {
          const userId = yield* scope
          const missing = new NotFound({ resource: "assistant connection", id })
          yield* units.run(
            Effect.gen(function* () {
              const record = yield* store.find(id)
              if (record === undefined || (userId !== undefined && record.userId !== userId)) return yield* missing
              if (!(yield* revoke(record))) return yield* missing
            })
          )
        }),
        open: Effect.fn("AssistantConnections.open")(function* (connection) {
          const userId = yield* Effect.flatMap(permitted("assistantConnection.manage"), ({ caller }) =>
            personOf(caller)
          )
          return yield* units.run(insert(userId, connection))
        }),
        end: Effect.fn("AssistantConnections.end")(function* (grantId, reason) {
          const found = yield* store.ofGrant(grantId)
          if (found === undefined) return
          yield* units
            .run(
              Effect.gen(function* () {
                const record = yield* store.find(found.id)
                if (record !== undefined) yield* revoke(record, reason)
              })
            )
            .pipe(Effect.provideService(Caller, systemIn(found.organizationId)))
        })
      })
    })
  )
}
