import { Context, type Effect, type Redacted } from "effect"

/** Driven port: makes credentials that nobody can guess. */
export class SecretTokens extends Context.Service<
  SecretTokens,
  {
    /** The prefix, `_`, and 256 random bits as 43 characters of base64url: `sess_…`. */
    next(prefix: string): Effect.Effect<Redacted.Redacted<string>>
  }
>()("@sarraf/domain/organizations/SecretTokens") {}
