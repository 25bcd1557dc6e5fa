import type { Role } from "../organizations/Caller.ts"
import type { Instant } from "../time/Instant.ts"

/** The one scope there is: reading. */
export const assistantScope = "mcp:read"

/** Whom an assistant acts for: from its credential alone, looked up at each call. */
export interface AssistantPrincipal {
  readonly organizationId: string
  readonly userId: string
  /** The person's role now. */
  readonly role: Role
  /** `token:<id>` of an `mcp_` token, `connection:<id>` of an OAuth connection: for the audit trail and the rate limit. */
  readonly credential: string
  /** The OAuth client; null for an `mcp_` token. */
  readonly clientId: string | null
  readonly scopes: ReadonlyArray<string>
  readonly expiresAt: Instant
  /** False for the sandbox, which live mode does not know. */
  readonly livemode: boolean
}
