import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Role } from "./Caller.ts"

/** An organization's key to the expense side (contract section 3). */
export interface ApiKey {
  readonly organizationId: string
  readonly id: string
  readonly role: Role
  /** The person who made it; null for seeded keys. */
  readonly createdBy: string | null
  /** False for sandbox keys, which live mode does not know. */
  readonly livemode: boolean
  /** Whether the organization's business is verified: live mode serves no other. */
  readonly isVerified: boolean
}

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Undefined for a key that never was, has expired or was revoked. */
    find(key: Redacted.Redacted<string>): Effect.Effect<ApiKey | undefined, Unavailable>
  }
>()("@sarraf/domain/organizations/ApiKeys") {}
