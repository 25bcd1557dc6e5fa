import { randomUUID } from "node:crypto"
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Binaries } from "./Binaries.ts"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import * as ServerAccount from "./ServerAccount.ts"
import * as ServerLog from "./ServerLog.ts"

/** The folder the user named, and inside it the database cluster and the server's log. All absolute, links resolved. */
export interface DataFolder {
  readonly root: string
  readonly data: string
  readonly log: string
}

const elsewhere = "set SARRAF_DATA_DIR to another folder"

const open = (folder: string) =>
  Effect.try({
    try: (): DataFolder => {
      mkdirSync(folder, { recursive: true })
      const root = realpathSync(folder)
      accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK)
      return { root, data: join(root, "postgres"), log: join(root, "postgres.log") }
    },
    catch: (cause) =>
      new EmbeddedPostgresFailed({
        message: `Cannot write to the data folder ${folder} (${cause instanceof Error ? cause.message : cause}): make it writable for this user, or ${elsewhere}.`,
        cause
      })
  })

/** PostgreSQL opens only a folder that its own user owns; nobody but root can hand it over. */
const requireOwner = Effect.fnUntraced(function* ({ data }: DataFolder) {
  const user = process.getuid?.()
  const { uid } = statSync(data)
  if (user === 0 || uid === user) return
  return yield* new EmbeddedPostgresFailed({
    message: `The data folder ${data} belongs to user id ${uid} and this process runs as ${user}: start as that user, run "chown -R ${user}" on it, or ${elsewhere}.`
  })
})

const requireVersion = Effect.fnUntraced(function* ({ data, root }: DataFolder, { major }: Binaries) {
  const version = join(data, "PG_VERSION")
  if (!existsSync(version)) {
    return yield* new EmbeddedPostgresFailed({
      message: `${data} exists and holds no PostgreSQL database: move it away, or ${elsewhere}.`
    })
  }
  const madeBy = readFileSync(version, "utf8").trim()
  if (madeBy === major) return
  return yield* new EmbeddedPostgresFailed({
    message: `The data folder ${root} was made by PostgreSQL ${madeBy} and this release brings PostgreSQL ${major}, which cannot open it: return to the release that made it, or copy the data with pg_dump of PostgreSQL ${madeBy} into an empty folder named by SARRAF_DATA_DIR.`
  })
})

/** Runs initdb on an empty folder; answers "" or how it ended. Its own children end with it. */
const initdb = (fresh: string, binaries: Binaries, account: ServerAccount.ServerAccount, log: ServerLog.ServerLog) =>
  Effect.callback<string>((resume) => {
    const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    const args = ["-D", fresh, "-U", "sarraf", "--auth=trust", ...locale, "--no-instructions"]
    const child = ServerAccount.launch(account, binaries.initdb, args, log.descriptor)
    child.once("error", (error) => resume(Effect.succeed(error.message)))
    child.once("exit", (code, signal) => resume(Effect.succeed(code === 0 ? "" : `${code ?? signal}`)))
    return Effect.sync(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"))
  }).pipe(Effect.ensuring(Effect.sync(() => closeSync(log.descriptor))))

/**
 * Made beside its place and renamed into it, so that a crash in between or two first starts at once leave one whole
 * cluster. `trust` is safe: the server listens on a socket in a folder only its owner can enter.
 */
const create = Effect.fnUntraced(function* (
  { data, log, root }: DataFolder,
  binaries: Binaries,
  account: ServerAccount.ServerAccount
) {
  const failed = (reason: unknown, lastLines = "") =>
    new EmbeddedPostgresFailed({
      message:
        `PostgreSQL could not make its database in ${root} (${reason}): cure what it names, or ${elsewhere}.\n${lastLines}`.trim(),
      cause: reason
    })
  yield* Effect.acquireUseRelease(
    Effect.try({
      try: () => {
        const fresh = `${data}.${randomUUID()}`
        mkdirSync(fresh, { mode: 0o700 })
        chownSync(fresh, account.owner, account.identity.gid ?? process.getgid?.() ?? 0)
        return fresh
      },
      catch: failed
    }),
    Effect.fnUntraced(function* (fresh) {
      const opened = yield* Effect.try({ try: () => ServerLog.open(log), catch: failed })
      const ended = yield* initdb(fresh, binaries, account, opened)
      if (ended !== "") return yield* failed(`initdb ended with ${ended}`, opened.lastLines())
      yield* Effect.try({ try: () => renameSync(fresh, data), catch: failed }).pipe(
        // Another process may have been faster: then its cluster stands, and what follows looks at that one.
        Effect.catchIf(
          () => existsSync(data),
          () => Effect.void
        )
      )
    }),
    (fresh) => Effect.sync(() => rmSync(fresh, { recursive: true, force: true }))
  )
})

/** A cluster that this version of PostgreSQL can open, made when the folder has none. */
export const prepare = Effect.fn("DataFolder.prepare")(function* (
  path: string,
  binaries: Binaries,
  account: ServerAccount.ServerAccount
) {
  const folder = yield* open(path)
  if (!existsSync(folder.data)) {
    yield* ServerAccount.requireEntry(account, folder.data)
    yield* create(folder, binaries, account)
  }
  yield* requireOwner(folder)
  yield* requireVersion(folder, binaries)
  return folder
})

/**
 * Makes the cluster the account's: root may have run the server under another user id last time, and a copied folder
 * has lost its mode, which PostgreSQL insists on. Only while no server runs there.
 */
export const handOver = ({ data }: DataFolder, account: ServerAccount.ServerAccount): void => {
  chmodSync(data, 0o700)
  if (statSync(data).uid === account.owner) return
  const group = account.identity.gid ?? 0
  for (const entry of readdirSync(data, { recursive: true, encoding: "utf8" })) {
    chownSync(join(data, entry), account.owner, group)
  }
  // Last, so that an interrupted hand-over is taken up again.
  chownSync(data, account.owner, group)
}
