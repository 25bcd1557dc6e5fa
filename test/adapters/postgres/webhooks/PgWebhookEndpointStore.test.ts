import { assert, layer } from "@effect/vitest"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgWebhookEndpointStore from "@sarraf/adapters/postgres/webhooks/PgWebhookEndpointStore"
import { clearRemovedEndpoints } from "@sarraf/adapters/postgres/webhooks/RemovedEndpoints"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import type { WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@sarraf/domain/webhooks/WebhookEndpointStore"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { sampleEndpoint } from "../../../domain/webhooks/support/SampleEndpoint.ts"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })
const adapters = Layer.mergeAll(PgWebhookEndpointStore.layer, PgUnitOfWork.layer).pipe(
  Layer.provide(keys),
  Layer.provideMerge(Database.layer)
)

const first = Redacted.make("whsec_Zmlyc3QgZmlyc3QgZmlyc3QgZmlyc3QgZmlyc3QgISE=")
const second = Redacted.make("whsec_c2Vjb25kIHNlY29uZCBzZWNvbmQgc2Vjb25kIHNlYyE=")

const full = (id: string): WebhookEndpoint =>
  sampleEndpoint({
    id,
    events: ["expense.approved", "card.frozen"],
    description: "Ours, 'quoted'",
    metadata: { team: "tr", "a name": "" },
    headers: { authorization: Redacted.make("Bearer of-the-receiver"), "x-key": Redacted.make('with "quotes"') },
    retry: { maxAttempts: 3, baseSeconds: 5, factor: 1.5, maxSeconds: 60, jitter: 0.25 },
    concurrency: 7,
    createdAt: 1_000,
    updatedAt: 2_000
  })

const asOrganization = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "ADMIN",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: null
  })

/** An organization of its own. */
const organization = Effect.fnUntraced(function* (name: string) {
  const id = `org_${name}`
  yield* insertOrganization(id, true)
  return { id, as: asOrganization(id), store: yield* WebhookEndpointStore, units: yield* UnitOfWork }
})

/** An endpoint as it is compared: what is redacted is shown. */
const plain = (endpoint: WebhookEndpoint | undefined) =>
  endpoint && {
    ...endpoint,
    headers: Object.fromEntries(Object.entries(endpoint.headers).map(([name, value]) => [name, Redacted.value(value)]))
  }

