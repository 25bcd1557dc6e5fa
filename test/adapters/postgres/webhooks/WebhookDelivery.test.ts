import { createHmac } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { pauseAfter } from "@sarraf/domain/webhooks/RetrySchedule"
import { type WebhookMessage, WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Clock, Deferred, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type Reaction, scripted } from "./support/ScriptedReceiver.ts"
import { delivering, elementsLeft, hasten, organization, secret, stage, until } from "./support/Stage.ts"

const isDone = <E, R>(sent: Effect.Effect<ReadonlyArray<{ readonly status: string }>, E, R>, count: number) =>
  Effect.map(sent, (all) => all.length === count && all.every(({ status }) => status === "SUCCEEDED"))

layer(stage, { excludeTestServices: true })("The delivery of webhooks", (it) => {
  it.effect("hands over each event once, signed, and records it", () =>
    Effect.gen(function* () {
      const ours = yield* organization("plain")
      const receiver = yield* scripted(() => 202)
      yield* delivering
      const id = yield* ours.endpoint("one", { url: receiver.url() })
      yield* ours.change(3)
      yield* until(isDone(ours.sent(id), 3))
      const sent = yield* ours.sent(id)
      assert.deepStrictEqual(
        receiver.messages.map((message) => message.id).sort(),
        sent.map(({ eventId }) => eventId)
      )
      for (const { body, signature } of receiver.messages) {
        const [, time] = /^t=(\d+),/.exec(signature) ?? []
        const expected = createHmac("sha256", Redacted.value(secret)).update(`${time}.${body}`).digest("hex")
        assert.include(signature, `v1=${expected}`)
        assert.deepInclude(JSON.parse(body), { type: "expense.approved", organization_id: ours.id, sequence: 1 })
      }
      const attempts = yield* ours.as(ours.deliveries.attemptsOf(sent.map((delivery) => delivery.id)))
      for (const delivery of sent) {
        assert.deepInclude(delivery, { attempts: 1, nextAttemptAt: null })
        const [attempt, ...more] = attempts.get(delivery.id) ?? []
        assert.deepInclude(attempt, { number: 1, status: 202, error: null, answer: "answer 202" })
        assert.isEmpty(more)
      }
      yield* until(Effect.map(elementsLeft(ours.id), (count) => count === 0))
    })
  )

  it.effect("brings every event over to a receiver that fails in every way", () =>
    Effect.gen(function* () {
      const ours = yield* organization("mixture")
      const ways: ReadonlyArray<Reaction> = [500, "closes", 404, { status: 429, retryAfter: "0" }, 302, 503, 200]
      const order: Array<string> = []
      const receiver = yield* scripted((id, count) => {
        if (!order.includes(id)) order.push(id)
        // Each event begins somewhere else in the list, and ends where it says 200.
        return ways[Math.min(ways.length - 1, (order.indexOf(id) % ways.length) + count - 1)] ?? 200
      })
      yield* delivering
      const id = yield* ours.endpoint("failing", { url: receiver.url() })
      yield* ours.change(21)
      yield* until(Effect.andThen(hasten, isDone(ours.sent(id), 21)))
      const sent = yield* ours.sent(id)
      assert.deepStrictEqual(
        [...receiver.accepted].sort(),
        sent.map(({ eventId }) => eventId)
      )
      const bodies = new Map<string, Set<string>>()
      for (const { body, id: event } of receiver.messages) {
        bodies.set(event, (bodies.get(event) ?? new Set()).add(body))
      }
      for (const [, texts] of bodies) assert.strictEqual(texts.size, 1, "every attempt sends the same text")
      const attempts = yield* ours.as(ours.deliveries.attemptsOf(sent.map((delivery) => delivery.id)))
      for (const delivery of sent) {
        // One that met a connection that had been closed meanwhile went out again within its attempt.
        assert.isAtLeast(receiver.countOf(delivery.eventId), delivery.attempts)
        assert.lengthOf(attempts.get(delivery.id) ?? [], delivery.attempts)
      }
      const endpoint = yield* ours.as(ours.endpoints.find(id))
      yield* until(Effect.map(ours.as(ours.endpoints.find(id)), (found) => found?.failingSince === null))
      assert.strictEqual(endpoint?.status, "ENABLED")
    })
  )

  it.effect("keeps the pauses of the endpoint's settings, and gives up after the last attempt", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("schedule")
      const receiver = yield* scripted(() => 500)
      yield* delivering
      const retry = { maxAttempts: 4, baseSeconds: 1_000, factor: 3, maxSeconds: 5_000, jitter: 0 }
      const id = yield* ours.endpoint("one", { url: receiver.url(), retry })
      yield* ours.change(1)
      for (let number = 1; number <= retry.maxAttempts; number++) {
        yield* until(Effect.map(ours.sent(id), ([delivery]) => delivery?.attempts === number))
        const [delivery] = yield* ours.sent(id)
        assert.isDefined(delivery)
        const attempts =
          (yield* ours.as(ours.deliveries.attemptsOf([delivery?.id ?? ""]))).get(delivery?.id ?? "") ?? []
        const last = attempts.at(-1)
        const ended = (last?.at ?? 0) + (last?.durationMillis ?? 0)
        const waiting = yield* sql<{ readonly seconds: number }>`SELECT
          extract(epoch FROM visible_at - created_at)::float8 AS seconds FROM webhook_queue
          WHERE queue_name = ${`webhook/${id}`} AND state = 'pending' AND visible_at > now()`
        if (number === retry.maxAttempts) {
          assert.deepInclude(delivery, { status: "FAILED", nextAttemptAt: null, completedAt: ended })
          assert.isEmpty(waiting)
          break
        }
        const pause = pauseAfter(retry, number)
        assert.deepInclude(delivery, { status: "PENDING", nextAttemptAt: ended + pause, completedAt: null })
        assert.lengthOf(waiting, 1)
        assert.isAtLeast(waiting[0]?.seconds ?? 0, pause / 1_000)
        yield* hasten
      }
      assert.strictEqual(receiver.messages.length, retry.maxAttempts)
    })
  )

  it.effect("is not back before the time that a receiver asked for", () =>
    Effect.gen(function* () {
      const ours = yield* organization("patience")
      const receiver = yield* scripted((_, count) => (count === 1 ? { status: 503, retryAfter: "7200" } : 200))
      yield* delivering
      const id = yield* ours.endpoint("one", { url: receiver.url() })
      yield* ours.change(1)
      yield* until(Effect.map(ours.sent(id), ([delivery]) => delivery?.attempts === 1))
      const [delivery] = yield* ours.sent(id)
      const [attempt] = (yield* ours.as(ours.deliveries.attemptsOf([delivery?.id ?? ""]))).get(delivery?.id ?? "") ?? []
      assert.isAtLeast((delivery?.nextAttemptAt ?? 0) - (attempt?.at ?? 0), 7_200_000)
      yield* hasten
      yield* until(isDone(ours.sent(id), 1))
    })
  )

  it.effect("disables an endpoint that answers 410, with an audit entry; what waits goes on when it is resumed", () =>
    Effect.gen(function* () {
      const ours = yield* organization("gone")
      let isGone = true
      const receiver = yield* scripted(() => (isGone ? 410 : 200))
      yield* delivering
      const id = yield* ours.endpoint("one", { url: receiver.url(), concurrency: 1 })
      yield* ours.change(1)
      yield* until(Effect.map(ours.as(ours.endpoints.find(id)), (found) => found?.status === "DISABLED"))
      const disabled = yield* ours.as(ours.endpoints.find(id))
      assert.strictEqual(disabled?.disabledReason, "The receiver answered 410 Gone.")
      const { items } = yield* ours.as(
        Effect.flatMap(AuditTrail, (trail) => trail.list({ subjectId: id }, { limit: 10, after: undefined }))
      )
      assert.lengthOf(items, 1)
      assert.deepInclude(items[0], {
        action: "webhook.disabled",
        actor: "system",
        before: { status: "ENABLED" },
        after: { status: "DISABLED" },
        detail: { reason: "The receiver answered 410 Gone." }
      })
      assert.strictEqual((yield* ours.sent(id))[0]?.status, "FAILED")
      yield* ours.change(3, 2)
      assert.strictEqual(receiver.messages.length, 1)
      isGone = false
      yield* ours.resume(id)
      yield* until(Effect.map(ours.sent(id), (sent) => sent.slice(1).every(({ status }) => status === "SUCCEEDED")))
      assert.strictEqual(receiver.messages.length, 4)
    })
  )

  it.effect("disables an endpoint at which every attempt of five days failed, not one that failed for less", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("days")
      const receiver = yield* scripted(() => 500)
      yield* delivering
      const [long, short] = [
        yield* ours.endpoint("long", { url: receiver.url("/long") }),
        yield* ours.endpoint("short", { url: receiver.url("/short") })
      ]
      yield* sql`UPDATE webhook_endpoints SET failing_since = now() - interval '5 days' WHERE id = ${long}`
      yield* sql`UPDATE webhook_endpoints SET failing_since = now() - interval '119 hours' WHERE id = ${short}`
      yield* ours.change(1)
      yield* until(Effect.map(ours.as(ours.endpoints.find(long)), (found) => found?.status === "DISABLED"))
      yield* until(Effect.map(ours.sent(short), ([delivery]) => delivery?.attempts === 1))
      assert.strictEqual((yield* ours.as(ours.endpoints.find(short)))?.status, "ENABLED")
      assert.strictEqual((yield* ours.sent(long))[0]?.status, "PENDING")
    })
  )

  it.effect("holds what is for a paused endpoint until it is resumed", () =>
    Effect.gen(function* () {
      const ours = yield* organization("paused")
      const receiver = yield* scripted(() => 200)
      yield* delivering
      const [held, open] = [
        yield* ours.endpoint("held", { url: receiver.url("/held") }),
        yield* ours.endpoint("open", { url: receiver.url("/open") })
      ]
      yield* ours.pause(held)
      yield* ours.change(5)
      yield* until(isDone(ours.sent(open), 5))
      assert.isEmpty(receiver.messages.filter(({ path }) => path === "/held"))
      assert.deepStrictEqual(
        (yield* ours.sent(held)).map(({ attempts, status }) => ({ attempts, status })),
        Array.from({ length: 5 }, () => ({ attempts: 0, status: "PENDING" }))
      )
      yield* ours.resume(held)
      yield* until(isDone(ours.sent(held), 5))
      assert.lengthOf(
        receiver.messages.filter(({ path }) => path === "/held"),
        5
      )
    })
  )

  it.effect("does not let endpoints that hang hold up one that answers", () =>
    Effect.gen(function* () {
      const dead = yield* organization("dead")
      const alive = yield* organization("alive")
      const released = yield* Deferred.make<void>()
      let hanging = 0
      const answered = Effect.map(Clock.currentTimeMillis, (at) => ({
        ...{ at, durationMillis: 1, error: null, answer: "", retryAfter: null },
        status: 200
      }))
      // Never gives up, so that a place that it holds is not free again before the test has its answer.
      const hung = Effect.suspend(() => {
        hanging++
        return Deferred.await(released)
      })
      const send = ({ url }: WebhookMessage) => (url.endsWith("/dead") ? Effect.andThen(hung, answered) : answered)
      yield* Effect.provideService(delivering, WebhookSender, { send, refusalOf: () => undefined })
      // They want more places than one process has for all of its lanes together.
      for (let number = 0; number < 60; number++) {
        yield* dead.endpoint(`n${number}`, { url: "http://127.0.0.1/dead", concurrency: 50 })
      }
      yield* dead.change(20)
      yield* until(Effect.sync(() => hanging >= 60))
      const id = yield* alive.endpoint("one", { url: "http://127.0.0.1/alive" })
      yield* alive.change(40)
      yield* until(isDone(alive.sent(id), 40))
      assert.isBelow(hanging, 1_200)
      yield* Deferred.succeed(released, undefined)
    })
  )

  it.effect("shares the work with other processes, and sends nothing twice for that", () =>
    Effect.gen(function* () {
      const ours = yield* organization("shared")
      const receiver = yield* scripted(() => 200)
      yield* delivering
      yield* delivering
      const ids = [
        yield* ours.endpoint("a", { url: receiver.url("/a") }),
        yield* ours.endpoint("b", { url: receiver.url("/b") })
      ]
      yield* ours.change(60)
      for (const id of ids) yield* until(isDone(ours.sent(id), 60))
      assert.strictEqual(receiver.messages.length, 120)
    })
  )

  it.effect("does not send again what was recorded before a process broke down", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("recorded")
      const receiver = yield* scripted(() => 200)
      const id = yield* ours.endpoint("one", { url: receiver.url() })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* delivering
          yield* ours.change(1)
          yield* until(isDone(ours.sent(id), 1))
          yield* until(Effect.map(elementsLeft(ours.id), (count) => count === 0))
        })
      )
      // As it is found by others when a process ends between the record and the completion.
      yield* sql`UPDATE webhook_queue SET state = 'pending', acquired_at = now() - interval '1 hour',
        acquired_by = gen_random_uuid() WHERE queue_name = ${`webhook/${id}`}`
      yield* delivering
      yield* until(Effect.map(elementsLeft(ours.id), (count) => count === 0))
      assert.strictEqual(receiver.messages.length, 1)
    })
  )

  it.effect("drops what waits for an endpoint that is removed", () =>
    Effect.gen(function* () {
      const ours = yield* organization("removed")
      const receiver = yield* scripted(() => 200)
      const id = yield* ours.endpoint("one", { url: receiver.url() })
      yield* ours.pause(id)
      yield* ours.change(4)
      yield* ours.as(ours.endpoints.remove(id))
      yield* delivering
      yield* until(Effect.map(elementsLeft(ours.id), (count) => count === 0))
      assert.isEmpty(receiver.messages)
    })
  )
})
