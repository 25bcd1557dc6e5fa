import { AssistantTokenSettings } from "@sarraf/domain/organizations/AssistantTokenSettings"
import type { AssistantTokenRecord } from "@sarraf/domain/organizations/AssistantTokenStore"
import { Effect, Redacted, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CreateAssistantToken } from "../api/assistantTokens.ts"
import {
  expectedVersions,
  pageBody,
  pageRequest,
  refusals,
  timeOf,
  timeOrNull,
  warningsAbout,
  withEtag,
  withSecretShown
} from "./conventions.ts"

const ofReading = Struct.pick(refusals, ["Forbidden", "RoleMissing", "Unavailable"])
const ofCreation = Struct.pick(refusals, ["Forbidden", "InvalidFields", "RoleMissing", "Unavailable"])
const ofRevocation = Struct.pick(refusals, ["Forbidden", "NotFound", "RoleMissing", "Unavailable", "VersionConflict"])

const tokenBody = (record: AssistantTokenRecord) => ({
  id: record.id,
  version: record.version,
  user_id: record.userId,
  name: record.name,
  last4: record.last4,
  expires_at: timeOf(record.expiresAt),
  last_used_at: timeOrNull(record.lastUsedAt),
  created_at: timeOf(record.createdAt),
  // A token does not change until it is revoked.
  updated_at: timeOf(record.createdAt)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "assistantTokens",
  Effect.fn(function* (handlers) {
    const settings = yield* AssistantTokenSettings
    const unknownOfCreation = warningsAbout(CreateAssistantToken)
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* settings.list(yield* pageRequest("assistant-tokens", query))
          return pageBody("assistant-tokens", query, page, ({ id }) => id, tokenBody)
        }).pipe(Effect.catchTags(ofReading))
      )
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          const expiresAt = payload.expires_at == null ? null : Date.parse(payload.expires_at)
          const { record, token } = yield* settings.create({ name: payload.name, expiresAt })
          yield* withEtag(record.version)
          yield* withSecretShown
          return { ...tokenBody(record), token: Redacted.value(token), ...(yield* unknownOfCreation) }
        }).pipe(Effect.catchTags(ofCreation))
      )
      .handle("revoke", ({ headers, params }) =>
        settings.revoke(params.id, expectedVersions(headers["if-match"])).pipe(Effect.catchTags(ofRevocation))
      )
  })
)
