import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller } from "./Caller.ts"
import type { Membership } from "./People.ts"

/** How long a session lives at most, and without being used (contract section 3). */
export const sessionMillisMax = 7 * 24 * 3_600_000
export const idleMillisMax = 12 * 3_600_000

/** A session as its owner sees it. */
export interface Session {
  /** `ses_…` */
  readonly id: string
  readonly createdAt: Instant
  /** To the minute. */
  readonly lastUsedAt: Instant
  /** It ends then at the latest. */
  readonly expiresAt: Instant
  readonly address: string | null
  readonly userAgent: string | null
}

/** Who a session is of, with the role that they have now. */
export interface SignedIn {
  readonly session: Session
  readonly person: { readonly id: string; readonly email: string }
  readonly membership: Membership
  readonly hasSecondFactor: boolean
}

/** Whether the session may do nothing but set a second factor up, since the organization demands one. */
export const mustEnrol = ({ hasSecondFactor, membership }: Pick<SignedIn, "hasSecondFactor" | "membership">): boolean =>
  membership.requiresSecondFactor && !hasSecondFactor

/** The session that a request came with; undefined for keys and the service's own work. */
export const CurrentSession = Context.Reference<SignedIn | undefined>("@sarraf/domain/organizations/CurrentSession", {
  defaultValue: () => undefined
})

/** Driven port: sessions. Of a token its digest is kept, and nothing else. */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /**
     * The session of this token, if it is not over and its member is ACTIVE. Being found counts as use, which is written
     * down once a minute.
     */
    find(token: Redacted.Redacted<string>): Effect.Effect<SignedIn | undefined, Unavailable>
    /** In a unit of work. */
    insert(
      token: Redacted.Redacted<string>,
      session: Session & { readonly userId: string }
    ): Effect.Effect<void, Unavailable, Caller>
    /** Those of the person in the caller's organization that are not over, newest first. */
    list(userId: string): Effect.Effect<ReadonlyArray<Session>, Unavailable, Caller>
    /** False where the person has no such session in the caller's organization. */
    end(userId: string, id: string): Effect.Effect<boolean, Unavailable, Caller>
    /** All of the person in the caller's organization; how many they were. */
    endAll(userId: string): Effect.Effect<number, Unavailable, Caller>
    /** All of the person in whatever organization, but for `except`; how many they were. */
    endEverywhere(userId: string, except?: string): Effect.Effect<number, Unavailable>
  }
>()("@sarraf/domain/organizations/SessionStore") {}
