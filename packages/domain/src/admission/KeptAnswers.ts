import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"

/** The answer to a request of the expense side, kept under its Idempotency-Key for 24 hours (contract section 1). */
export interface KeptAnswer {
  /** HMAC of method, path and body, lower-case hex: the same request has the same. */
  readonly fingerprint: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null for an answer without a body. Secrets that it showed have been taken out. */
  readonly body: string | null
}

/** Driven port: answers by the caller's organization and name, which no other caller finds. */
export class KeptAnswers extends Context.Service<
  KeptAnswers,
  {
    /**
     * In a unit of work: claims the key until the unit ends and tells what was kept under it. `running`: another request
     * has claimed it and is not done.
     */
    claim(key: string): Effect.Effect<KeptAnswer | "running" | undefined, Unavailable, Caller>
    /** In the unit of work that claimed the key: kept with what the request changed or not at all. */
    keep(key: string, answer: KeptAnswer): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/admission/KeptAnswers") {}
