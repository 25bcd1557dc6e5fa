import type { RetrySettings } from "@sarraf/domain/webhooks/RetrySettings"
import type { EndpointSecrets, EndpointStatus, WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { Effect, Redacted, Schema } from "effect"
import type { makeVault, SealBroken } from "../../signing/Vault.ts"

export type Vault = Effect.Success<typeof makeVault>

/** A row of `webhook_endpoints`. */
export interface EndpointRow {
  readonly organization_id: string
  readonly id: string
  readonly url: string
  readonly events: WebhookEndpoint["events"]
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** Sealed: a JSON object of names and values. */
  readonly headers: string
  /** Sealed. */
  readonly secret: string
  /** Sealed. */
  readonly former_secret: string | null
  readonly former_secret_until: Date | null
  readonly retry: RetrySettings
  readonly concurrency: number
  readonly status: EndpointStatus
  readonly disabled_reason: string | null
  readonly failing_since: Date | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

type SealedColumn = "headers" | "secret" | "former_secret"

/** Where a column is sealed: it opens in its own row and column only. */
const placeOf = (organizationId: string, id: string, column: SealedColumn): string =>
  `webhook_endpoints/${organizationId}/${id}/${column}`

const HeadersJson = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const encodeHeaders = Schema.encodeSync(HeadersJson)
const decodeHeaders = Schema.decodeUnknownSync(HeadersJson)

/** An endpoint as its row tells it. `SealBroken` where its headers were moved, changed, or sealed with a lost key. */
export const endpointOf = (row: EndpointRow, vault: Vault): Effect.Effect<WebhookEndpoint, SealBroken> =>
  Effect.map(vault.open(row.headers, placeOf(row.organization_id, row.id, "headers")), (json) => ({
    id: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    metadata: row.metadata,
    headers: Object.fromEntries(
      Object.entries(decodeHeaders(Redacted.value(json))).map(([name, value]) => [name, Redacted.make(value)])
    ),
    retry: row.retry,
    concurrency: row.concurrency,
    status: row.status,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.getTime() ?? null,
    formerSecretUntil: row.former_secret_until?.getTime() ?? null,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    version: row.version
  }))

/** The columns that hold secrets, and where they are. */
export type SecretColumns = Pick<
  EndpointRow,
  "organization_id" | "id" | "secret" | "former_secret" | "former_secret_until"
>

/**
 * What signs the deliveries of an endpoint. The former secret is given until the row's time for it and after: who signs
 * compares `until` with the clock. `SealBroken` as for `endpointOf`.
 */
export const secretsOf = (row: SecretColumns, vault: Vault): Effect.Effect<EndpointSecrets, SealBroken> =>
  Effect.gen(function* () {
    const { former_secret: formerSealed, former_secret_until: until, id, organization_id } = row
    const current = yield* vault.open(row.secret, placeOf(organization_id, id, "secret"))
    if (formerSealed === null || until === null) return { current, former: null }
    const secret = yield* vault.open(formerSealed, placeOf(organization_id, id, "former_secret"))
    return { current, former: { secret, until: until.getTime() } }
  })

/** The column `headers` of an endpoint. */
export const sealHeaders = (organizationId: string, { headers, id }: WebhookEndpoint, vault: Vault): string => {
  const values = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))
  return vault.seal(Redacted.make(encodeHeaders(values)), placeOf(organizationId, id, "headers"))
}

/** The columns of an endpoint's secrets. */
export const sealSecrets = (
  organizationId: string,
  id: string,
  { current, former }: EndpointSecrets,
  vault: Vault
) => ({
  secret: vault.seal(current, placeOf(organizationId, id, "secret")),
  formerSecret: former === null ? null : vault.seal(former.secret, placeOf(organizationId, id, "former_secret")),
  formerUntil: former === null ? null : new Date(former.until)
})