layer(adapters)("PgWebhookEndpointStore", (it) => {
  it.effect("gives back what was put in", () =>
    Effect.gen(function* () {
      const { as, store } = yield* organization("kept")
      const endpoint = full("whk_kept")
      yield* as(store.insert(endpoint, { current: first, former: { secret: second, until: 5_000 } }))
      assert.deepStrictEqual(
        plain(yield* as(store.find(endpoint.id))),
        plain({ ...endpoint, formerSecretUntil: 5_000 })
      )
      const secrets = yield* as(store.findSecrets(endpoint.id))
      assert.strictEqual(secrets && Redacted.value(secrets.current), Redacted.value(first))
      assert.strictEqual(secrets?.former && Redacted.value(secrets.former.secret), Redacted.value(second))
      assert.strictEqual(secrets?.former?.until, 5_000)
      assert.isUndefined(yield* as(store.find("whk_nobody")))
      assert.isUndefined(yield* as(store.lock("whk_nobody")))
      assert.isUndefined(yield* as(store.findSecrets("whk_nobody")))
    })
  )

  it.effect("changes an endpoint without its secrets, and its secrets alone", () =>
    Effect.gen(function* () {
      const { as, store } = yield* organization("changed")
      yield* as(store.insert(full("whk_changed"), { current: first, former: null }))
      const wanted: WebhookEndpoint = {
        ...sampleEndpoint({ id: "whk_changed", url: "https://other.example/", createdAt: 1_000 }),
        status: "DISABLED",
        disabledReason: "It answered 410.",
        failingSince: 3_000,
        updatedAt: 4_000,
        version: 2
      }
      yield* as(store.update(wanted))
      assert.deepStrictEqual(plain(yield* as(store.find("whk_changed"))), plain(wanted))
      yield* as(store.replaceSecrets("whk_changed", { current: second, former: { secret: first, until: 9_000 } }))
      const secrets = yield* as(store.findSecrets("whk_changed"))
      assert.strictEqual(secrets && Redacted.value(secrets.current), Redacted.value(second))
      assert.strictEqual((yield* as(store.find("whk_changed")))?.formerSecretUntil, 9_000)
    })
  )

  it.effect("has secrets and the values of headers sealed: no column tells them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { as, store } = yield* organization("sealed")
      yield* as(store.insert(full("whk_sealed"), { current: first, former: { secret: second, until: 5_000 } }))
      const [row] = yield* sql<{ text: string }>`SELECT row_to_json(e)::text AS text FROM webhook_endpoints e
        WHERE id = 'whk_sealed'`
      const text = row?.text ?? ""
      assert.include(text, "https://shop.example/hooks")
      for (const secret of [first, second]) {
        const [, encoded = "?"] = Redacted.value(secret).split("_")
        assert.notInclude(text, encoded)
        assert.notInclude(text, Buffer.from(encoded, "base64").toString("hex"))
      }
      for (const hidden of ["of-the-receiver", "quotes", "x-key", "authorization"]) assert.notInclude(text, hidden)
    })
  )

  it.effect("opens what is sealed in its own row and column alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { as, store } = yield* organization("moved")
      for (const id of ["whk_moved1", "whk_moved2"]) {
        yield* as(store.insert(full(id), { current: first, former: { secret: second, until: 5_000 } }))
      }
      const moves = [
        [
          "secret",
          sql`UPDATE webhook_endpoints t SET secret = f.secret FROM webhook_endpoints f
          WHERE t.id = 'whk_moved1' AND f.id = 'whk_moved2'`
        ],
        [
          "headers",
          sql`UPDATE webhook_endpoints t SET headers = f.headers FROM webhook_endpoints f
          WHERE t.id = 'whk_moved1' AND f.id = 'whk_moved2'`
        ],
        ["columns", sql`UPDATE webhook_endpoints SET secret = former_secret WHERE id = 'whk_moved2'`]
      ] as const
      for (const [name, move] of moves) {
        yield* move
        const id = name === "columns" ? "whk_moved2" : "whk_moved1"
        const read = name === "headers" ? Effect.asVoid(store.find(id)) : Effect.asVoid(store.findSecrets(id))
        const exit = yield* Effect.exit(as(read))
        assert.strictEqual(exit._tag, "Failure", name)
        assert.include(String(exit), "SealBroken", name)
      }
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const { as, store } = yield* organization("listed")
      for (const number of [1, 2, 3]) {
        yield* as(store.insert(full(`whk_listed${number}`), { current: first, former: null }))
      }
      const page = yield* as(store.list({ limit: 2, after: undefined }))
      assert.deepStrictEqual(
        page.items.map(({ id }) => id),
        ["whk_listed3", "whk_listed2"]
      )
      assert.isTrue(page.hasMore)
      const rest = yield* as(store.list({ limit: 2, after: "whk_listed2" }))
      assert.deepStrictEqual([rest.items.map(({ id }) => id), rest.hasMore], [["whk_listed1"], false])
    })
  )

  it.effect("is of one organization: another neither sees, changes, counts nor removes it", () =>
    Effect.gen(function* () {
      const mine = yield* organization("mine")
      const theirs = yield* organization("theirs")
      const endpoint = full("whk_mine")
      yield* mine.as(mine.store.insert(endpoint, { current: first, former: null }))
      assert.isUndefined(yield* theirs.as(theirs.store.find("whk_mine")))
      assert.isUndefined(yield* theirs.as(theirs.store.lock("whk_mine")))
      assert.isUndefined(yield* theirs.as(theirs.store.findSecrets("whk_mine")))
      assert.deepStrictEqual((yield* theirs.as(theirs.store.list({ limit: 9, after: undefined }))).items, [])
      assert.strictEqual(yield* theirs.as(theirs.store.count()), 0)
      yield* theirs.as(theirs.store.update({ ...endpoint, url: "https://evil.example/" }))
      yield* theirs.as(theirs.store.replaceSecrets("whk_mine", { current: second, former: null }))
      yield* theirs.as(theirs.store.remove("whk_mine"))
      assert.deepStrictEqual(plain(yield* mine.as(mine.store.find("whk_mine"))), plain(endpoint))
      const secrets = yield* mine.as(mine.store.findSecrets("whk_mine"))
      assert.strictEqual(secrets && Redacted.value(secrets.current), Redacted.value(first))
    })
  )

  it.effect("removes an endpoint, and then its deliveries and their attempts, and nobody else's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { as, id, store } = yield* organization("removed")
      for (const name of ["removed", "stays"]) {
        yield* as(store.insert(full(`whk_${name}`), { current: first, former: null }))
        yield* sql`INSERT INTO webhook_deliveries (organization_id, id, endpoint_id, event_id, event_type, status, created_at)
          VALUES (${id}, ${`whd_${name}`}, ${`whk_${name}`}, 'evt_1', 'card.frozen', 'PENDING', now())`
        yield* sql`INSERT INTO webhook_attempts (organization_id, delivery_id, number, at, duration_millis)
          VALUES (${id}, ${`whd_${name}`}, 1, now(), 5)`
      }
      yield* as(store.remove("whk_removed"))
      assert.isUndefined(yield* as(store.find("whk_removed")))
      yield* clearRemovedEndpoints(sql)
      const left = yield* sql`SELECT id FROM webhook_deliveries WHERE organization_id = ${id}
        UNION ALL SELECT delivery_id FROM webhook_attempts WHERE organization_id = ${id}
        UNION ALL SELECT id FROM removed_webhook_endpoints WHERE organization_id = ${id}`
      assert.deepStrictEqual(left, [{ id: "whd_stays" }, { id: "whd_stays" }])
    })
  )

  it.effect("looks again for what another process was at when its endpoint was removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { as, id, store } = yield* organization("busy")
      yield* as(store.insert(full("whk_busy"), { current: first, former: null }))
      yield* sql`INSERT INTO webhook_deliveries (organization_id, id, endpoint_id, event_id, event_type, status, created_at)
        VALUES (${id}, 'whd_busy', 'whk_busy', 'evt_1', 'card.frozen', 'PENDING', now())`
      const isRecording = yield* Deferred.make<void>()
      const proceed = yield* Deferred.make<void>()
      const recording = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE webhook_deliveries SET attempts = 1 WHERE organization_id = ${id} AND id = 'whd_busy'`
            yield* Deferred.succeed(isRecording, undefined)
            yield* Deferred.await(proceed)
          })
        )
      )
      yield* Deferred.await(isRecording)
      // Waits for nobody who records an attempt.
      yield* as(store.remove("whk_busy"))
      yield* clearRemovedEndpoints(sql)
      yield* Deferred.succeed(proceed, undefined)
      yield* Fiber.join(recording)
      assert.lengthOf(yield* sql`SELECT 1 FROM webhook_deliveries WHERE organization_id = ${id}`, 1)
      yield* clearRemovedEndpoints(sql)
      assert.lengthOf(yield* sql`SELECT 1 FROM webhook_deliveries WHERE organization_id = ${id}`, 0)
    })
  )

  it.effect("counts under a lock, so that a count holds until its unit of work ends", () =>
    Effect.gen(function* () {
      const { as, store, units } = yield* organization("counted")
      const insert = (name: string) => store.insert(full(`whk_counted${name}`), { current: first, former: null })
      const counted = yield* Deferred.make<void>()
      const proceed = yield* Deferred.make<void>()
      const held = yield* Effect.forkChild(
        as(
          units.run(
            Effect.gen(function* () {
              const count = yield* store.count()
              yield* Deferred.succeed(counted, undefined)
              yield* Deferred.await(proceed)
              yield* insert("1")
              return count
            })
          )
        )
      )
      yield* Deferred.await(counted)
      const second = yield* Effect.forkChild(as(units.run(Effect.tap(store.count(), () => insert("2")))))
      // It waits for the lock: the database says so.
      const sql = yield* SqlClient.SqlClient
      const isWaiting = Effect.map(
        sql`SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`,
        (rows) => rows.length > 0
      )
      yield* Effect.repeat(isWaiting, { until: (waits) => waits })
      yield* Deferred.succeed(proceed, undefined)
      assert.deepStrictEqual([yield* Fiber.join(held), yield* Fiber.join(second)], [0, 1])
    })
  )
})
