import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { BenchFailed } from "../BenchFailed.ts"
import type { Arrivals, PhaseResult } from "./arrivals.ts"
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
  /** Sends requests at the pace of each phase; gives what came of each. */
  readonly arrive: (arrivals: Arrivals) => Effect.Effect<ReadonlyArray<PhaseResult>, BenchFailed>
}

/** What the generator's process is sent. */
export type Order =
  | { readonly task: "prepare" | "run"; readonly window: Window }
  | { readonly task: "arrive"; readonly arrivals: Arrivals }

const give = <A>(child: ChildProcess, order: Order) =>
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
    child.send(order)
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
      prepare: (window) => give(child, { task: "prepare", window }),
      run: (window) => give(child, { task: "run", window }),
      arrive: (arrivals) => give(child, { task: "arrive", arrivals })
    })
  )
)
