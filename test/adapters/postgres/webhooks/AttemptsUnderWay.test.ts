import { assert, layer } from "@effect/vitest"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Clock, Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { delivering, organization, stage, until } from "./support/Stage.ts"

const url = "http://127.0.0.1/hook"

/** Delivers through a receiver whose attempts are under way until the test says how each ends. */
const underTest = Effect.gen(function* () {
  const waiting: Array<Deferred.Deferred<number>> = []
  const send = () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<number>()
      waiting.push(answer)
      const status = yield* Deferred.await(answer)
      const at = yield* Clock.currentTimeMillis
      return { at, durationMillis: 1, status, error: null, answer: "", retryAfter: null }
    })
  yield* Effect.provideService(delivering, WebhookSender, { send, refusalOf: () => undefined })
  const sql = yield* SqlClient.SqlClient
  const hasten = (endpointId: string) =>
    sql`UPDATE webhook_queue SET visible_at = now() WHERE queue_name = ${`webhook/${endpointId}`} AND state = 'pending'`
  return {
    /** Until so many attempts at the endpoint were begun. */
    begun: (endpointId: string, count: number) =>
      until(
        Effect.andThen(
          hasten(endpointId),
          Effect.sync(() => waiting.length === count)
        )
      ),
    answer: (index: number, status: number) =>
      Effect.suspend(() => {
        const one = waiting[index]
        return one === undefined ? Effect.die("not begun") : Deferred.succeed(one, status)
      })
  }
})

layer(stage, { excludeTestServices: true })("An attempt that is judged by what holds when it ends", (it) => {
  it.effect("is not the last one where its delivery was sent again meanwhile", () =>
    Effect.gen(function* () {
      const ours = yield* organization("again")
      const receiver = yield* underTest
      const retry = { maxAttempts: 2, baseSeconds: 1_000, factor: 1, maxSeconds: 1_000, jitter: 0 }
      const id = yield* ours.endpoint("one", { url, retry })
      yield* ours.change(1)
      yield* receiver.begun(id, 1)
      yield* receiver.answer(0, 500)
      yield* receiver.begun(id, 2)
      const [delivery] = yield* ours.sent(id)
      yield* ours.as(ours.deliveries.repeat(delivery?.id ?? ""))
      yield* receiver.answer(1, 500)
      yield* receiver.begun(id, 3)
      yield* receiver.answer(2, 200)
      yield* until(Effect.map(ours.sent(id), ([sent]) => sent?.status === "SUCCEEDED"))
    })
  )

  it.effect("does not disable an endpoint that was resumed meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("resumed")
      const receiver = yield* underTest
      const id = yield* ours.endpoint("one", { url })
      yield* sql`UPDATE webhook_endpoints SET failing_since = now() - interval '6 days' WHERE id = ${id}`
      yield* ours.change(1)
      yield* receiver.begun(id, 1)
      yield* sql`UPDATE webhook_endpoints SET failing_since = NULL WHERE id = ${id}`
      yield* receiver.answer(0, 500)
      yield* until(Effect.map(ours.sent(id), ([sent]) => sent?.attempts === 1))
      const endpoint = yield* ours.as(ours.endpoints.find(id))
      assert.strictEqual(endpoint?.status, "ENABLED")
      assert.isNotNull(endpoint?.failingSince)
    })
  )

  it.effect("clears what another's failure held against the endpoint meanwhile", () =>
    Effect.gen(function* () {
      const ours = yield* organization("recovering")
      const receiver = yield* underTest
      const id = yield* ours.endpoint("one", { url })
      yield* ours.change(2)
      yield* receiver.begun(id, 2)
      yield* receiver.answer(0, 500)
      yield* until(Effect.map(ours.as(ours.endpoints.find(id)), (found) => found?.failingSince !== null))
      yield* receiver.answer(1, 200)
      yield* until(Effect.map(ours.as(ours.endpoints.find(id)), (found) => found?.failingSince === null))
    })
  )

  it.effect("is not held against a receiver to which nothing could be sent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("unsent")
      yield* underTest
      const id = yield* ours.endpoint("one", { url })
      yield* sql`UPDATE webhook_endpoints SET secret = headers WHERE id = ${id}`
      yield* ours.change(1)
      yield* until(Effect.map(ours.sent(id), ([sent]) => sent?.attempts === 1))
      const [row] = yield* sql<{ readonly failing_since: Date | null }>`SELECT failing_since FROM webhook_endpoints
        WHERE id = ${id}`
      assert.isNull(row?.failing_since)
    })
  )
})
