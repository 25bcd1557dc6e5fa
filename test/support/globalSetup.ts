import { spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readFileSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Database from "@sarraf/adapters/postgres/Database"
import * as Binaries from "@sarraf/adapters/postgres/embedded/Binaries"
import * as ServerAccount from "@sarraf/adapters/postgres/embedded/ServerAccount"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder of the unix socket of the run's PostgreSQL. */
    readonly postgres: string
  }
}

const sharedMemory = "/dev/shm"
/** Databases of some 10 MB each, and what PostgreSQL keeps there itself. Containers often have 64 MB in all. */
const bytesMin = 2 ** 30

/** Nobody needs these databases after the run, so nothing is written safely. */
const settings = {
  listen_addresses: "",
  max_connections: "200",
  shared_buffers: "128MB",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "4GB",
  autovacuum: "off",
  jit: "off",
  timezone: "UTC"
}

/**
 * Makes the databases and serves them until standard input closes, which the kernel sees to even when the parent is
 * killed; then stops at once, in whichever of the two it is, and deletes the folder.
 */
const untilInputCloses = `
  trap "" INT TERM HUP QUIT
  { $PREFIX "$INITDB" -D "$FOLDER/data" $MAKING && exec $PREFIX "$POSTGRES" -D "$FOLDER/data" -k "$FOLDER" $SERVING
  } >"$FOLDER/log" 2>&1 &
  cat >/dev/null; kill -QUIT 0; wait; rm -rf "$FOLDER"`

const makeFolder = () => {
  const { bavail, bsize } = existsSync(sharedMemory) ? statfsSync(sharedMemory) : { bavail: 0, bsize: 0 }
  return mkdtempSync(join(bavail * bsize > bytesMin ? sharedMemory : tmpdir(), "sarraf-test-"))
}

const runOn = <A, E>(host: string, database: string, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  effect.pipe(Effect.provide(Database.layer({ host, username: "postgres", database, maxConnections: 1 })))

/** One PostgreSQL for the run, in memory where there is room, with a migrated database to copy from. */
export default async function setup(project: TestProject) {
  const { initdb, postgres } = await Effect.runPromise(Binaries.load)
  const account = await Effect.runPromise(ServerAccount.choose)
  const folder = makeFolder()
  // Under another user id PostgreSQL makes its data and its socket here.
  const { gid, uid } = account.identity
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  const making = ["-U", "postgres", "--auth=trust", ...locale, "--no-sync", "--no-instructions"]
  const serving = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const child = spawn("sh", ["-c", untilInputCloses], {
    ...account.identity,
    detached: true,
    env: {
      PATH: process.env.PATH,
      FOLDER: folder,
      INITDB: initdb,
      POSTGRES: postgres,
      PREFIX: account.prefix.join(" "),
      MAKING: making.join(" "),
      SERVING: serving.join(" ")
    },
    stdio: ["pipe", "ignore", "inherit"]
  })
  const stop = async () => {
    child.stdin?.end()
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  }
  try {
    await Effect.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`SELECT 1`.pipe(Effect.retry({ times: 2000, schedule: Schedule.spaced("10 millis") }))
        yield* sql`CREATE DATABASE template`
      }).pipe((effect) => runOn(folder, "postgres", effect))
    )
    await Effect.runPromise(runOn(folder, "template", migrate))
  } catch (error) {
    console.error(readFileSync(join(folder, "log"), "utf8"))
    await stop()
    throw error
  }
  project.provide("postgres", folder)
  return stop
}
