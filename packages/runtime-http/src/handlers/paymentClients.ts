import { PaymentClientSettings, type ShownClientSecret } from "@sarraf/domain/organizations/PaymentClientSettings"
import type { PaymentClientRecord } from "@sarraf/domain/organizations/PaymentClientStore"
import { Effect, Redacted, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CreatePaymentClient, RotateSecret } from "../api/paymentClients.ts"
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
const ofChange = Struct.pick(refusals, ["NotFound", "RoleMissing", "Unavailable", "VersionConflict"])

/** How long the secret before it stays valid by default. */
const keepHours = 24

const clientBody = (client: PaymentClientRecord) => ({
  id: client.id,
  version: client.version,
  name: client.name,
  created_by: client.createdBy,
  secrets: client.secrets.map(({ createdAt, expiresAt, number }) => ({
    number,
    created_at: timeOf(createdAt),
    expires_at: timeOrNull(expiresAt)
  })),
  created_at: timeOf(client.createdAt),
  updated_at: timeOf(client.updatedAt)
})

const shownBody = ({ client, number, secret }: ShownClientSecret) => ({
  ...clientBody(client),
  number,
  secret: Redacted.value(secret)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "paymentClients",
  Effect.fn(function* (handlers) {
    const settings = yield* PaymentClientSettings
    const { livemode } = yield* GatewayMode
    const unknownOfCreation = warningsAbout(CreatePaymentClient)
    const unknownOfRotation = warningsAbout(RotateSecret)
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* settings.list(yield* pageRequest("payment-clients", query))
          return pageBody("payment-clients", query, page, ({ id }) => id, clientBody)
        }).pipe(Effect.catchTags(ofReading))
      )
      .handle("get", ({ params }) =>
        settings.find(params.id).pipe(
          Effect.tap(({ version }) => withEtag(version)),
          Effect.map(clientBody),
          Effect.catchTags(ofOne)
        )
      )
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          const shown = yield* settings.create({ name: payload?.name ?? null, livemode })
          yield* withEtag(shown.client.version)
          yield* withLocation(`/api/payment-clients/${shown.client.id}`)
          yield* withSecretShown
          return { ...shownBody(shown), ...(payload === null ? {} : yield* unknownOfCreation) }
        }).pipe(Effect.catchTags(ofCreation))
      )
      .handle("rotate", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const expected = expectedVersions(headers["if-match"])
          const shown = yield* settings.rotate(params.id, payload?.keep_hours ?? keepHours, expected)
          yield* withEtag(shown.client.version)
          yield* withSecretShown
          return { ...shownBody(shown), ...(payload === null ? {} : yield* unknownOfRotation) }
        }).pipe(Effect.catchTags(ofChange))
      )
      .handle("retireSecret", ({ headers, params }) =>
        settings
          .retireSecret(params.id, params.number, expectedVersions(headers["if-match"]))
          .pipe(Effect.catchTags(ofChange))
      )
      .handle("retire", ({ headers, params }) =>
        settings.retire(params.id, expectedVersions(headers["if-match"])).pipe(Effect.catchTags(ofChange))
      )
  })
)
