import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import * as Database from "@sarraf/adapters/postgres/Database"
import { start } from "@sarraf/adapters/postgres/embedded/EmbeddedPostgres"
import * as Postmaster from "@sarraf/adapters/postgres/embedded/Postmaster"
import { Effect, Exit, Fiber, Logger, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll } from "vitest"

const emptyFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sarraf-embedded-"))),
  (folder) =>
    Effect.sync(() => {
      // A test that failed half-way must not leave its server behind.
      const left = Postmaster.find(join(folder, "postgres"))
      if (left !== undefined) process.kill(left.pid, "SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    })
)

/** Making a database takes most of a second, copying one a tenth. */
const original = mkdtempSync(join(tmpdir(), "sarraf-embedded-"))
beforeAll(() => Effect.runPromise(Effect.scoped(start(original))))
afterAll(() => rmSync(original, { recursive: true, force: true }))
const usedFolder = Effect.tap(emptyFolder, (folder) =>
  Effect.sync(() => cpSync(original, folder, { recursive: true, preserveTimestamps: true }))
)

const serverOf = (folder: string) => Postmaster.find(join(folder, "postgres"))
const pidOf = (folder: string) => serverOf(folder)?.pid ?? assert.fail("no server runs there")

const ask = <A, E>(host: string, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(effect, Database.layer({ host, username: "sarraf", database: "postgres", maxConnections: 2 }))
const count = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT * FROM kept`
  return rows.length
})
const keepOne = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS kept (number INT)`
  yield* sql`INSERT INTO kept VALUES (1)`
})

/** Another process that holds a server on the folder until it is killed. */
const startElsewhere = (folder: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const program = `
        import { start } from "@sarraf/adapters/postgres/embedded/EmbeddedPostgres"
        import { Effect } from "effect"
        Effect.runFork(Effect.scoped(Effect.gen(function* () {
          yield* start(process.argv[1])
          console.log("ready")
          yield* Effect.never
        })))`
      const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder], {
        cwd: join(import.meta.dirname, "../../../packages/adapters"),
        stdio: ["ignore", "pipe", "inherit"]
      })
      const ended = once(child, "exit").then(([code]) => assert.fail(`The other process ended with ${code}.`))
      await Promise.race([once(child.stdout, "data"), ended])
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
const killHard = (child: ReturnType<typeof spawn>) =>
  Effect.promise(async () => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  })

it.live("makes a database in an empty folder, and leaves no server and no socket behind", () =>
  Effect.gen(function* () {
    const folder = join(yield* emptyFolder, "not", "there", "yet")
    const { adopted, host } = yield* Effect.scoped(
      Effect.gen(function* () {
        const server = yield* start(folder)
        const [row] = yield* ask(
          server.host,
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('full_page_writes') AS pages, current_setting('listen_addresses') AS addresses,
              current_setting('server_encoding') AS encoding, current_setting('TimeZone') AS zone`
          )
        )
        assert.deepStrictEqual(
          { ...row },
          { fsync: "on", commit: "on", pages: "on", addresses: "", encoding: "UTF8", zone: "UTC" }
        )
        return server
      })
    )
    assert.isFalse(adopted)
    assert.isUndefined(serverOf(folder))
    assert.isFalse(existsSync(host))
  })
)

it.live("keeps its data from one start to the next", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    yield* Effect.scoped(Effect.flatMap(start(folder), ({ host }) => ask(host, keepOne)))
    const rows = yield* Effect.scoped(Effect.flatMap(start(folder), ({ host }) => ask(host, count)))
    assert.strictEqual(rows, 1)
  })
)

it.live("serves as a layer, which stops the server after its own connections have closed", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    const [row] = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT current_user::text AS name`).pipe(
      Effect.provide(Database.layerEmbedded(folder, 4))
    )
    assert.deepStrictEqual({ ...row }, { name: "sarraf" })
    assert.isUndefined(serverOf(folder))
  })
)

it.live("adopts a server that runs on the folder, and only the last to leave stops it", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    const elsewhere = yield* startElsewhere(folder)
    const pid = pidOf(folder)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { adopted, host } = yield* start(folder)
        assert.isTrue(adopted)
        assert.strictEqual(pidOf(folder), pid)
        yield* ask(host, keepOne)
      })
    )
    assert.strictEqual(pidOf(folder), pid)
    yield* Effect.scoped(Effect.andThen(start(folder), killHard(elsewhere)))
    assert.isUndefined(serverOf(folder))
  })
)

it.live("starts one server for two processes that start at once on an empty folder", () =>
  Effect.gen(function* () {
    const folder = yield* emptyFolder
    yield* Effect.scoped(
      Effect.gen(function* () {
        const [first, second] = yield* Effect.all([start(folder), start(folder)], { concurrency: "unbounded" })
        assert.sameMembers([first.adopted, second.adopted], [false, true])
        assert.strictEqual(first.host, second.host)
      })
    )
    assert.isUndefined(serverOf(folder))
  })
)

