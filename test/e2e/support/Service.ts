import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"

const entry = fileURLToPath(new URL("../../../packages/runtime-http/src/main.js", import.meta.url))

/** A cold start takes a second or two; the rest is for a machine that is busy with other tests. */
const startMillisMax = 45_000

export type Variables = Readonly<Record<string, string>>

/**
 * Ends the server and deletes its folder when standard input closes without a word, which the kernel does even when the
 * test process is killed. A line on standard input says that the test process has done both itself.
 */
const guard = `
  trap "" INT TERM HUP
  read -r finished && exit
  kill -TERM "$1"; seconds=0
  while kill -0 "$1" && [ $seconds -lt 40 ]; do sleep 1; seconds=$((seconds + 1)); done
  kill -KILL "$1"; rm -rf "$2"`

/**
 * Starts the program as a user does, with nothing of the tester's own settings in its environment. Without the sandbox's
 * year of data, which takes a second and would be in every list; a test that is about it asks for it.
 */
const spawnProgram = (variables: Variables) =>
  spawn(process.execPath, [entry], {
    env: {
      PATH: process.env.PATH ?? "",
      TMPDIR: tmpdir(),
      LOG_LEVEL: "info",
      SARRAF_SANDBOX_DEMO: "false",
      ...variables
    },
    stdio: ["ignore", "pipe", "pipe"]
  })

export const makeFolder = () => mkdtemp(join(tmpdir(), "sarraf-e2e-"))
export const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3 })

/** One process of the service. Several may follow each other on one folder, which outlives them. */
export class Service {
  readonly url: string
  readonly folder: string
  readonly #child: ChildProcess
  readonly #guard: ChildProcess
  readonly #written: Array<string>

  private constructor(
    url: string,
    folder: string,
    child: ChildProcess,
    guarding: ChildProcess,
    written: Array<string>
  ) {
    this.url = url
    this.folder = folder
    this.#child = child
    this.#guard = guarding
    this.#written = written
  }

  /** Resolves when the service says that it is ready. Rejects with everything it wrote when it ends before that. */
  static async start(folder: string, variables: Variables = {}): Promise<Service> {
    const child = spawnProgram({ PORT: "0", SARRAF_DATA_DIR: folder, ...variables })
    const guarding = spawn("sh", ["-c", guard, "sh", String(child.pid), folder], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"]
    })
    const written: Array<string> = []
    try {
      return new Service(await readyAt(child, written), folder, child, guarding, written)
    } catch (error) {
      child.kill("SIGKILL")
      guarding.stdin?.end("finished\n")
      throw error
    }
  }

  /** Of the process. */
  get pid() {
    return this.#child.pid
  }

  /** Everything on standard output and standard error so far. */
  get output() {
    return this.#written.join("")
  }

  /** Asks the service to end, and gives its exit code (null when a signal ended it). */
  stop(): Promise<number | null> {
    return this.#end("SIGTERM")
  }

  /** Ends it as a power cut would. */
  kill(): Promise<number | null> {
    return this.#end("SIGKILL")
  }

  async #end(signal: NodeJS.Signals) {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const closed = once(this.#child, "close")
      this.#child.kill(signal)
      await closed
    }
    this.#guard.stdin?.end("finished\n")
    return this.#child.exitCode
  }
}

const readyAt = (child: ChildProcess, written: Array<string>) =>
  new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`The service ${why}. It wrote:\n${written.join("")}`))
    const deadline = setTimeout(() => fail(`was not ready after ${startMillisMax} ms`), startMillisMax)
    const read = (chunk: string) => {
      written.push(chunk)
      const line = written
        .join("")
        .split("\n")
        .find((line) => line.includes("Sarraf is ready"))
      const url = line?.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]
      if (url === undefined) return
      clearTimeout(deadline)
      child.stdout?.off("data", read).on("data", (chunk: string) => written.push(chunk))
      resolve(url)
    }
    child.stdout?.setEncoding("utf8").on("data", read)
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => written.push(chunk))
    child.once("close", (code) => {
      clearTimeout(deadline)
      fail(`ended with exit code ${code} before it was ready`)
    })
  })

/** What a program that is expected to refuse to start leaves behind. */
export interface Refusal {
  readonly exitCode: number | null
  readonly output: string
}

/** Starts the program with variables that it must refuse, in a folder of its own, and waits for its end. */
export const refusedStart = async (variables: Variables): Promise<Refusal> => {
  const folder = await makeFolder()
  const child = spawnProgram({ PORT: "0", SARRAF_DATA_DIR: folder, ...variables })
  const written: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => written.push(text))
  const deadline = setTimeout(() => child.kill("SIGTERM"), startMillisMax / 2)
  try {
    await once(child, "close")
    return { exitCode: child.exitCode, output: written.join("") }
  } finally {
    clearTimeout(deadline)
    await removeFolder(folder)
  }
}

/**
 * One service for a test file: started before its tests, and ended and removed after them, whatever they did. Ending is
 * a check of its own, since SIGTERM must finish what is under way and exit with 0.
 */
export const useService = (variables: Variables = {}) => {
  let folder: string | undefined
  let service: Service | undefined
  beforeAll(async () => {
    folder = await makeFolder()
    service = await Service.start(folder, variables)
  })
  afterAll(async () => {
    try {
      const exitCode = await service?.stop()
      if (exitCode !== 0) throw new Error(`SIGTERM gave exit code ${exitCode}. It wrote:\n${service?.output}`)
    } finally {
      if (folder !== undefined) await removeFolder(folder)
    }
  })
  return () => {
    if (service === undefined) throw new Error("The service runs only while a test does.")
    return service
  }
}
