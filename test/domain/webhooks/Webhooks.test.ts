import { assert, describe, it } from "@effect/vitest"
import { roles } from "@sarraf/domain/organizations/Caller"
import { endpointsMax, type Webhooks } from "@sarraf/domain/webhooks/Webhooks"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { sampleEndpoint } from "./support/SampleEndpoint.ts"
import { type Arranged, arranged, as, attempt, delivery } from "./support/WebhooksInMemory.ts"

const fields = { url: "https://shop.example/hooks", events: ["expense.approved"] }
const terms = { expected: undefined, livemode: true }
const secretHeader = { "x-key": Redacted.make("a value of the receiver") }
const page = { limit: 25, after: undefined }

describe("Who may use webhooks", () => {
  const range = { endpointId: "whk_1", from: 0, to: 1, status: undefined } as const
  const reads = {
    list: (webhooks: Webhooks["Service"]) => webhooks.list(page),
    find: (webhooks: Webhooks["Service"]) => webhooks.find("whk_1"),
    deliveries: (webhooks: Webhooks["Service"]) => webhooks.deliveries("whk_1", {}, page)
  }
  const changes = {
    create: (webhooks: Webhooks["Service"]) => webhooks.create(fields, true),
    change: (webhooks: Webhooks["Service"]) => webhooks.change("whk_1", { status: "PAUSED" }, terms),
    remove: (webhooks: Webhooks["Service"]) => webhooks.remove("whk_1", undefined),
    rotateSecret: (webhooks: Webhooks["Service"]) => webhooks.rotateSecret("whk_1", undefined),
    sendTest: (webhooks: Webhooks["Service"]) => webhooks.sendTest("whk_1", "card.frozen"),
    repeat: (webhooks: Webhooks["Service"]) => webhooks.repeat("whd_1"),
    replay: (webhooks: Webhooks["Service"]) => webhooks.replay(range)
  }

  it.effect("is an ADMIN or an OWNER, and an AUDITOR who reads", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      for (const role of roles) {
        const isAdministrator = role === "ADMIN" || role === "OWNER"
        for (const [name, use] of [...Object.entries(reads), ...Object.entries(changes)]) {
          const arrangement = arranged(sampleEndpoint())
          const done = yield* Effect.result(as(role, arrangement)<unknown, { readonly _tag: string }>(use))
          if (isAdministrator || (role === "AUDITOR" && name in reads)) assert.strictEqual(done._tag, "Success", name)
          else {
            assert.strictEqual(done._tag === "Failure" ? done.failure._tag : "done", "RoleMissing", `${role} ${name}`)
            assert.deepStrictEqual([arrangement.recorded, arrangement.units()], [[], 0])
          }
        }
      }
    })
  )

  it.effect("finds nothing where there is nothing", () =>
    Effect.gen(function* () {
      for (const [name, use] of [...Object.entries(reads), ...Object.entries(changes)]) {
        if (["list", "create", "repeat"].includes(name)) continue
        const arrangement = arranged()
        const error = yield* Effect.flip(
          as("OWNER", arrangement)<unknown, { readonly _tag: string; readonly resource?: string }>(use)
        )
        assert.deepInclude(error, { _tag: "NotFound", resource: "webhook endpoint" }, name)
        assert.deepStrictEqual(arrangement.recorded, [])
      }
      const error = yield* Effect.flip(as("OWNER", arranged())((webhooks) => webhooks.repeat("whd_2")))
      assert.deepInclude(error, { _tag: "NotFound", resource: "webhook delivery" })
    })
  )
})

