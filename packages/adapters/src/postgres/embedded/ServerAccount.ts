import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { userInfo } from "node:os"
import { dirname } from "node:path"
import { Effect } from "effect"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"

/** Under which user id PostgreSQL runs, and by what means. */
export interface ServerAccount {
  /** Goes before the program: the command that shows it another user id. */
  readonly prefix: ReadonlyArray<string>
  /** For `spawn`; empty when the user id stays as it is. */
  readonly identity: { readonly uid?: number; readonly gid?: number }
  /** The user id that the file system sees, which must own the data folder and the socket folder. */
  readonly owner: number
}

/** The user "nobody" on Linux and most other systems. */
const nobody = 65534

/** Containers often run under an id that no user has, and `initdb` insists on a name. */
const hasName = () => {
  try {
    return userInfo().username !== ""
  } catch {
    return false
  }
}

/**
 * PostgreSQL refuses to run as root. A user namespace shows it the id of nobody while the kernel goes on seeing the real
 * one, so any folder will do. Where namespaces are forbidden root lets it run as nobody in earnest, which must be able
 * to enter the folders above its data.
 */
export const choose: Effect.Effect<ServerAccount> = Effect.sync(() => {
  const user = process.getuid?.() ?? 0
  const plain = { prefix: [], identity: {}, owner: user }
  if (user !== 0 && hasName()) return plain
  const namespace = ["--user", `--map-user=${nobody}`, `--map-group=${nobody}`, "--"]
  if (spawnSync("unshare", [...namespace, "true"]).status === 0) {
    return { prefix: ["unshare", ...namespace], identity: {}, owner: user }
  }
  return user === 0 ? { prefix: [], identity: { uid: nobody, gid: nobody }, owner: nobody } : plain
})

/** Fails when the account lacks the right to enter a folder above `path`: it has been dropped to nobody by then. */
export const requireEntry = Effect.fnUntraced(function* (account: ServerAccount, path: string) {
  if (account.identity.uid === undefined) return
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const { mode, uid } = statSync(folder)
    if (uid !== account.owner && (mode & 0o001) === 0) {
      return yield* new EmbeddedPostgresFailed({
        message: `PostgreSQL does not run as root and user id ${nobody} may not enter ${folder}: start as a normal user, run "chmod o+x" on that folder, or set DATABASE_URL.`
      })
    }
  }
})

/**
 * Starts a program of PostgreSQL with both outputs in the file `log`. It leads a process group of its own, so a Ctrl-C
 * in the terminal reaches the application alone, which then stops the server when it has finished with it.
 */
export const launch = (
  account: ServerAccount,
  program: string,
  args: ReadonlyArray<string>,
  log: number
): ChildProcess => {
  const [command = program, ...rest] = [...account.prefix, program, ...args]
  return spawn(command, rest, {
    ...account.identity,
    cwd: "/",
    detached: true,
    // biome-ignore lint/style/noProcessEnv: the system finds "unshare" by it, and PGPORT or LC_ALL must not get through.
    env: { PATH: process.env.PATH },
    stdio: ["ignore", log, log]
  })
}
