import { spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as EmbeddedPostgres from "@sarraf/adapters/postgres/embedded/EmbeddedPostgres"
import * as Postmaster from "@sarraf/adapters/postgres/embedded/Postmaster"
import * as SocketFolder from "@sarraf/adapters/postgres/embedded/SocketFolder"
import { Effect } from "effect"
import postgres from "postgres"

/** Room for a fresh database, its log and what a run writes; small enough to be filled in a moment. */
const diskMegabytes = 512
const pollMillis = 100

const linesOf = (path: string): ReadonlyArray<string> => {
  try {
    return readFileSync(path, "utf8").split("\n")
  } catch {
    return []
  }
}

const kill = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Each in a group of its own, so that the server's group does not hold them. Only Linux tells; elsewhere none. */
const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((child) => {
        // The parent is the fourth field, counted behind the name in parentheses, which may hold anything.
        const [stat = ""] = linesOf(`/proc/${child}/stat`)
        return Number(stat.replace(/^.*\) /s, "").split(" ")[1]) === pid
      })
  } catch {
    return []
  }
}

/** All at once, as a power cut does: a server's processes would else finish what they are at when it is gone. */
const killServer = (data: string): void => {
  // While a server is being started again its file names this process.
  const pid = Postmaster.find(data)?.pid
  if (pid === undefined || pid === process.pid || !kill(pid, "SIGSTOP")) return
  const children = childrenOf(pid)
  kill(pid, "SIGKILL")
  for (const child of children) kill(child, "SIGKILL")
}

/** A disk of its own for the database; undefined, or why this machine does not give one. */
const mount = (folder: string): string | undefined => {
  mkdirSync(folder, { recursive: true })
  const { error, status, stderr } = spawnSync(
    "mount",
    ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "sarraf-crash", folder],
    { encoding: "utf8" }
  )
  if (status === 0) return undefined
  return error?.message ?? stderr.trim()
}

/** A server that could not be stopped in time is ended; its disk is given back when the last of it has gone. */
const giveBack = (folder: string, isMounted: boolean): void => {
  killServer(join(folder, "postgres"))
  rmSync(SocketFolder.pathOf(join(folder, "postgres")), { recursive: true, force: true })
  if (isMounted) spawnSync("umount", ["--lazy", folder])
}

/** Writes until nothing more goes in. */
const fill = (file: string): void => {
  const descriptor = openSync(file, "w")
  const chunk = Buffer.alloc(65_536)
  try {
    for (let size = chunk.length; size >= 1; ) {
      try {
        writeSync(descriptor, chunk, 0, size)
      } catch {
        size = Math.floor(size / 16)
      }
    }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * A PostgreSQL of the run's own with the product's settings, on a small disk of its own where the machine lets us have
 * one. It is started again when it goes away.
 */
export const start = Effect.fn("crash.Database.start")(function* (runFolder: string) {
  const folder = join(runFolder, "database")
  const noDisk = yield* Effect.acquireRelease(
    Effect.sync(() => mount(folder)),
    (failed) => Effect.sync(() => giveBack(folder, failed === undefined))
  )
  const { host, username } = yield* EmbeddedPostgres.start(folder)
  const data = join(folder, "postgres")
  const connection = { host, username, onnotice: () => {}, connect_timeout: 5 }
  const own = yield* Effect.acquireRelease(
    Effect.sync(() => postgres({ ...connection, database: "postgres", max: 1 })),
    (client) => Effect.promise(() => client.end({ timeout: 1 }))
  )
  yield* Effect.promise(() => own`CREATE DATABASE sarraf`)
  const sql = yield* Effect.acquireRelease(
    Effect.sync(() => postgres({ ...connection, database: "sarraf", max: 2 })),
    (client) => Effect.promise(() => client.end({ timeout: 1 }))
  )
  return {
    sql,
    /** Takes a host only where it needs one, so the folder of the socket goes into the query. */
    url: `postgres://${username}@localhost/sarraf?host=${encodeURIComponent(host)}`,
    /** Why its disk cannot be filled; undefined where it can. */
    noDisk,
    kill: async (downMillis: number) => {
      const until = Date.now() + downMillis
      killServer(data)
      while (Date.now() < until) {
        await pause(pollMillis)
        killServer(data)
      }
    },
    cut: async () => {
      await own`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'sarraf'`
    },
    fill: async (forMillis: number) => {
      const ballast = join(folder, "ballast")
      const until = Date.now() + forMillis
      try {
        while (Date.now() < until) {
          fill(ballast)
          await pause(pollMillis)
        }
      } finally {
        rmSync(ballast, { force: true })
      }
    }
  }
})
export type Database = Effect.Success<ReturnType<typeof start>>
