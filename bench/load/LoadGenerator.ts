import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { BenchFailed } from "../BenchFailed.ts"
import type { Load, Window } from "./window.ts"

interface Reply<A> {
  readonly result?: A
  readonly error?: string
}

/** The load generator, which makes what a window needs, and carries a window out. */
export interface LoadGenerator {
  /** How many payments there are for the windows that follow. */
  readonly prepare: (window: Window) => Effect.Effect<number, BenchFailed>
  readonly run: (window: Window) => Effect.Effect<Load, BenchFailed>
}

const order = <A>(child: ChildProcess, task: "prepare" | "run", window: Window) =>
  Effect.callback<A, BenchFailed>((resume) => {
    const fail = (message: string) => resume(Effect.fail(new BenchFailed({ message })))
    const ended = () => fail("The load generator has ended.")
    const replied = ({ error, result }: Reply<A>) => {
      child.off("exit", ended)
      if (result === undefined) fail(`The load generator failed: ${error}`)
      else resume(Effect.succeed(result))
    }
    if (!child.connected) return ended()
    child.once("exit", ended)
    child.once("message", replied)
    child.send({ task, window })
  })

/** The load generator in a process of its own, so that it takes no time from the event loop of a server. */
export const start = Effect.acquireRelease(
  Effect.sync(() => fork(fileURLToPath(new URL("./generator.ts", import.meta.url)), { stdio: "inherit" })),
  (child) =>
    Effect.promise(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, "exit")
      child.kill("SIGKILL")
      await exited
    })
).pipe(
  Effect.map(
    (child): LoadGenerator => ({
      prepare: (window) => order(child, "prepare", window),
      run: (window) => order(child, "run", window)
    })
  )
)
