import { Redacted } from "effect"
import type { RetrySettings } from "./RetrySettings.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

type Fields = Readonly<Record<string, unknown>>

/** Retry settings as the API names them. */
const retryFields = ({ baseSeconds, factor, jitter, maxAttempts, maxSeconds }: RetrySettings) => ({
  max_attempts: maxAttempts,
  base_seconds: baseSeconds,
  factor,
  max_seconds: maxSeconds,
  jitter
})

/** An endpoint as the audit trail names it: of custom headers the names alone, and no secret. */
export const auditedFields = (endpoint: WebhookEndpoint): Fields => ({
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description,
  metadata: endpoint.metadata,
  headers: Object.keys(endpoint.headers),
  retry: retryFields(endpoint.retry),
  concurrency: endpoint.concurrency,
  status: endpoint.status
})

/** The names of headers that are on both sides with other values. */
const changedValues = (before: WebhookEndpoint, after: WebhookEndpoint): ReadonlyArray<string> =>
  Object.entries(after.headers).flatMap(([name, value]) => {
    const former = before.headers[name]
    return former !== undefined && Redacted.value(former) !== Redacted.value(value) ? [name] : []
  })

/** What differs between two states of an endpoint; undefined: nothing. */
export const auditedChange = (
  before: WebhookEndpoint,
  after: WebhookEndpoint
): { readonly before: Fields; readonly after: Fields; readonly detail?: Fields } | undefined => {
  const [former, latter] = [auditedFields(before), auditedFields(after)]
  const names = Object.keys(former).filter((name) => JSON.stringify(former[name]) !== JSON.stringify(latter[name]))
  const values = changedValues(before, after)
  if (names.length === 0 && values.length === 0) return undefined
  const part = (fields: Fields): Fields => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return {
    before: part(former),
    after: part(latter),
    ...(values.length === 0 ? {} : { detail: { changed_header_values: values } })
  }
}
