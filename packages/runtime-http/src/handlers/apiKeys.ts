import { ApiKeySettings } from "@sarraf/domain/organizations/ApiKeySettings"
import type { ApiKeyRecord } from "@sarraf/domain/organizations/ApiKeyStore"
import { Effect, Redacted, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CreateApiKey } from "../api/apiKeys.ts"
import { GatewayMode } from "../auth/GatewayMode.ts"
import {
  expectedVersions,
  pageBody,
  pageRequest,
  refusals,
  timeOf,
  timeOrNull,
  verificationMissing,
  warningsAbout,
  withEtag,
  withLocation,
  withSecretShown
} from "./conventions.ts"

const ofReading = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofOne = Struct.pick(refusals, ["NotFound", "RoleMissing", "Unavailable"])
const ofCreation = {
  ...Struct.pick(refusals, ["InvalidFields", "RoleMissing", "Unavailable"]),
  VerificationMissing: verificationMissing
}
const ofRevocation = Struct.pick(refusals, ["NotFound", "RoleMissing", "Unavailable", "VersionConflict"])

const keyBody = (record: ApiKeyRecord) => ({
  id: record.id,
  version: record.version,
  name: record.name,
  role: record.role,
  last4: record.last4,
  livemode: record.livemode,
  created_by: record.createdBy,
  expires_at: timeOrNull(record.expiresAt),
  last_used_at: timeOrNull(record.lastUsedAt),
  created_at: timeOf(record.createdAt),
  // A key does not change until it is revoked.
  updated_at: timeOf(record.createdAt)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "apiKeys",
  Effect.fn(function* (handlers) {
    const settings = yield* ApiKeySettings
    const { livemode } = yield* GatewayMode
    const unknownOfCreation = warningsAbout(CreateApiKey)
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* settings.list(yield* pageRequest("api-keys", query))
          return pageBody("api-keys", query, page, ({ id }) => id, keyBody)
        }).pipe(Effect.catchTags(ofReading))
      )
      .handle("get", ({ params }) =>
        settings.find(params.id).pipe(
          Effect.tap(({ version }) => withEtag(version)),
          Effect.map(keyBody),
          Effect.catchTags(ofOne)
        )
      )
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          const { expires_at, name, role } = payload
          const expiresAt = expires_at == null ? null : Date.parse(expires_at)
          const { key, record } = yield* settings.create({ name, role, expiresAt, livemode })
          yield* withEtag(record.version)
          yield* withLocation(`/api/api-keys/${record.id}`)
          yield* withSecretShown
          return { ...keyBody(record), key: Redacted.value(key), ...(yield* unknownOfCreation) }
        }).pipe(Effect.catchTags(ofCreation))
      )
      .handle("revoke", ({ headers, params }) =>
        settings.revoke(params.id, expectedVersions(headers["if-match"])).pipe(Effect.catchTags(ofRevocation))
      )
  })
)
