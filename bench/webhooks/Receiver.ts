import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { BenchFailed } from "../BenchFailed.ts"
import type { Received } from "./receive.ts"

const asked = <A>(child: ChildProcess, order: "begin" | "report" | undefined) =>
  Effect.tryPromise({
    try: async () => {
      const answer = once(child, "message")
      if (order !== undefined) child.send(order)
      const [message] = await answer
      return message as A
    },
    catch: (cause) => new BenchFailed({ message: `The receiver did not answer: ${cause}` })
  })

/** A receiver in a process of its own, so that it takes no time from the service's event loop. */
export const start = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(fileURLToPath(new URL("./receive.ts", import.meta.url)), { stdio: "inherit" })),
    (started) =>
      Effect.promise(async () => {
        if (started.exitCode !== null || started.signalCode !== null) return
        const exited = once(started, "exit")
        started.kill("SIGKILL")
        await exited
      })
  )
  const { port } = yield* asked<{ readonly port: number }>(child, undefined)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** Forgets what came before. */
    begin: Effect.asVoid(asked<unknown>(child, "begin")),
    /** What came since. */
    report: asked<Received>(child, "report")
  }
})
