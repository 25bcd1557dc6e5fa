import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { type Configuration, load } from "./configuration/Configuration.ts"

const messageOf = (error: object): string =>
  "message" in error && typeof error.message === "string" && error.message !== "" ? error.message : String(error)

/**
 * Runs a program of the command line with the service's configuration. It shows its help where it is asked to, or has
 * nothing to do; what keeps it from doing what it should is told in a sentence, and it ends with 1.
 */
export const runCommand = <E extends object>(
  help: string,
  perform: (args: ReadonlyArray<string>, configuration: Configuration) => Effect.Effect<unknown, E>,
  {
    runsUntilStopped = false,
    takesArguments = true
  }: {
    /** Being stopped by a signal is its end, and no failure. */
    readonly runsUntilStopped?: boolean
    readonly takesArguments?: boolean
  } = {}
) => {
  const args = process.argv.slice(2)
  const asksForHelp = (takesArguments && args.length === 0) || args.includes("help") || args.includes("--help")
  const program = asksForHelp
    ? Console.log(help)
    : Effect.flatMap(load, (configuration) => perform(args, configuration)).pipe(
        Effect.catch((error) => Effect.andThen(Console.error(messageOf(error)), Effect.fail(error)))
      )
  NodeRuntime.runMain(program, {
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      runsUntilStopped && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? onExit(0)
        : Runtime.defaultTeardown(exit, onExit)
  })
}
