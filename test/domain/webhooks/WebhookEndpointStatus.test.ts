import { assert, describe, it } from "@effect/vitest"
import { endpointStatuses } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { commanded, endpointTransitions } from "@sarraf/domain/webhooks/WebhookEndpointStatus"
import { Result, Schema } from "effect"
import { sampleEndpoint } from "./support/SampleEndpoint.ts"

const Status = Schema.Literals(endpointStatuses)
const Command = Schema.Literals(["pause", "resume", "disable"])

describe("The status of a webhook endpoint", () => {
  it.prop("moves exactly where its table says so", [Status, Command], ([status, command]) => {
    const transitions: Readonly<Record<string, string>> = endpointTransitions[status]
    const endpoint = sampleEndpoint({ status, disabledReason: status === "DISABLED" ? "It was gone." : null })
    const done = commanded(endpoint, command, "It failed.")
    if (Result.isFailure(done)) {
      assert.notProperty(transitions, command)
      assert.deepInclude(done.failure, { _tag: "StateRefused", status })
      assert.notInclude(done.failure.allowed, "disable")
    } else {
      assert.strictEqual(done.success.status, transitions[command])
      assert.strictEqual(done.success.disabledReason !== null, done.success.status === "DISABLED")
    }
  })

  it("is DISABLED with the reason, and since when it fails stays known", () => {
    const failing = sampleEndpoint({ failingSince: 5 })
    const disabled = Result.getOrThrow(commanded(failing, "disable", "It answered 410."))
    assert.deepInclude(disabled, { status: "DISABLED", disabledReason: "It answered 410.", failingSince: 5 })
  })

  it("keeps the first reason of one that is disabled twice", () => {
    const disabled = sampleEndpoint({ status: "DISABLED", disabledReason: "It answered 410." })
    assert.strictEqual(Result.getOrThrow(commanded(disabled, "disable", "It failed for five days.")), disabled)
  })

  it("begins anew when it is resumed", () => {
    for (const status of ["PAUSED", "DISABLED"] as const) {
      const stopped = sampleEndpoint({ status, failingSince: 5, disabledReason: "It answered 410." })
      const resumed = Result.getOrThrow(commanded(stopped, "resume"))
      assert.deepInclude(resumed, { status: "ENABLED", disabledReason: null, failingSince: null })
    }
  })

  it("cannot be PAUSED by a person where the service disabled it", () => {
    const refused = commanded(sampleEndpoint({ status: "DISABLED", disabledReason: "It answered 410." }), "pause")
    assert.isTrue(Result.isFailure(refused))
    if (Result.isFailure(refused)) assert.deepStrictEqual(refused.failure.allowed, ["resume"])
  })
})
