import { closeSync, existsSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Exit, Result, Schedule, Scope } from "effect"
import * as Binaries from "./Binaries.ts"
import * as DataFolder from "./DataFolder.ts"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import * as Postmaster from "./Postmaster.ts"
import * as ServerAccount from "./ServerAccount.ts"
import * as ServerLease from "./ServerLease.ts"
import * as ServerLog from "./ServerLog.ts"
import * as SocketFolder from "./SocketFolder.ts"

/** A server that is ready. Connect with `host` (the folder of its unix socket), `username`, database `postgres`. */
export interface EmbeddedPostgres {
  readonly host: string
  readonly username: "sarraf"
  /** True when another process had started it. */
  readonly adopted: boolean
}

/** A start takes 30 ms, with recovery after a crash some seconds. */
const startTimeMax = 30_000
/**
 * A shutdown takes 15 ms, or as long as the disk needs for 128 MB of buffers. The process has 35 seconds to end and
 * gives 30 of them to its requests (contract, section 8); a server that needs more finishes alone.
 */
const stopTimeMax = "4 seconds"
const pollTime = "5 millis"
const repeatTime = "50 millis"

/** fsync, synchronous_commit and full_page_writes keep their default, on: an answered payment survives a power cut. */
const settings = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "60",
  shared_buffers: "128MB",
  timezone: "UTC",
  log_timezone: "UTC",
  // A statement's values never reach the log: the detail of an error shows the row it failed on.
  log_error_verbosity: "terse",
  jit: "off"
}

interface Launched {
  readonly pid: number | undefined
  hasEnded: boolean
  /** See `SocketFolder.identify`. */
  readonly socketFolder: string
  readonly lastLines: () => string
}

/** One process's use of the server on a folder, and how far it has come. */
interface Use {
  readonly folder: DataFolder.DataFolder
  readonly binaries: Binaries.Binaries
  readonly account: ServerAccount.ServerAccount
  /** The folder of the socket for a server that this process starts. */
  host: string
  launched: Launched | undefined
  lease: Scope.Closeable | undefined
}

const launch = Effect.fnUntraced(function* ({ account, binaries, folder, host }: Use) {
  yield* ServerAccount.requireEntry(account, binaries.postgres)
  yield* ServerAccount.requireEntry(account, folder.data)
  yield* SocketFolder.prepare(host, account)
  const socketFolder = SocketFolder.identify(host)
  return yield* Effect.try({
    try: () => {
      DataFolder.handOver(folder, account)
      Postmaster.disownStale(folder.data, host)
      const log = ServerLog.open(folder.log)
      const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      const args = ["-D", folder.data, "-k", host, ...flags]
      const child = ServerAccount.launch(account, binaries.postgres, args, log.descriptor)
      // The server may outlive this process.
      child.unref()
      closeSync(log.descriptor)
      const launched: Launched = { pid: child.pid, hasEnded: false, socketFolder, lastLines: log.lastLines }
      const end = () => {
        launched.hasEnded = true
      }
      child.once("error", end)
      child.once("exit", end)
      return launched
    },
    catch: (cause) =>
      new EmbeddedPostgresFailed({
        message: `PostgreSQL could not be started on ${folder.root} (${cause}): make the folder writable, or set DATABASE_URL.`,
        cause
      })
  })
})

const notReady = ({ folder, launched }: Use) => {
  const holder = Postmaster.find(folder.data)
  return new EmbeddedPostgresFailed({
    message:
      launched === undefined && holder !== undefined
        ? `The data folder ${folder.root} is locked by process ${holder.pid}, a PostgreSQL that did not become ready within 30 seconds: wait for it, end it with "kill -INT ${holder.pid}", or set SARRAF_DATA_DIR to another folder.`
        : `PostgreSQL did not become ready on ${folder.root} within 30 seconds: start again if it is still recovering, else read ${folder.log}.\n${launched?.lastLines() ?? ""}`
  })
}

/**
 * Finds the server that runs on the folder or starts one. A start is repeated while a `postmaster.pid` exists, since
 * another process may be starting or stopping its server.
 */
const run = Effect.fnUntraced(function* (use: Use, deadline: number) {
  const { data, log, root } = use.folder
  while ((yield* Clock.currentTimeMillis) < deadline) {
    const { launched } = use
    const found = Postmaster.find(data)
    if (found?.ready) return { host: found.host, adopted: found.pid !== launched?.pid }
    if (found === undefined && launched?.hasEnded !== false) {
      if (launched !== undefined) {
        const mayPass = Postmaster.hasPidFile(data) || SocketFolder.identify(use.host) !== launched.socketFolder
        if (!mayPass) {
          return yield* new EmbeddedPostgresFailed({
            message: `PostgreSQL did not start on ${root}: its last words tell why, the rest is in ${log}.\n${launched.lastLines()}`
          })
        }
        yield* Effect.sleep(repeatTime)
      }
      use.launched = yield* launch(use)
    }
    yield* Effect.sleep(pollTime)
  }
  return yield* notReady(use)
})

