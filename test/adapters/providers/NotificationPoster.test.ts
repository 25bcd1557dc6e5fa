import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import * as PgNotificationOutbox from "@sarraf/adapters/postgres/PgNotificationOutbox"
import * as NotificationOutbox from "@sarraf/adapters/providers/NotificationOutbox"
import * as NotificationPoster from "@sarraf/adapters/providers/NotificationPoster"
import { Effect, Exit, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import * as Database from "../../support/Database.ts"

interface Received {
  readonly path: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
  readonly at: number
}

/** A gateway that answers with these statuses in turn, and then with 200. */
const gateway = Effect.fnUntraced(function* (...statuses: ReadonlyArray<number>) {
  const received: Array<Received> = []
  const left = [...statuses]
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    received.push({ path: request.url, headers: request.headers, body, at: performance.now() })
    response.writeHead(left.shift() ?? 200).end("[accepted]")
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { received, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

const untilEmpty = (outbox: NotificationOutbox.NotificationOutbox) =>
  Effect.repeat(Effect.delay(outbox.nextDueMillis, "5 millis"), { until: (due) => due === undefined })

/** Bytes that are no UTF-8: they arrive as they were. */
const body = Uint8Array.of(0x7b, 0xfe, 0x00, 0x7d)
const notification = { headers: { "content-type": "application/json", "x-signature": "t=1" }, body, delayMillis: 0 }

type MakeOutbox = Effect.Effect<NotificationOutbox.NotificationOutbox, never, SqlClient.SqlClient>

const contract = (name: string, makeOutbox: MakeOutbox) => {
  const live = <E>(behaviour: string, test: Effect.Effect<void, E, SqlClient.SqlClient | Scope.Scope>) =>
    it.live(behaviour, () => Effect.provide(Effect.scoped(test), Database.layer))

  describe(`simulated notifications, kept in ${name}`, () => {
    live(
      "are posted once, byte for byte, and forgotten when acknowledged",
      Effect.gen(function* () {
        const { baseUrl, received } = yield* gateway()
        const outbox = yield* makeOutbox
        const notify = yield* NotificationPoster.make({ baseUrl, outbox })
        yield* notify("stripe")(notification)
        yield* untilEmpty(outbox)
        assert.strictEqual(received.length, 1)
        const [post] = received
        assert.strictEqual(post?.path, "/pf/v1/providers/stripe/notifications")
        assert.deepStrictEqual([...(post?.body ?? [])], [...body])
        assert.deepStrictEqual(
          [post?.headers["x-signature"], post?.headers["content-type"]],
          ["t=1", "application/json"]
        )
      })
    )

    live(
      "do not keep the simulator waiting, and come after their delay",
      Effect.gen(function* () {
        const { baseUrl, received } = yield* gateway()
        const outbox = yield* makeOutbox
        const notify = yield* NotificationPoster.make({ baseUrl, outbox })
        const begun = performance.now()
        yield* notify("stripe")({ ...notification, delayMillis: 400 })
        assert.isBelow(performance.now() - begun, 300)
        yield* untilEmpty(outbox)
        assert.isAtLeast((received[0]?.at ?? 0) - begun, 390)
      })
    )

    live(
      "are repeated until the gateway acknowledges them",
      Effect.gen(function* () {
        const { baseUrl, received } = yield* gateway(503, 401)
        const outbox = yield* makeOutbox
        const notify = yield* NotificationPoster.make({ baseUrl, outbox })
        yield* notify("stripe")(notification)
        yield* untilEmpty(outbox)
        const [first, second, third, ...more] = received.map(({ at }) => at)
        assert(first !== undefined && second !== undefined && third !== undefined)
        assert.deepStrictEqual(more, [])
        assert.isAtLeast(second - first, 950)
        assert.isAtLeast(third - second, 1_900)
      })
    )

    live(
      "outlive the process that made them",
      Effect.gen(function* () {
        const { baseUrl, received } = yield* gateway()
        const outbox = yield* makeOutbox
        const scope = yield* Scope.make()
        const down = "http://127.0.0.1:1"
        const notify = yield* NotificationPoster.make({ baseUrl: down, outbox }).pipe(Scope.provide(scope))
        yield* notify("stripe")(notification)
        yield* notify("isbank")({ ...notification, delayMillis: 60_000 })
        yield* Effect.sleep("200 millis")
        yield* Scope.close(scope, Exit.void)
        assert.isDefined(yield* outbox.nextDueMillis)
        yield* NotificationPoster.make({ baseUrl, outbox })
        yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => received.length > 0 })
        assert.strictEqual(received[0]?.path, "/pf/v1/providers/stripe/notifications")
        assert.lengthOf(received, 1)
        assert.isAbove((yield* outbox.nextDueMillis) ?? 0, 0)
      })
    )
  })

  describe(`an outbox in ${name}`, () => {
    live(
      "gives what is due to one of several callers, the longest due first",
      Effect.gen(function* () {
        const outbox = yield* makeOutbox
        const message = { provider: "stripe", headers: {}, body }
        yield* outbox.add(message, 60_000)
        const later = yield* outbox.add(message, -10)
        const sooner = yield* outbox.add(message, -1_000)
        assert.deepStrictEqual(
          (yield* outbox.claim(1, 1_000)).map(({ id, tries }) => [id, tries]),
          [[sooner, 0]]
        )
        const claims = yield* Effect.all([outbox.claim(5, 1_000), outbox.claim(5, 1_000)], { concurrency: 2 })
        assert.deepStrictEqual(
          claims.flat().map(({ id }) => id),
          [later]
        )
        yield* outbox.postpone(later, -1)
        assert.deepStrictEqual(
          (yield* outbox.claim(5, 0)).map(({ id, tries }) => [id, tries]),
          [[later, 1]]
        )
        yield* outbox.remove(later)
        yield* outbox.remove(sooner)
        assert.isAbove((yield* outbox.nextDueMillis) ?? 0, 0)
      })
    )
  })
}

contract("memory", Effect.sync(NotificationOutbox.makeMemory))
contract("PostgreSQL", PgNotificationOutbox.make)
