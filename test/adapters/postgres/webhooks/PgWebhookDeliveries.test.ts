import { assert, layer } from "@effect/vitest"
import { eventTypes } from "@sarraf/domain/events/EventLog"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { scripted } from "./support/ScriptedReceiver.ts"
import { delivering, elementsLeft, organization, stage, until } from "./support/Stage.ts"

const url = "https://shop.example/hook"
const whole = { limit: 100, after: undefined }

layer(stage, { excludeTestServices: true })("PgWebhookDeliveries", (it) => {
  it.effect("lists newest first, by endpoint, status, type and time, in pages, and nobody else's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("list")
      const theirs = yield* organization("listed")
      const [one, two] = [yield* ours.endpoint("one", { url }), yield* ours.endpoint("two", { url })]
      const foreign = yield* theirs.endpoint("one", { url })
      yield* ours.change(3)
      yield* theirs.change(1)
      const list = (filter: Parameters<typeof ours.deliveries.list>[0], page = whole) =>
        ours.as(ours.deliveries.list(filter, page))
      const all = (yield* list({})).items
      assert.lengthOf(all, 6)
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        all
          .map(({ id }) => id)
          .toSorted()
          .toReversed()
      )
      assert.lengthOf((yield* list({ endpointId: one })).items, 3)
      assert.isEmpty((yield* list({ endpointId: foreign })).items)
      assert.isEmpty((yield* list({ status: "FAILED" })).items)
      assert.lengthOf((yield* list({ status: "PENDING", eventType: "expense.approved" })).items, 6)
      assert.isEmpty((yield* list({ eventType: "card.frozen" })).items)
      yield* sql`UPDATE webhook_deliveries SET created_at = '2020-02-02T00:00:00Z' WHERE endpoint_id = ${two}`
      const [from, to] = [Date.parse("2020-02-02T00:00:00Z"), Date.parse("2020-02-03T00:00:00Z")]
      assert.lengthOf((yield* list({ from, to })).items, 3)
      assert.isEmpty((yield* list({ from: from + 1, to })).items)
      assert.isEmpty((yield* list({ to: from })).items)
      const first = yield* list({}, { limit: 4, after: undefined })
      assert.isTrue(first.hasMore)
      const second = yield* ours.as(ours.deliveries.list({}, { limit: 4, after: first.items.at(-1)?.id }))
      assert.isFalse(second.hasMore)
      assert.deepStrictEqual(
        [...first.items, ...second.items].map(({ id }) => id),
        all.map(({ id }) => id)
      )
      const [known] = all
      assert.strictEqual((yield* ours.as(ours.deliveries.find(known?.id ?? "")))?.eventId, known?.eventId)
      assert.isUndefined(yield* theirs.as(theirs.deliveries.find(known?.id ?? "")))
      assert.isUndefined(yield* theirs.as(theirs.deliveries.repeat(known?.id ?? "")))
      assert.strictEqual((yield* theirs.as(theirs.deliveries.attemptsOf([known?.id ?? ""]))).size, 0)
    })
  )

  it.effect("repeats a delivery, with all its attempts before it again", () =>
    Effect.gen(function* () {
      const ours = yield* organization("again")
      let status = 500
      const receiver = yield* scripted(() => status)
      yield* delivering
      const retry = { maxAttempts: 1, baseSeconds: 1_000, factor: 1, maxSeconds: 1_000, jitter: 0 }
      const id = yield* ours.endpoint("one", { url: receiver.url(), retry })
      yield* ours.change(1)
      const is = (wanted: string, attempts: number) =>
        until(Effect.map(ours.sent(id), ([one]) => one?.status === wanted && one.attempts === attempts))
      yield* is("FAILED", 1)
      const [failed] = yield* ours.sent(id)
      const repeat = ours.as(ours.units.run(ours.deliveries.repeat(failed?.id ?? "")))
      assert.deepInclude((yield* repeat) ?? {}, { id: failed?.id, status: "PENDING", attempts: 1, completedAt: null })
      yield* is("FAILED", 2)
      status = 200
      yield* repeat
      yield* is("SUCCEEDED", 3)
      yield* repeat
      yield* is("SUCCEEDED", 4)
      const attempts = (yield* ours.as(ours.deliveries.attemptsOf([failed?.id ?? ""]))).get(failed?.id ?? "") ?? []
      assert.deepStrictEqual(
        attempts.map((attempt) => [attempt.number, attempt.status]),
        [
          [1, 500],
          [2, 500],
          [3, 200],
          [4, 200]
        ]
      )
      assert.strictEqual(new Set(receiver.messages.map((message) => message.id)).size, 1)
    })
  )

  it.effect("makes a delivery that waits for its next attempt due now", () =>
    Effect.gen(function* () {
      const ours = yield* organization("sooner")
      const receiver = yield* scripted((_, count) => (count === 1 ? 500 : 200))
      yield* delivering
      const id = yield* ours.endpoint("one", { url: receiver.url() })
      yield* ours.change(1)
      yield* until(Effect.map(ours.sent(id), ([one]) => one?.attempts === 1))
      const [waiting] = yield* ours.sent(id)
      yield* ours.as(ours.units.run(ours.deliveries.repeat(waiting?.id ?? "")))
      yield* until(Effect.map(ours.sent(id), ([one]) => one?.status === "SUCCEEDED"))
      assert.strictEqual(receiver.messages.length, 2)
    })
  )

  it.effect("sends a range again, all of it or what failed, in parts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("range")
      const refused = new Set<string>()
      let isRepaired = false
      const receiver = yield* scripted((id) => {
        if (!isRepaired && refused.size < 5) refused.add(id)
        return isRepaired || !refused.has(id) ? 200 : 500
      })
      yield* delivering
      const retry = { maxAttempts: 1, baseSeconds: 1, factor: 1, maxSeconds: 1, jitter: 0 }
      const id = yield* ours.endpoint("one", { url: receiver.url(), retry })
      yield* ours.change(20)
      const settled = until(
        Effect.map(ours.sent(id), (sent) => sent.length === 20 && sent.every(({ status }) => status !== "PENDING"))
      )
      yield* settled
      isRepaired = true
      const now = Date.now() + 1_000
      const replay = (status: "FAILED" | undefined, from: number, to: number) =>
        ours.as(ours.units.run(ours.deliveries.replay({ endpointId: id, from, to, status })))
      assert.strictEqual(yield* replay("FAILED", 0, now), 5)
      yield* until(Effect.map(ours.sent(id), (sent) => sent.every(({ status }) => status === "SUCCEEDED")))
      assert.strictEqual(receiver.messages.length, 25)
      assert.strictEqual(yield* replay("FAILED", 0, now), 0)

      yield* sql`UPDATE webhook_deliveries SET created_at = '2020-02-02T00:00:00Z' WHERE id = ANY (ARRAY (
        SELECT id FROM webhook_deliveries WHERE endpoint_id = ${id} ORDER BY id LIMIT 7))`
      const [from, to] = [Date.parse("2020-02-02T00:00:00Z"), Date.parse("2020-02-03T00:00:00Z")]
      assert.strictEqual(yield* replay(undefined, from, to), 7)
      yield* until(Effect.sync(() => receiver.messages.length === 32))
      yield* until(Effect.map(elementsLeft(ours.id), (count) => count === 0))
      assert.strictEqual(receiver.messages.length, 32)
      assert.strictEqual(yield* replay(undefined, to, to + 1), 0)
    })
  )

  it.effect("goes on with a range where a process left it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("parts")
      const receiver = yield* scripted(() => 200)
      const id = yield* ours.endpoint("one", { url: receiver.url() })
      yield* ours.pause(id)
      // More than two parts.
      yield* ours.as(ours.units.run(Effect.forEach(Array.from({ length: 450 }), (_, number) => ours.happened(number))))
      yield* sql`UPDATE webhook_deliveries SET status = 'FAILED', attempts = 3, next_attempt_at = NULL,
        completed_at = now() WHERE endpoint_id = ${id}`
      yield* sql`DELETE FROM webhook_queue WHERE queue_name = ${`webhook/${id}`}`
      const count = yield* ours.as(
        ours.units.run(ours.deliveries.replay({ endpointId: id, from: 0, to: Date.now() + 1_000, status: "FAILED" }))
      )
      assert.strictEqual(count, 450)
      const pending = Effect.map(
        sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM webhook_deliveries
          WHERE endpoint_id = ${id} AND status = 'PENDING' AND attempts_before = 3`,
        ([row]) => row?.count ?? 0
      )
      // Each process is ended as soon as it has begun.
      for (let number = 0; number < 10; number++) {
        if ((yield* pending) === 450) break
        yield* Effect.scoped(Effect.andThen(delivering, Effect.sleep("60 millis")))
      }
      yield* delivering
      yield* until(Effect.map(pending, (done) => done === 450))
      const [elements] = yield* sql<{ readonly all: number; readonly different: number }>`SELECT count(*)::int AS all,
        count(DISTINCT element)::int AS different FROM webhook_queue
        WHERE queue_name = ${`webhook/${id}`} AND state = 'pending'`
      assert.deepStrictEqual(elements, { all: 450, different: 450 })
      assert.isEmpty(receiver.messages)
    })
  )

  it.effect("sends an example of each type to one endpoint, which is in no list of events", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("example")
      const receiver = yield* scripted(() => 200)
      yield* delivering
      const id = yield* ours.endpoint("one", { url: receiver.url(), events: ["card.frozen"] })
      yield* ours.endpoint("two", { url: receiver.url("/other") })
      for (const type of eventTypes) {
        const delivery = yield* ours.as(ours.units.run(ours.deliveries.sendExample(id, type)))
        assert.deepInclude(delivery, { endpointId: id, eventType: type, status: "PENDING", attempts: 0 })
      }
      yield* until(Effect.map(ours.sent(id), (sent) => sent.every(({ status }) => status === "SUCCEEDED")))
      const types = receiver.messages.map(({ body }) => (JSON.parse(body) as { readonly type: string }).type)
      assert.deepStrictEqual(types.sort(), [...eventTypes].sort())
      assert.isEmpty(receiver.messages.filter(({ path }) => path === "/other"))
      const rows = yield* sql`SELECT 1 FROM events WHERE organization_id = ${ours.id} AND NOT is_example`
      assert.isEmpty(rows)
    })
  )
})
