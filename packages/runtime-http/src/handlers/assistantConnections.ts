import { AssistantConnections } from "@sarraf/domain/assistants/AssistantConnections"
import type { ConnectionRecord } from "@sarraf/domain/assistants/ConnectionStore"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { clientHostOf } from "../oauth/clientPolicy.ts"
import { pageBody, pageRequest, refusals, timeOf, timeOrNull } from "./conventions.ts"

const ofReading = Struct.pick(refusals, ["Forbidden", "RoleMissing", "Unavailable"])
const ofRevocation = Struct.pick(refusals, ["Forbidden", "NotFound", "RoleMissing", "Unavailable"])

const connectionBody = (record: ConnectionRecord) => ({
  id: record.id,
  // A connection does not change until it is revoked.
  version: 1,
  user_id: record.userId,
  client_id: record.clientId,
  client_name: record.clientName,
  client_host: clientHostOf(record.clientId) ?? null,
  redirect_host: record.redirectHost,
  expires_at: timeOf(record.expiresAt),
  last_used_at: timeOrNull(record.lastUsedAt),
  created_at: timeOf(record.createdAt),
  updated_at: timeOf(record.createdAt)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "assistantConnections",
  Effect.fn(function* (handlers) {
    const connections = yield* AssistantConnections
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* connections.list(yield* pageRequest("assistant-connections", query))
          return pageBody("assistant-connections", query, page, ({ id }) => id, connectionBody)
        }).pipe(Effect.catchTags(ofReading))
      )
      .handle("revoke", ({ params }) => connections.revoke(params.id).pipe(Effect.catchTags(ofRevocation)))
  })
)
