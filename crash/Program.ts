import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import type { Guard } from "./Guard.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const clock = new URL("./clock.ts", import.meta.url).href
const readyMillis = 45_000
/** The gateway gives its last requests 35 seconds. */
const stopMillis = 40_000

export type Variables = Readonly<Record<string, string>>

/** A program of this repository in a process of its own, which can be killed and started again. */
export interface Program {
  /** Resolves with the port that it listens on, another at each start; rejects where it ends before it is ready. */
  readonly start: () => Promise<number>
  /** Sets its clock ahead of the right time, or behind it where negative; a process that starts has the right one. */
  readonly setClock: (aheadMillis: number) => void
  readonly signal: (signal: "SIGKILL" | "SIGSTOP" | "SIGCONT") => Promise<void>
  /** Asks it to end; the exit code, null where a signal ended it. */
  readonly stop: () => Promise<number | null>
  /** How often it ended although nobody had asked it to. */
  readonly unasked: () => number
}

const isRunning = (child: ChildProcess | undefined): child is ChildProcess =>
  child !== undefined && child.exitCode === null && child.signalCode === null

/** Free at this moment. Where another program is faster the start fails, and is tried again with another. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

/** `ready` is what the program prints when it listens; all that it prints goes to `log`. */
export const makeProgram = (options: {
  readonly file: string
  readonly variables: Variables
  readonly ready: RegExp
  readonly log: string
  readonly guard: Guard
}): Program => {
  const { file, guard, log, ready, variables } = options
  const lines = createWriteStream(log, { flags: "a" })
  let child: ChildProcess | undefined
  let isExpected = false
  let unasked = 0

  const launch = (port: number) => {
    isExpected = false
    const started = spawn(process.execPath, ["--import", clock, file], {
      cwd: root,
      // Nothing of the shell's own settings, which would make two runs of one seed differ.
      env: { PATH: process.env.PATH, ...variables, PORT: `${port}` },
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    guard.began(started.pid)
    started.stderr?.pipe(lines, { end: false })
    started.stdout?.pipe(lines, { end: false })
    started.once("exit", () => guard.ended(started.pid))
    child = started
    return started
  }

  const isReady = (started: ChildProcess) =>
    new Promise<void>((resolve, reject) => {
      let text = ""
      const deadline = setTimeout(() => reject(new Error(`${file} was not ready after ${readyMillis} ms`)), readyMillis)
      started.once("exit", () => {
        clearTimeout(deadline)
        reject(new Error(`${file} ended before it was ready; it wrote:\n${text.slice(-2_000)}`))
      })
      started.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        if (!ready.test(text)) return
        clearTimeout(deadline)
        resolve()
      })
    })

  return {
    start: async () => {
      const port = await freePort()
      const started = launch(port)
      await isReady(started)
      started.once("exit", () => {
        if (!isExpected) unasked += 1
      })
      return port
    },
    setClock: (aheadMillis) => {
      if (isRunning(child) && child.connected) child.send(aheadMillis)
    },
    signal: async (signal) => {
      if (!isRunning(child)) return
      if (signal !== "SIGKILL") return void child.kill(signal)
      isExpected = true
      const exited = once(child, "exit")
      child.kill(signal)
      await exited
    },
    stop: async () => {
      if (!isRunning(child)) return null
      isExpected = true
      const exited = once(child, "exit")
      child.kill("SIGCONT")
      child.kill("SIGTERM")
      const forced = setTimeout(() => child?.kill("SIGKILL"), stopMillis)
      await exited
      clearTimeout(forced)
      return child.exitCode
    },
    unasked: () => unasked
  }
}

/** Runs a program of this repository to its end. */
export const runProgram = async (file: string, args: ReadonlyArray<string>, variables: Variables, guard: Guard) => {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...variables },
    stdio: ["ignore", "pipe", "pipe"]
  })
  guard.began(child.pid)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text))
  await once(child, "close")
  guard.ended(child.pid)
  return { output, exitCode: child.exitCode }
}
