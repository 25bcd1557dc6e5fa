import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller } from "./Caller.ts"

/** What a one-time link is for. */
export type AccountLinkKind = "invitation" | "password_reset"

/** How long each can be used. */
export const linkMillisMax: Readonly<Record<AccountLinkKind, number>> = {
  invitation: 7 * 24 * 3_600_000,
  password_reset: 24 * 3_600_000
}

export interface AccountLink {
  readonly organizationId: string
  readonly userId: string
  readonly kind: AccountLinkKind
  readonly expiresAt: Instant
}

/** Driven port: one-time links. Of a token its digest is kept, and nothing else. */
export class AccountLinks extends Context.Service<
  AccountLinks,
  {
    /** Undefined for one that never was, was used, was replaced, or whose time is over. */
    find(token: Redacted.Redacted<string>): Effect.Effect<AccountLink | undefined, Unavailable>
    /** In the place of the member's former link of this kind, which is dead from then on. */
    put(
      token: Redacted.Redacted<string>,
      link: Omit<AccountLink, "organizationId">
    ): Effect.Effect<void, Unavailable, Caller>
    /** In a unit of work: true for one of those who use the link at once, and for nobody after. */
    spend(token: Redacted.Redacted<string>): Effect.Effect<boolean, Unavailable, Caller>
    /** All links for the member. */
    revoke(userId: string): Effect.Effect<void, Unavailable, Caller>
    /** All links that the member made for others, in person or through a key of theirs. */
    revokeMadeBy(userId: string): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/AccountLinks") {}
