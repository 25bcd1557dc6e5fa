import { assert, describe, it } from "@effect/vitest"
import { type AuditEntry, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { makeDisableEndpoint } from "@sarraf/domain/webhooks/DisableEndpoint"
import type { WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@sarraf/domain/webhooks/WebhookEndpointStore"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sampleEndpoint } from "./support/SampleEndpoint.ts"

const reason = "Every attempt of the last five days failed."

/** Whether `whk_1` was disabled at 9,000 after failing since 2,000, what was kept of it, and what the audit trail has. */
const disabling = (present: WebhookEndpoint | undefined) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(9_000)
    const kept: Array<WebhookEndpoint> = []
    const recorded: Array<AuditEntry> = []
    const ports = Layer.mergeAll(
      Layer.mock(WebhookEndpointStore, {
        lock: () => Effect.succeed(present),
        update: (endpoint) => Effect.sync(() => void kept.push(endpoint))
      }),
      Layer.mock(AuditTrail, { append: (entry) => Effect.sync(() => void recorded.push(entry)) })
    )
    const didIt = yield* Effect.flatMap(makeDisableEndpoint, (disable) => disable("whk_1", reason, 2_000)).pipe(
      Effect.provide(ports),
      Effect.provideService(Caller, {
        organizationId: "org_1",
        role: "OWNER",
        name: "system",
        kind: "system",
        userId: null,
        createdBy: null
      })
    )
    return { didIt, kept, recorded }
  })

describe("Disabling an endpoint", () => {
  it.effect("changes it now, however long it has been failing, and is audited with its reason", () =>
    Effect.gen(function* () {
      const present = sampleEndpoint({ updatedAt: 3_000, version: 4 })
      const { didIt, kept, recorded } = yield* disabling(present)
      assert.isTrue(didIt)
      assert.deepStrictEqual(kept, [
        { ...present, status: "DISABLED", disabledReason: reason, failingSince: 2_000, updatedAt: 9_000, version: 5 }
      ])
      assert.deepStrictEqual(recorded, [
        {
          action: "webhook.disabled",
          subject: { type: "webhook", id: "whk_1" },
          before: { status: "ENABLED" },
          after: { status: "DISABLED" },
          detail: { reason }
        }
      ])
    })
  )

  it.effect("keeps since when it has been failing where that is known", () =>
    Effect.gen(function* () {
      const { kept } = yield* disabling(sampleEndpoint({ failingSince: 1_000 }))
      assert.deepStrictEqual(
        kept.map(({ failingSince }) => failingSince),
        [1_000]
      )
    })
  )

  it.effect("does nothing to one that is disabled or removed", () =>
    Effect.gen(function* () {
      for (const present of [sampleEndpoint({ status: "DISABLED", disabledReason: "410" }), undefined]) {
        assert.deepStrictEqual(yield* disabling(present), { didIt: false, kept: [], recorded: [] })
      }
    })
  )
})
