import { assert, layer } from "@effect/vitest"
import { EventLog } from "@sarraf/domain/events/EventLog"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { organization, stage } from "./support/Stage.ts"

const url = "https://shop.example/hook"

/** The queues that an organization's elements are in. */
const queued = (organizationId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly queue_name: string; readonly element: string }>`SELECT queue_name, element FROM webhook_queue
        WHERE element::jsonb ->> 'organizationId' = ${organizationId} ORDER BY queue_name`,
      (rows) => rows.map(({ element, queue_name }) => ({ queue: queue_name, element: JSON.parse(element) as unknown }))
    )
  )

layer(stage)("An event", (it) => {
  it.effect("is on its way to the endpoints of its organization that want its type, whatever their status", () =>
    Effect.gen(function* () {
      const ours = yield* organization("fan")
      const theirs = yield* organization("foreign")
      const wanting = [
        yield* ours.endpoint("all", { url }),
        yield* ours.endpoint("disabled", { url, events: ["card.frozen", "expense.approved"], status: "DISABLED" }),
        yield* ours.endpoint("paused", { url, events: ["expense.approved"], status: "PAUSED" })
      ]
      yield* ours.endpoint("other", { url, events: ["expense.rejected"] })
      yield* theirs.endpoint("all", { url })
      yield* ours.change(1)
      const { items } = yield* ours.as(ours.deliveries.list({}, { limit: 10, after: undefined }))
      assert.deepStrictEqual(items.map(({ endpointId }) => endpointId).sort(), wanting)
      for (const delivery of items) {
        assert.deepInclude(delivery, { eventType: "expense.approved", status: "PENDING", attempts: 0 })
      }
      assert.deepStrictEqual(
        yield* queued(ours.id),
        wanting.map((endpointId) => ({
          queue: `webhook/${endpointId}`,
          element: {
            organizationId: ours.id,
            deliveryId: items.find((delivery) => delivery.endpointId === endpointId)?.id,
            attempt: 1
          }
        }))
      )
      assert.isEmpty(yield* queued(theirs.id))
    })
  )

  it.effect("that is undone with its change is on its way to nobody", () =>
    Effect.gen(function* () {
      const ours = yield* organization("undone")
      yield* ours.endpoint("all", { url })
      const failing = Effect.andThen(ours.happened(1), Effect.fail("no" as const))
      assert.strictEqual(yield* Effect.flip(ours.as(ours.units.run(failing))), "no")
      const part = ours.units.run(Effect.andThen(Effect.ignore(ours.units.apart(failing)), ours.happened(2)))
      yield* ours.as(part)
      assert.lengthOf(yield* queued(ours.id), 1)
      const { items } = yield* ours.as(ours.deliveries.list({}, { limit: 10, after: undefined }))
      assert.lengthOf(items, 1)
    })
  )

  it.effect("puts nothing into the queues of other organizations, whatever a statement says", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ours = yield* organization("wall")
      const foreign = JSON.stringify({ organizationId: "org_fan", deliveryId: "whd_1", attempt: 1 })
      const offered = sql`INSERT INTO webhook_queue (id, queue_name, element, state, visible_at, created_at, updated_at)
        VALUES ('whd_1/1', 'webhook/whk_1', ${foreign}, 'pending', now(), now(), now())`
      assert.strictEqual((yield* Effect.exit(ours.as(ours.units.run(offered))))._tag, "Failure")
      const taken = sql`SELECT element FROM webhook_queue`
      assert.strictEqual((yield* Effect.exit(ours.as(ours.units.run(taken))))._tag, "Failure")
    })
  )

  it.effect("waits for an endpoint that is being removed, and goes on without it", () =>
    Effect.gen(function* () {
      const ours = yield* organization("racing")
      const log = yield* EventLog
      const id = yield* ours.endpoint("all", { url })
      const change = ours.as(
        ours.units.run(log.append({ type: "expense.approved", objectId: "exp_racing", object: { id: "exp_racing" } }))
      )
      yield* Effect.all([ours.as(ours.endpoints.remove(id)), change, change], { concurrency: "unbounded" })
      const { items } = yield* ours.as(ours.deliveries.list({}, { limit: 10, after: undefined }))
      assert.isEmpty(items)
    })
  )
})
