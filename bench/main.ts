import { writeFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import { compare } from "./compare.ts"
import { type Options, readOptions } from "./options.ts"
import { formatJson, formatResults, type Result } from "./results.ts"
import { isCompared, type ScenarioChoice, scenarioChoices, studies } from "./scenarios/choices.ts"

// Progress goes to standard error: standard output is for the figures.
const progress = (line: string) => console.error(line)

/** Everything that a scenario has started has stopped before the next begins. */
const runOne = (scenario: ScenarioChoice, options: Options) =>
  Effect.scoped(
    isCompared(scenario)
      ? Effect.map(compare(scenario, options, progress), (reports): ReadonlyArray<Result> => reports)
      : Effect.map(
          studies[scenario]({ options, progress }),
          (findings): ReadonlyArray<Result> => [
            { scenario, rounds: options.rounds, seconds: options.seconds, ...findings }
          ]
        )
  )

const publish = (results: ReadonlyArray<Result>, json: boolean | string) => {
  if (typeof json === "string") writeFileSync(json, `${formatJson(results)}\n`)
  console.log(json === true ? formatJson(results) : formatResults(results))
}

const program = Effect.gen(function* () {
  const options = yield* Effect.try({
    try: () => readOptions(process.argv.slice(2)),
    catch: (cause) => new BenchFailed({ message: cause instanceof Error ? cause.message : String(cause) })
  })
  const chosen = options.scenario === "all" ? scenarioChoices : [options.scenario]
  // The figures are printed once everything has stopped, so that they are the last that is read.
  const results = yield* Effect.forEach(chosen, (scenario) => runOne(scenario, options))
  publish(results.flat(), options.json)
}).pipe(
  Effect.tapError(({ message }) => Effect.sync(() => console.error(message))),
  Effect.tapDefect((defect) => Effect.sync(() => console.error(defect)))
)

// Every failure has been told above, in a sentence instead of a trace.
NodeRuntime.runMain(program, { disableErrorReporting: true })
