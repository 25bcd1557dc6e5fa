import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
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
  { takesArguments = true }: { readonly takesArguments?: boolean } = {}
) => {
  const args = process.argv.slice(2)
  const asksForHelp = (takesArguments && args.length === 0) || args.includes("help") || args.includes("--help")
  const program = asksForHelp
    ? Console.log(help)
    : Effect.flatMap(load, (configuration) => perform(args, configuration)).pipe(
        Effect.catch((error) => Effect.andThen(Console.error(messageOf(error)), Effect.fail(error)))
      )
  NodeRuntime.runMain(program, { disableErrorReporting: true })
}
