import { Schema } from "effect"

/**
 * A store or a service could not be reached, or went away while it was asked. Whether the last write arrived is not
 * known: repeat it under the same idempotency key, never under a new one.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {}) {}