describe("Making an endpoint", () => {
  it.effect("gives it a secret, and records neither that nor the values of headers", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const arrangement = arranged()
      const { endpoint, secret } = yield* as(
        "ADMIN",
        arrangement
      )((webhooks) => webhooks.create({ ...fields, headers: secretHeader }, true))
      assert.match(Redacted.value(secret), /^whsec_/u)
      assert.deepInclude(endpoint, {
        id: "whk_new0",
        status: "ENABLED",
        version: 1,
        createdAt: 1_000,
        updatedAt: 1_000
      })
      assert.strictEqual(arrangement.secrets.get(endpoint.id)?.current, secret)
      assert.lengthOf(arrangement.recorded, 1)
      assert.deepInclude(arrangement.recorded[0], {
        action: "webhook.created",
        subject: { type: "webhook", id: "whk_new0" }
      })
      assert.deepInclude(arrangement.recorded[0]?.after ?? {}, { url: fields.url, headers: ["x-key"] })
      const told = JSON.stringify(arrangement.recorded)
      for (const hidden of ["whsec_", "a value of the receiver"]) assert.notInclude(told, hidden)
    })
  )

  it.effect("is refused with its faults, those that the sender knows among them", () =>
    Effect.gen(function* () {
      const arrangement = arranged()
      const create = (url: string, livemode: boolean) =>
        Effect.flip(as("ADMIN", arrangement)((webhooks) => webhooks.create({ url, events: [] }, livemode)))
      const error = yield* create("https://10.0.0.1/", true)
      assert.deepStrictEqual(error._tag === "InvalidFields" ? error.faults : [], [
        { path: "url", message: "It is a private address" },
        { path: "events", message: 'must name a type, or be ["*"] for all of them' }
      ])
      assert.strictEqual((yield* create("http://shop.example/", true))._tag, "InvalidFields")
      assert.strictEqual(arrangement.kept.size, 0)
    })
  )

  it.effect("is refused where there are fifty", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: endpointsMax }, (_, index) => sampleEndpoint({ id: `whk_${index}` }))
      const create = (arrangement: Arranged) => as("ADMIN", arrangement)((webhooks) => webhooks.create(fields, true))
      yield* create(arranged(...all.slice(1)))
      const full = arranged(...all)
      const error = yield* Effect.flip(create(full))
      assert.deepInclude(error, { _tag: "StateRefused", status: "at its limit of 50 webhook endpoints" })
      assert.strictEqual(full.kept.size, 50)
      assert.deepStrictEqual(full.recorded, [])
    })
  )
})