/** Takes a lease on a running server. One that stops between the two is started again. */
const occupy = Effect.fnUntraced(
  function* (use: Use) {
    const deadline = (yield* Clock.currentTimeMillis) + startTimeMax
    if (use.lease !== undefined) yield* Scope.close(use.lease, Exit.void)
    use.launched = undefined
    while (true) {
      const running = yield* run(use, deadline)
      const scope = yield* Scope.make()
      use.lease = scope
      const taken = yield* Effect.result(Scope.provide(ServerLease.take(running.host), scope))
      if (Result.isSuccess(taken)) return { ...running, lost: taken.success.lost }
      yield* Scope.close(scope, Exit.void)
      if ((yield* Clock.currentTimeMillis) >= deadline) {
        return yield* new EmbeddedPostgresFailed({
          message: `PostgreSQL runs on ${use.folder.root} and refused every connection for 30 seconds: read ${use.folder.log}.`,
          cause: taken.failure
        })
      }
      yield* Effect.sleep(repeatTime)
    }
  },
  // A server that needs longer than it is given to recover goes on with that, for the next start to find.
  (effect, use) =>
    Effect.tapError(effect, () =>
      Effect.sync(() => {
        use.launched = undefined
        SocketFolder.removeEmpty(use.host)
      })
    )
)

/** Which process to stop: a server that nobody else uses, or one that this process started and that is not ready yet. */
const findIdle = Effect.fnUntraced(function* ({ folder, launched }: Use) {
  const found = Postmaster.find(folder.data)
  if (found?.ready) return (yield* ServerLease.takeLast(found.host)) ? found.pid : undefined
  return launched?.hasEnded === false ? launched.pid : undefined
})

const leave = Effect.fnUntraced(function* (use: Use) {
  if (use.lease !== undefined) yield* Scope.close(use.lease, Exit.void)
  const pid = yield* findIdle(use)
  if (pid === undefined) return
  const isRunning = () =>
    Postmaster.find(use.folder.data)?.pid === pid || (use.launched?.pid === pid && !use.launched.hasEnded)
  yield* Effect.try(() => process.kill(pid, "SIGINT"))
  yield* Effect.repeat(Effect.sync(isRunning), { while: (running) => running, schedule: Schedule.spaced(pollTime) })
  SocketFolder.removeEmpty(use.host)
}, Effect.scoped)

/**
 * Runs PostgreSQL on `folder` (made when missing, with the database in `postgres` and the log in `postgres.log`) for as
 * long as the scope is open, also for root. Several processes may share a folder: the first starts the server, the last
 * to leave stops it. A server that crashes or is killed meanwhile is started again, on the same socket.
 *
 * Fails when the platform has no PostgreSQL, the folder is not writable, belongs to another user or to another major
 * version, or the server is not ready within 30 seconds. After a SIGKILL of this process the server goes on, for the
 * next start to find.
 */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (
  path: string
): Effect.fn.Return<EmbeddedPostgres, EmbeddedPostgresFailed, Scope.Scope> {
  const binaries = yield* Binaries.load
  const account = yield* ServerAccount.choose
  const folder = yield* DataFolder.prepare(path, binaries, account)
  const use: Use = {
    account,
    binaries,
    folder,
    host: SocketFolder.pathOf(folder.data),
    launched: undefined,
    lease: undefined
  }
  yield* Effect.addFinalizer(() => leave(use).pipe(Effect.interruptible, Effect.timeout(stopTimeMax), Effect.ignore))
  const first = yield* occupy(use)
  // The connections of this process know only this one.
  use.host = first.host
  let { lost } = first
  yield* Effect.gen(function* () {
    yield* lost
    // A deleted folder ends its server. A new one in its place would be empty, and the application not know it.
    if (!existsSync(join(folder.data, "PG_VERSION"))) {
      yield* Effect.logError(`The data folder ${folder.root} has been deleted: stop this process.`)
      return yield* Effect.never
    }
    yield* Effect.logWarning("The embedded PostgreSQL has gone away: starting it again.")
    const next = yield* occupy(use).pipe(
      Effect.tapError((error) => Effect.logError(error.message)),
      Effect.retry(Schedule.spaced("5 seconds"))
    )
    lost = next.lost
  }).pipe(Effect.forever, Effect.forkScoped)
  return { host: first.host, username: "sarraf", adopted: first.adopted }
})
