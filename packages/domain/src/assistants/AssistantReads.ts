import { Context, type Effect, Schema } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"

/** A statement took longer than an assistant's may: less has to be asked for. */
export class TooSlow extends Schema.TaggedError<TooSlow>()("TooSlow", {}) {}

/**
 * Driven port: what one call of an assistant reads, in one transaction that cannot write, that sees the caller's
 * organization alone, all of it as it was at one moment, and that ends where a statement takes too long.
 */
export class AssistantReads extends Context.Service<
  AssistantReads,
  {
    run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooSlow | Unavailable, R | Caller>
  }
>()("@sarraf/domain/assistants/AssistantReads") {}
