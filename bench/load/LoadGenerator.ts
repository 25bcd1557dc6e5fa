import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { BenchFailed } from "../BenchFailed.ts"
import type { Load, Window } from "./window.ts"

interface Reply {
  readonly load?: Load
  readonly error?: string
}

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
  Effect.map((child) => ({
    run: (window: Window) =>
      Effect.callback<Load, BenchFailed>((resume) => {
        const fail = (message: string) => resume(Effect.fail(new BenchFailed({ message })))
        const ended = () => fail("The load generator has ended.")
        const replied = ({ error, load }: Reply) => {
          child.off("exit", ended)
          if (load === undefined) fail(`The load generator failed: ${error}`)
          else resume(Effect.succeed(load))
        }
        if (!child.connected) return ended()
        child.once("exit", ended)
        child.once("message", replied)
        child.send(window)
      })
  }))
)
