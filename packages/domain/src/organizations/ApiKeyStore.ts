import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller, Role } from "./Caller.ts"

/** What is shown of an API key; the key itself is shown once, when it is made. */
export interface ApiKeyRecord {
  /** `key_…` TypeID; `sandbox` and `other` for the sandbox's. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** The person who made it, or who made the key that made it; null for seeded keys and what these made. */
  readonly createdBy: string | null
  readonly createdAt: Instant
  /** Null: it lasts until it is revoked. */
  readonly expiresAt: Instant | null
  /** To the minute; null for a key that was never used. */
  readonly lastUsedAt: Instant | null
  /** The key's last four characters, to tell it apart by; null for seeded keys. */
  readonly last4: string | null
  readonly livemode: boolean
  readonly version: number
}

/** Driven port: the API keys of the caller's organization that were not revoked. Of a key its digest is kept, and nothing else. */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    insert(key: Redacted.Redacted<string>, record: ApiKeyRecord): Effect.Effect<void, Unavailable, Caller>
    find(id: string): Effect.Effect<ApiKeyRecord | undefined, Unavailable, Caller>
    list(page: PageRequest): Effect.Effect<Page<ApiKeyRecord>, Unavailable, Caller>
    /**
     * False for one that is not there or no longer. Refused from the commit on by this process, and by others within five
     * seconds.
     */
    revoke(id: string, at: Instant): Effect.Effect<boolean, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/ApiKeyStore") {}
