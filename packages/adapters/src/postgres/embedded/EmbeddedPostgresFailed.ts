import { Data } from "effect"

/** `message` is one sentence that names what is wrong and what to do, followed by the server's last log lines if any. */
export class EmbeddedPostgresFailed extends Data.TaggedError("EmbeddedPostgresFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}
