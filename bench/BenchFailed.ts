import { Data } from "effect"

/** There is nothing to report. `message` says why. */
export class BenchFailed extends Data.TaggedError("BenchFailed")<{ readonly message: string }> {}
