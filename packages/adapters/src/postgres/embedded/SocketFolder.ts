import { createHash } from "node:crypto"
import { chownSync, lstatSync, mkdirSync, rmdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Predicate } from "effect"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import type { ServerAccount } from "./ServerAccount.ts"

/**
 * Not inside the data folder: a socket's path may have 107 bytes (`sockaddr_un`), a data folder's any number. The name
 * is the data folder's digest, so every process that shares a data folder finds the same socket.
 */
export const pathOf = (data: string): string =>
  join(tmpdir(), `sarraf-${createHash("sha256").update(data).digest("hex").slice(0, 12)}`)

const find = (path: string) => lstatSync(path, { throwIfNoEntry: false, bigint: true })

/**
 * Anybody can make folders in the temporary directory, and whoever owns this one can answer in the server's place. So
 * one that belongs to someone else is removed, which root can do, or refused.
 */
export const prepare = (path: string, { identity, owner }: ServerAccount) =>
  Effect.try({
    try: () => {
      const found = find(path)
      if (found?.isDirectory() && found.uid === BigInt(owner)) return
      if (found !== undefined) rmSync(path, { recursive: true, force: true })
      mkdirSync(path, { mode: 0o700 })
      chownSync(path, owner, identity.gid ?? process.getgid?.() ?? 0)
    },
    catch: (cause) =>
      new EmbeddedPostgresFailed({
        message: `The socket folder ${path} belongs to another user or cannot be made: remove it, or set TMPDIR to a folder of this user.`,
        cause
      })
  }).pipe(Effect.retry({ times: 1, while: ({ cause }) => isTaken(cause) }))

/** Another process that starts on the same data folder made it a moment earlier: the second look decides whose it is. */
const isTaken = (cause: unknown) => Predicate.hasProperty(cause, "code") && cause.code === "EEXIST"

/** Differs when the folder was removed and made again, which a process that stops its server may do at any time. */
export const identify = (path: string): string => {
  const found = find(path)
  return `${found?.ino} ${found?.birthtimeNs}`
}

/** The server removes its socket when it stops, so a folder with content belongs to one that has just started. */
export const removeEmpty = (path: string): void => {
  try {
    rmdirSync(path)
  } catch {
    // In use again, or already gone.
  }
}
