import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Instant } from "../time/Instant.ts"

/** A person's consent that a client reads what they may read in one organization. */
export interface ConnectionRecord {
  /** `mcpc_…` */
  readonly id: string
  readonly userId: string
  /** The address of its metadata document, or an id that it was given when it registered itself. */
  readonly clientId: string
  /** As the client calls itself: nobody has checked it. */
  readonly clientName: string
  /** Where the browser was sent with the code: `claude.ai`, `127.0.0.1`, `cursor:` for a private scheme. */
  readonly redirectHost: string
  readonly createdAt: Instant
  /** After that the person has to consent again. */
  readonly expiresAt: Instant
  /** To the minute; null for one that was never used. */
  readonly lastUsedAt: Instant | null
}

/** A connection as the authorization server finds it by its grant, before it is known who asks. */
export interface ConnectionOfGrant {
  readonly organizationId: string
  readonly id: string
  readonly userId: string
  /**
   * Not revoked, its time not over, and its person an ACTIVE member who has the second factor that the organization
   * demands.
   */
  readonly isOpen: boolean
  /** False for the sandbox. */
  readonly livemode: boolean
}

/** Driven port: connections of the caller's organization that were not revoked and whose time is not over. */
export class ConnectionStore extends Context.Service<
  ConnectionStore,
  {
    insert(grantId: string, record: ConnectionRecord): Effect.Effect<void, Unavailable, Caller>
    find(id: string): Effect.Effect<ConnectionRecord | undefined, Unavailable, Caller>
    /** Of this person, or of everybody. */
    list(userId: string | undefined, page: PageRequest): Effect.Effect<Page<ConnectionRecord>, Unavailable, Caller>
    /** The grant that it stood for; undefined for one that is not there or no longer. */
    revoke(id: string, at: Instant): Effect.Effect<string | undefined, Unavailable, Caller>
    /** In whatever organization. */
    ofGrant(grantId: string): Effect.Effect<ConnectionOfGrant | undefined, Unavailable>
  }
>()("@sarraf/domain/assistants/ConnectionStore") {}
