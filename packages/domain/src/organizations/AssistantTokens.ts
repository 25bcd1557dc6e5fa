import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { Role } from "./Caller.ts"

/** A person's token for the assistant server (contract section 3). */
export interface AssistantToken {
  readonly organizationId: string
  readonly id: string
  readonly userId: string
  /** The person's role now, whatever it was when the token was made. */
  readonly role: Role
  readonly expiresAt: Instant
  /** False for sandbox tokens, which live mode does not know. */
  readonly livemode: boolean
}

/** Driven port: who an `mcp_` token stands for. */
export class AssistantTokens extends Context.Service<
  AssistantTokens,
  {
    /**
     * Undefined for a token that never was, has expired or was revoked, and for that of a person who is no ACTIVE member or
     * lacks the second factor that the organization demands. Being found counts as use, which is written down once a minute.
     */
    find(token: Redacted.Redacted<string>): Effect.Effect<AssistantToken | undefined, Unavailable>
  }
>()("@sarraf/domain/organizations/AssistantTokens") {}