describe("Changing an endpoint", () => {
  it.effect("raises the version and records what differs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(2_000)
      const arrangement = arranged(sampleEndpoint())
      const after = yield* as(
        "ADMIN",
        arrangement
      )((webhooks) => webhooks.change("whk_1", { events: ["card.frozen"], retry: { maxAttempts: 3 } }, terms))
      assert.deepInclude(after, { version: 2, updatedAt: 2_000, events: ["card.frozen"] })
      assert.strictEqual(arrangement.kept.get("whk_1"), after)
      const [entry] = arrangement.recorded
      assert.strictEqual(entry?.action, "webhook.changed")
      assert.deepStrictEqual(Object.keys(entry?.before ?? {}), ["events", "retry"])
      assert.deepStrictEqual(entry?.after?.events, ["card.frozen"])
    })
  )

  it.effect("records that a header has another value, and not which", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint({ headers: { "x-key": Redacted.make("the former value") } }))
      const after = yield* as(
        "ADMIN",
        arrangement
      )((webhooks) => webhooks.change("whk_1", { headers: secretHeader }, terms))
      assert.strictEqual(after.version, 2)
      assert.deepStrictEqual(arrangement.recorded[0]?.detail, { changed_header_values: ["x-key"] })
      assert.notInclude(JSON.stringify(arrangement.recorded), "value of the")
    })
  )

  it.effect("that changes nothing is no change", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint({ headers: secretHeader }))
      const after = yield* as(
        "ADMIN",
        arrangement
      )((webhooks) =>
        webhooks.change("whk_1", { url: "https://shop.example/hooks", headers: secretHeader, status: "ENABLED" }, terms)
      )
      assert.strictEqual(after.version, 1)
      assert.deepStrictEqual([arrangement.recorded, arrangement.woken], [[], []])
    })
  )

  it.effect("is refused for another version and for wrong fields", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint({ version: 4 }))
      const change = (url: string, expected: ReadonlyArray<number>) =>
        Effect.flip(as("ADMIN", arrangement)((all) => all.change("whk_1", { url }, { expected, livemode: true })))
      assert.deepInclude(yield* change("https://other.example/", [3]), { _tag: "VersionConflict", present: 4 })
      assert.strictEqual((yield* change("http://other.example/", [4]))._tag, "InvalidFields")
      assert.strictEqual(arrangement.kept.get("whk_1")?.version, 4)
      assert.deepStrictEqual(arrangement.recorded, [])
    })
  )

  it.effect("pauses it, and wakes it when it is resumed", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint())
      const to = (status: "ENABLED" | "PAUSED") =>
        as("ADMIN", arrangement)((webhooks) => webhooks.change("whk_1", { status }, terms))
      assert.strictEqual((yield* to("PAUSED")).status, "PAUSED")
      assert.deepStrictEqual(arrangement.woken, [])
      assert.deepInclude(yield* to("ENABLED"), { status: "ENABLED", version: 3 })
      assert.deepStrictEqual(arrangement.woken, ["whk_1"])
    })
  )

  it.effect("resumes what the service disabled, which cannot be paused", () =>
    Effect.gen(function* () {
      const disabled = sampleEndpoint({ status: "DISABLED", disabledReason: "It answered 410.", failingSince: 5 })
      const arrangement = arranged(disabled)
      const to = (status: "ENABLED" | "PAUSED") =>
        as("ADMIN", arrangement)((webhooks) => webhooks.change("whk_1", { status }, terms))
      assert.strictEqual((yield* Effect.flip(to("PAUSED")))._tag, "StateRefused")
      assert.deepInclude(yield* to("ENABLED"), { status: "ENABLED", disabledReason: null, failingSince: null })
      assert.deepStrictEqual(arrangement.woken, ["whk_1"])
    })
  )
})

describe("Ending an endpoint", () => {
  it.effect("takes it away at the version that was meant", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint({ version: 2, headers: secretHeader }))
      const remove = (expected: ReadonlyArray<number>) =>
        as("ADMIN", arrangement)((webhooks) => webhooks.remove("whk_1", expected))
      assert.strictEqual((yield* Effect.flip(remove([1])))._tag, "VersionConflict")
      assert.strictEqual(arrangement.kept.size, 1)
      yield* remove([2])
      assert.strictEqual(arrangement.kept.size, 0)
      assert.strictEqual(arrangement.recorded[0]?.action, "webhook.removed")
      assert.notInclude(JSON.stringify(arrangement.recorded), "a value of the receiver")
    })
  )
})

describe("Rotating a secret", () => {
  it.effect("lets the one before it sign for a day, and records neither", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const arrangement = arranged(sampleEndpoint())
      const { endpoint, secret } = yield* as("ADMIN", arrangement)((webhooks) => webhooks.rotateSecret("whk_1", [1]))
      assert.deepInclude(endpoint, { version: 2, formerSecretUntil: 86_401_000 })
      const kept = arrangement.secrets.get("whk_1")
      assert.strictEqual(kept?.current, secret)
      assert.strictEqual(kept?.former === null ? "" : Redacted.value(kept?.former.secret ?? secret), "whsec_first")
      assert.strictEqual(arrangement.recorded[0]?.action, "webhook.secret_rotated")
      assert.notInclude(JSON.stringify(arrangement.recorded), "whsec_")
      const error = yield* Effect.flip(as("ADMIN", arrangement)((webhooks) => webhooks.rotateSecret("whk_1", [1])))
      assert.strictEqual(error._tag, "VersionConflict")
      assert.strictEqual(arrangement.secrets.get("whk_1"), kept)
    })
  )
})

