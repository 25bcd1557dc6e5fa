import type { Effect, Scope } from "effect"
import type { BenchFailed } from "../BenchFailed.ts"
import type { Options } from "../options.ts"
import type { Findings } from "../studyReport.ts"

/** What a scenario of its own kind is given: the options, and where progress goes. */
export interface StudyRun {
  readonly options: Options
  readonly progress: (line: string) => void
}

/** Measures the gateway in a way that is no window beside the baseline. Starts what it needs, in its scope. */
export type Study = (run: StudyRun) => Effect.Effect<Findings, BenchFailed, Scope.Scope>
