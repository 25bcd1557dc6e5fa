import { Clock, Effect, Result } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { Instant } from "../time/Instant.ts"
import { auditedChange } from "./EndpointAudit.ts"
import { commanded } from "./WebhookEndpointStatus.ts"
import { WebhookEndpointStore } from "./WebhookEndpointStore.ts"

/**
 * Disables an endpoint that has been failing since a time for a reason, a sentence, with an audit entry; in the open unit of
 * work. Whether it did: not where it is disabled or removed already.
 */
export const makeDisableEndpoint = Effect.gen(function* () {
  const endpoints = yield* WebhookEndpointStore
  const audit = yield* AuditTrail
  return Effect.fn("disableEndpoint")(function* (id: string, reason: string, since: Instant) {
    const before = yield* endpoints.lock(id)
    if (before === undefined) return false
    const disabled = Result.getOrElse(commanded(before, "disable", reason), () => before)
    if (disabled.status === before.status) return false
    const after = {
      ...disabled,
      failingSince: before.failingSince ?? since,
      updatedAt: yield* Clock.currentTimeMillis,
      version: before.version + 1
    }
    yield* endpoints.update(after)
    yield* audit.append({
      action: "webhook.disabled",
      subject: { type: "webhook", id },
      ...auditedChange(before, after),
      detail: { reason }
    })
    return true
  })
})