describe("Deliveries", () => {
  it.effect("are sent as an example to an endpoint that is ENABLED, and to no other", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint())
      const sent = yield* as("ADMIN", arrangement)((webhooks) => webhooks.sendTest("whk_1", "bill.paid"))
      assert.deepInclude(sent.delivery, { endpointId: "whk_1", eventType: "bill.paid" })
      assert.deepInclude(arrangement.recorded[0], {
        action: "webhook.tested",
        detail: { type: "bill.paid", delivery_id: "whd_1" }
      })
      for (const status of ["PAUSED", "DISABLED"] as const) {
        const stopped = arranged(sampleEndpoint({ status }))
        const error = yield* Effect.flip(as("ADMIN", stopped)((webhooks) => webhooks.sendTest("whk_1", "bill.paid")))
        assert.deepInclude(error, { _tag: "StateRefused", status })
        assert.deepStrictEqual(stopped.recorded, [])
      }
    })
  )

  it.effect("are listed with their attempts; a day is the organization's", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint())
      const question = { status: "FAILED", from: "2026-01-31", to: "2026-01-31" } as const
      const found = yield* as("AUDITOR", arrangement)((webhooks) => webhooks.deliveries("whk_1", question, page))
      assert.deepStrictEqual(found, { items: [{ delivery, attempts: [attempt] }], hasMore: true })
      assert.deepStrictEqual(arrangement.filters, [
        {
          endpointId: "whk_1",
          status: "FAILED",
          from: Date.parse("2026-01-30T21:00:00Z"),
          to: Date.parse("2026-01-31T21:00:00Z")
        }
      ])
    })
  )

  it.effect("are repeated one by one, which the history of their endpoint tells", () =>
    Effect.gen(function* () {
      const arrangement = arranged(sampleEndpoint())
      const repeated = yield* as("ADMIN", arrangement)((webhooks) => webhooks.repeat("whd_1"))
      assert.deepStrictEqual(repeated, { delivery, attempts: [attempt] })
      assert.deepInclude(arrangement.recorded[0], {
        action: "webhook.delivery_repeated",
        subject: { type: "webhook", id: "whk_1" },
        detail: { delivery_id: "whd_1", event_id: "evt_1" }
      })
    })
  )

  it.effect("are replayed from a time until now, or until another time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(10_000)
      const arrangement = arranged(sampleEndpoint())
      const replay = (from: number, to: number | undefined, status: "FAILED" | undefined) =>
        as("ADMIN", arrangement)((webhooks) => webhooks.replay({ endpointId: "whk_1", from, to, status }))
      assert.strictEqual(yield* replay(5_000, undefined, "FAILED"), 3)
      assert.strictEqual(yield* replay(5_000, 6_000, undefined), 3)
      // What is made from now on is not sent twice.
      assert.strictEqual(yield* replay(5_000, 20_000, undefined), 3)
      assert.deepStrictEqual(arrangement.replays, [
        { endpointId: "whk_1", from: 5_000, to: 10_000, status: "FAILED" },
        { endpointId: "whk_1", from: 5_000, to: 6_000, status: undefined },
        { endpointId: "whk_1", from: 5_000, to: 10_000, status: undefined }
      ])
      assert.deepStrictEqual(arrangement.recorded[0]?.detail, {
        from: "1970-01-01T00:00:05.000Z",
        to: "1970-01-01T00:00:10.000Z",
        status: "FAILED",
        deliveries: 3
      })
      for (const [from, to] of [
        [10_000, undefined],
        [10_000, 20_000],
        [6_000, 6_000],
        [6_000, 5_000]
      ] as const) {
        const error = yield* Effect.flip(replay(from, to, undefined))
        assert.strictEqual(error._tag === "InvalidFields" ? error.faults[0]?.path : error._tag, "from")
      }
      assert.lengthOf(arrangement.replays, 3)
    })
  )
})
