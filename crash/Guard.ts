import { spawn } from "node:child_process"
import { join } from "node:path"
import * as SocketFolder from "@sarraf/adapters/postgres/embedded/SocketFolder"

/**
 * Ends the processes it was told of when standard input closes, which the kernel does even when this process is killed;
 * then the database and the folder, unless it was told that this process has `finished` with them itself.
 */
const script = `
  trap "" INT TERM HUP
  pids=""; finished=""
  while read -r word pid; do
    case "$word" in
      began) pids="$pids $pid" ;;
      ended) left=""; for one in $pids; do [ "$one" = "$pid" ] || left="$left $one"; done; pids="$left" ;;
      finished) finished=yes ;;
    esac
  done
  for one in $pids; do kill -KILL "$one"; done
  [ -n "$finished" ] && exit
  server="$(head -n 1 "$1/database/postgres/postmaster.pid")"
  kill -INT "$server"; seconds=0
  while kill -0 "$server" && [ $seconds -lt 10 ]; do sleep 1; seconds=$((seconds + 1)); done
  kill -KILL "$server"
  umount --lazy "$1/database"; rm -rf "$1" "$2"`

export interface Guard {
  readonly began: (pid: number | undefined) => void
  readonly ended: (pid: number | undefined) => void
  readonly finished: () => void
}

/** Watches over a run: nothing of it outlives this process, however that ends. */
export const start = (folder: string): Guard => {
  const sockets = SocketFolder.pathOf(join(folder, "database", "postgres"))
  const child = spawn("sh", ["-c", script, "sh", folder, sockets], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  child.unref()
  const { stdin } = child
  // It can only be gone where somebody has killed it, and then there is nobody to tell.
  stdin.on("error", () => undefined)
  const say = (word: string, pid: number | undefined) => pid !== undefined && stdin.write(`${word} ${pid}\n`)
  return {
    began: (pid) => void say("began", pid),
    ended: (pid) => void say("ended", pid),
    finished: () => void stdin.end("finished\n")
  }
}
