import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"

const root = join(import.meta.dirname, "..")
const readyTimeMax = "60 seconds"
/** The gateway gives its last requests 35 seconds; here all have been answered. */
const stopTimeMax = 15_000
/** The kernel counts a process's time in these, whatever the machine's own tick is. */
const ticksPerSecond = 100
const outputMax = 8_000

/** A server that listens. */
export interface ServerProcess {
  readonly port: number
  /** Seconds of processor time since its start, with the kernel's on its behalf. Only Linux tells. */
  readonly cpuSeconds: () => number | undefined
  /** The most memory it has ever held. Only Linux tells. */
  readonly peakMegabytes: () => number | undefined
  /** The memory it holds now. Only Linux tells. */
  readonly residentMegabytes: () => number | undefined
  /** From the start of the process to its line that it is ready. */
  readonly readyMillis: number
  /** The last of what it printed. */
  readonly output: () => string
  /** Fails when the server ends before it is told to. */
  readonly ended: Effect.Effect<never, BenchFailed>
}

const stop = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const forced = setTimeout(() => child.kill("SIGKILL"), stopTimeMax)
  await exited
  clearTimeout(forced)
}

const readProcess = (pid: number | undefined, file: string) => {
  const path = `/proc/${pid}/${file}`
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

/** User and system time are the 14th and 15th field, counted behind the name in parentheses, which may hold anything. */
const cpuSeconds = (pid: number | undefined) => {
  const fields = readProcess(pid, "stat")
    ?.replace(/^.*\) /s, "")
    .split(" ")
  return fields && (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** `VmHWM` is the highest resident memory so far, `VmRSS` that of now. */
const megabytes = (pid: number | undefined, field: "VmHWM" | "VmRSS") => {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readProcess(pid, "status") ?? "")?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/**
 * Runs a Node program of this repository until the scope closes. It is ready when it prints "ready at" and an address, the
 * simulators when they print theirs.
 * Of the environment it gets only what is given, so that a setting of the shell does not favour one server.
 */
export const start = Effect.fn("ServerProcess.start")(function* (
  name: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
) {
  let output = ""
  const begin = performance.now()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, args, {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production", ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (started) => Effect.promise(() => stop(started))
  )
  const port = yield* Effect.callback<number, BenchFailed>((resume) => {
    const print = (text: string) => {
      output = (output + text).slice(-outputMax)
      const found = /(?:ready at |SIMULATORS_URL=)http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]
      if (found !== undefined) resume(Effect.succeed(Number(found)))
    }
    child.stdout.setEncoding("utf8").on("data", print)
    child.stderr.setEncoding("utf8").on("data", print)
    child.once("exit", () =>
      resume(Effect.fail(new BenchFailed({ message: `The ${name} ended before it was ready:\n${output}` })))
    )
  }).pipe(
    Effect.timeoutOrElse({
      duration: readyTimeMax,
      orElse: () =>
        Effect.fail(new BenchFailed({ message: `The ${name} was not ready after ${readyTimeMax}:\n${output}` }))
    })
  )
  const readyMillis = performance.now() - begin
  return {
    port,
    cpuSeconds: () => cpuSeconds(child.pid),
    peakMegabytes: () => megabytes(child.pid, "VmHWM"),
    residentMegabytes: () => megabytes(child.pid, "VmRSS"),
    readyMillis,
    output: () => output,
    ended: Effect.callback<never, BenchFailed>((resume) => {
      const fail = () => {
        const how = child.signalCode ?? `status ${child.exitCode}`
        resume(Effect.fail(new BenchFailed({ message: `The ${name} ended during the run, with ${how}:\n${output}` })))
      }
      if (child.exitCode !== null || child.signalCode !== null) return fail()
      child.once("exit", fail)
      return Effect.sync(() => child.off("exit", fail))
    })
  } satisfies ServerProcess
})
