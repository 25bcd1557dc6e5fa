import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as EmbeddedPostgres from "@sarraf/adapters/postgres/embedded/EmbeddedPostgres"
import { Effect } from "effect"
import postgres from "postgres"
import { BenchFailed } from "./BenchFailed.ts"

/** Temporary files that survive a restart, so by custom on a disk, where `/tmp` is often memory. */
const diskFolder = "/var/tmp"
/** The type of a file system in memory, from statfs(2). */
const tmpfs = 0x01021994

const durable = ["fsync", "synchronous_commit", "full_page_writes"]

const temporaryFolder = Effect.acquireRelease(
  Effect.suspend(() => {
    const parent = existsSync(diskFolder) ? diskFolder : tmpdir()
    return statfsSync(parent).type === tmpfs
      ? Effect.fail(
          new BenchFailed({ message: `${parent} is memory, where a commit costs nothing: the figures would lie.` })
        )
      : Effect.succeed(mkdtempSync(join(parent, "sarraf-bench-")))
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const asking = <A>(question: () => Promise<A>) =>
  Effect.tryPromise({
    try: question,
    catch: (cause) => new BenchFailed({ message: `The database did not answer: ${cause}` })
  })

/** At most: 15 of the gateway, 10 of the baseline, and our own. */
const serversConnections = 26

/** One embedded PostgreSQL with the product's settings in a folder that is deleted afterwards. */
export const start = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const { host, username } = yield* EmbeddedPostgres.start(join(folder, "server")).pipe(
    Effect.mapError(({ message }) => new BenchFailed({ message }))
  )
  const sql = yield* Effect.acquireRelease(
    Effect.sync(() => postgres({ host, username, database: "postgres", max: 1, onnotice: () => {} })),
    (client) => Effect.promise(() => client.end({ timeout: 1 }))
  )
  const { version } = yield* asking(async () => {
    const [row] = await sql<Array<{ version: string }>>`SELECT current_setting('server_version') AS version`
    return row ?? { version: "unknown" }
  })
  const off = yield* asking(
    () => sql<Array<{ name: string }>>`SELECT name FROM pg_settings WHERE name = ANY(${durable}) AND setting <> 'on'`
  )
  if (off.length > 0) {
    return yield* new BenchFailed({ message: `PostgreSQL runs with ${off.map(({ name }) => name).join(", ")} off.` })
  }
  /** Takes a host only where it needs one, so the folder of the socket goes into the query. */
  const urlOf = (name: string) => `postgres://${username}@localhost/${name}?host=${encodeURIComponent(host)}`
  return {
    folder,
    host,
    username,
    version,
    /** Makes an empty database; gives the gateway's address of it. */
    create: (name: string) =>
      Effect.as(
        asking(() => sql`CREATE DATABASE ${sql(name)}`),
        urlOf(name)
      ),
    /** How many connections there are beside those of both servers. */
    connectionsLeft: asking(async () => {
      const [row] = await sql<Array<{ most: number }>>`SELECT current_setting('max_connections')::int AS most`
      return Math.max(1, (row?.most ?? 0) - serversConnections)
    }),
    /** Writes everything out, so that no server pays for the pages of the one before it. */
    settle: asking(() => sql`CHECKPOINT`)
  }
})
