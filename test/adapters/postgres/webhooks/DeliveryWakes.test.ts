import { assert, layer } from "@effect/vitest"
import * as DeliveryWakes from "@sarraf/adapters/postgres/webhooks/DeliveryWakes"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { until } from "./support/Stage.ts"

/** The wakes of one process, and what it heard. */
const startProcess = Effect.gen(function* () {
  const wakes = Context.get(yield* Layer.build(Layer.fresh(DeliveryWakes.layer)), DeliveryWakes.DeliveryWakes)
  const heard: Array<string> = []
  yield* wakes.listen((queue) => heard.push(queue))
  return { wakes, heard }
})

/** Says it again until it was heard: a process may not listen yet. */
const heardSoon = (wakes: DeliveryWakes.DeliveryWakes["Service"], queue: string, heard: ReadonlyArray<string>) =>
  until(Effect.map(wakes.wake([queue]), () => heard.includes(queue)))

layer(Database.layer, { excludeTestServices: true })("Wakes", (it) => {
  it.effect("are heard in their own process at once, and once", () =>
    Effect.gen(function* () {
      const { heard, wakes } = yield* startProcess
      yield* wakes.wake(["webhook/a", "webhook/b"])
      assert.deepStrictEqual(heard, ["webhook/a", "webhook/b"])
      const other = yield* startProcess
      yield* heardSoon(other.wakes, "webhook/c", heard)
      assert.deepStrictEqual(
        heard.filter((queue) => queue !== "webhook/c"),
        ["webhook/a", "webhook/b"]
      )
    })
  )

  it.effect(
    "are heard in other processes, also after the connection to the database was lost",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const speaking = yield* startProcess
        const listening = yield* startProcess
        yield* heardSoon(speaking.wakes, "webhook/before", listening.heard)
        const ended = yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'`
        assert.isNotEmpty(ended)
        yield* heardSoon(speaking.wakes, "webhook/after", listening.heard)
      }),
    180_000
  )
})
