import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller } from "./Caller.ts"

/** What is shown of an assistant token; the token itself is shown once, when it is made. */
export interface AssistantTokenRecord {
  /** `mcpt_…` */
  readonly id: string
  /** Whose it is: the assistant reads what this person may read. */
  readonly userId: string
  readonly name: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
  /** To the minute; null for one that was never used. */
  readonly lastUsedAt: Instant | null
  /** The token's last four characters, to tell it apart by. */
  readonly last4: string
  readonly version: number
}

/** Driven port: assistant tokens of the caller's organization that were not revoked. Of a token its digest is kept, and nothing else. */
export class AssistantTokenStore extends Context.Service<
  AssistantTokenStore,
  {
    insert(token: Redacted.Redacted<string>, record: AssistantTokenRecord): Effect.Effect<void, Unavailable, Caller>
    find(id: string): Effect.Effect<AssistantTokenRecord | undefined, Unavailable, Caller>
    /** Of this person, or of everybody. */
    list(userId: string | undefined, page: PageRequest): Effect.Effect<Page<AssistantTokenRecord>, Unavailable, Caller>
    /** False for one that is not there or no longer. */
    revoke(id: string, at: Instant): Effect.Effect<boolean, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/AssistantTokenStore") {}