it.live("leaves the server running for a client that is none of ours", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    yield* Effect.scoped(
      Effect.gen(function* () {
        const ours = yield* Scope.fork(yield* Effect.scope)
        const { host } = yield* Scope.provide(start(folder), ours)
        const stranger = yield* PgConnection.make({ host, username: "sarraf", database: "postgres" })
        const pid = pidOf(folder)
        yield* Scope.close(ours, Exit.void)
        assert.strictEqual(pidOf(folder), pid)
        assert.strictEqual((yield* stranger.query("SELECT 1")).rowCount, 1)
      })
    )
    yield* Effect.scoped(start(folder))
    assert.isUndefined(serverOf(folder))
  })
)

it.live("finds its server again after the process was killed, at once and with its data", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    yield* killHard(yield* startElsewhere(folder))
    const { adopted } = yield* Effect.scoped(start(folder))
    assert.isTrue(adopted)
    assert.isUndefined(serverOf(folder))
  })
)

it.live("recovers what was committed when the process and the server were both killed", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    const elsewhere = yield* startElsewhere(folder)
    yield* ask(serverOf(folder)?.host ?? "", keepOne)
    yield* killHard(elsewhere)
    process.kill(pidOf(folder), "SIGKILL")
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { adopted, host } = yield* start(folder)
        assert.isFalse(adopted)
        assert.strictEqual(yield* ask(host, count), 1)
      })
    )
    assert.isUndefined(serverOf(folder))
  })
)

it.live("starts a server again that is killed while it is in use", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { host } = yield* start(folder)
        yield* ask(host, keepOne)
        process.kill(pidOf(folder), "SIGKILL")
        const rows = yield* ask(host, count).pipe(Effect.retry(Schedule.spaced("20 millis")))
        assert.strictEqual(rows, 1)
      })
    )
    assert.isUndefined(serverOf(folder))
    // It warns of it.
  }).pipe(Effect.provide(Logger.layer([])))
)

const aliveAs = (name: string) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const program = join(yield* emptyFolder, name)
      copyFileSync("/bin/sleep", program)
      return spawn(program, ["60"], { stdio: "ignore" })
    }),
    (child) => Effect.sync(() => child.kill())
  )
const writePidFile = (folder: string, pid: number | undefined, state: string) =>
  writeFileSync(
    join(folder, "postgres", "postmaster.pid"),
    [pid, join(folder, "postgres"), 1, 5432, folder, "", "  1 0", state, ""].join("\n")
  )

it.live.skipIf(process.platform !== "linux")(
  "starts although another program has the process id of a dead server",
  () =>
    Effect.gen(function* () {
      const folder = yield* usedFolder
      writePidFile(folder, (yield* aliveAs("other")).pid, "ready   ")
      const { adopted } = yield* Effect.scoped(start(folder))
      assert.isFalse(adopted)
      assert.isUndefined(serverOf(folder))
    })
)

const failure = (folder: string) => Effect.map(Effect.flip(Effect.scoped(start(folder))), ({ message }) => message)

it.effect.skipIf(process.platform !== "linux")("names the process that holds the folder and never becomes ready", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    const { pid } = yield* aliveAs("postgres")
    writePidFile(folder, pid, "starting")
    yield* Effect.forkChild(
      Effect.forever(
        Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.promise(() => setImmediate())
        )
      )
    )
    const message = yield* Fiber.join(yield* Effect.forkChild(failure(folder)))
    assert.include(message, `${folder} is locked by process ${pid}, a PostgreSQL that did not become ready`)
  })
)
it.live("names both versions when another major version made the folder", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "16\n")
    const message = yield* failure(folder)
    assert.include(message, `${folder} was made by PostgreSQL 16 and this release brings PostgreSQL 18`)
    assert.include(message, "pg_dump of PostgreSQL 16")
  })
)

it.live("says so when the folder cannot be written to", () =>
  Effect.gen(function* () {
    const file = join(yield* emptyFolder, "file")
    writeFileSync(file, "")
    assert.match(yield* failure(join(file, "below")), /^Cannot write to the data folder .*ENOTDIR.*SARRAF_DATA_DIR/)
  })
)

it.live("does not touch a folder named postgres that holds something else", () =>
  Effect.gen(function* () {
    const folder = yield* emptyFolder
    mkdirSync(join(folder, "postgres"))
    assert.match(yield* failure(folder), /postgres exists and holds no PostgreSQL database: move it away/)
  })
)

it.live("shows the server's last words when it does not start", () =>
  Effect.gen(function* () {
    const folder = yield* usedFolder
    writeFileSync(join(folder, "postgres", "postgresql.conf"), "no_such_setting = 1\n")
    assert.match(
      yield* failure(folder),
      /^PostgreSQL did not start on .*\n.*unrecognized configuration parameter "no_such_setting"/
    )
  })
)
