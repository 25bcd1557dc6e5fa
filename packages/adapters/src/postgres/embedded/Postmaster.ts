import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * The server that runs on a data folder, as its `postmaster.pid` tells: line 1 the process id, line 5 the folder of the
 * unix socket, line 8 the state. Source: PostgreSQL documentation, Database File Layout, and `pidfile.h` of its sources.
 */
export interface Postmaster {
  readonly pid: number
  readonly host: string
  /** False while it starts, recovers or stops. */
  readonly ready: boolean
}

const pidFile = (data: string) => join(data, "postmaster.pid")

const readLines = (path: string): ReadonlyArray<string> => {
  try {
    return readFileSync(path, "utf8").split("\n")
  } catch {
    return []
  }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * A killed process that its parent has not collected is a zombie, which still takes signals. Only Linux tells what a
 * process is ("4711 (postgres) S …"); elsewhere, and where it is hidden, a living process counts as PostgreSQL.
 */
const isPostgres = (pid: number) => {
  try {
    return /^\d+ \(postgres\) [^ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return true
  }
}

/** Undefined when no server runs there, or when its file is only half written. */
export const find = (data: string): Postmaster | undefined => {
  const [first, , , , host, , , state] = readLines(pidFile(data))
  const pid = Number(first)
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid) || !isPostgres(pid)) return undefined
  return { pid, host: host ?? "", ready: state?.trim() === "ready" }
}

/** Whether a server left its file behind, or is only about to write it in full. */
export const hasPidFile = (data: string): boolean => readLines(pidFile(data)).length > 0

/** Undefined unless the file begins with the id of a process that lives and is no PostgreSQL, or a dead one's zombie. */
const strangerIn = (lines: ReadonlyArray<string>) => {
  const pid = Number(lines[0])
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid) && !isPostgres(pid) ? pid : undefined
}

/**
 * A killed server leaves its files. While the process id in them is taken, by a zombie or after a restart of the
 * container by another program, PostgreSQL refuses to start. It does not refuse the id of its own parent, and then still
 * makes sure that no process of the old server holds the shared memory. So `postmaster.pid` gets this process's id,
 * which is the parent of the server that starts next. The socket's lock has no such check, and needs none: whoever
 * holds the data folder owns its socket folder.
 */
export const disownStale = (data: string, host: string): void => {
  const lines = readLines(pidFile(data))
  if (strangerIn(lines) !== undefined) {
    const corrected = `${pidFile(data)}.${process.pid}`
    writeFileSync(corrected, [process.pid, ...lines.slice(1)].join("\n"))
    renameSync(corrected, pidFile(data))
  }
  const socketLock = join(host, ".s.PGSQL.5432.lock")
  if (strangerIn(readLines(socketLock)) !== undefined) rmSync(socketLock, { force: true })
}
