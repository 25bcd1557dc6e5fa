import { Effect } from "effect"

/** The role under which the assistant server reads, and what it may read. */
export default Effect.void
