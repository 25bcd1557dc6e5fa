import { openSync, readFileSync, statSync, truncateSync } from "node:fs"

/** The server logs errors and checkpoints only, so this is months; nobody reads further back. */
const bytesMax = 16 * 1024 * 1024
const linesShown = 8

/** The server's log, opened for appending; `lastLines` shows only what was written since. */
export interface ServerLog {
  readonly descriptor: number
  readonly lastLines: () => string
}

/** Empties the file first when it has grown past 16 MiB: the server that wrote it has ended. */
export const open = (path: string): ServerLog => {
  const descriptor = openSync(path, "a", 0o600)
  if (statSync(path).size > bytesMax) truncateSync(path)
  const start = statSync(path).size
  return {
    descriptor,
    lastLines: () =>
      readFileSync(path).subarray(start).toString("utf8").trim().split("\n").slice(-linesShown).join("\n")
  }
}
