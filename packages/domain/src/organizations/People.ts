import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Member } from "./Members.ts"

/** A person, who has one password for all organizations that they are a member of. */
export interface Person {
  readonly id: string
  /** In lower case. */
  readonly email: string
  readonly name: string
  /** Null until the first invitation was accepted. */
  readonly passwordHash: Redacted.Redacted<string> | null
  /** Sealed; null without a second factor. */
  readonly secondFactor: string | null
  /** Sealed: one that was made and not confirmed by a code yet. */
  readonly pendingSecondFactor: string | null
  /** Where they signed in last. */
  readonly lastOrganizationId: string | null
}

/** A person's part in an organization, with what a session needs to know of that. */
export interface Membership extends Pick<Member, "role" | "status"> {
  readonly organizationId: string
  readonly organizationName: string
  readonly baseCurrency: string
  readonly timezone: string
  readonly isSandbox: boolean
  readonly requiresSecondFactor: boolean
  /** Of the member, which each organization writes as it likes. */
  readonly name: string
}

/**
 * Driven port: persons, who belong to no organization. Read before it is known who asks, so that no method takes a Caller;
 * inside a unit of work each is a part of it.
 */
export class People extends Context.Service<
  People,
  {
    /** By the address in lower case. */
    findByEmail(email: string): Effect.Effect<Person | undefined, Unavailable>
    find(userId: string): Effect.Effect<Person | undefined, Unavailable>
    /** All of them, whatever their status, the oldest first. */
    memberships(userId: string): Effect.Effect<ReadonlyArray<Membership>, Unavailable>
    /** The person who has the address already, else a new one with this id. */
    findOrInsert(person: Pick<Person, "id" | "email" | "name">): Effect.Effect<Person, Unavailable>
    /** Remembers where they signed in; false where the password is no longer the one that was compared. */
    noteSignIn(person: Person, organizationId: string): Effect.Effect<boolean, Unavailable>
    /** False where the password is no longer the one that `person` has. */
    setPassword(person: Person, hash: Redacted.Redacted<string>): Effect.Effect<boolean, Unavailable>
    /** Keeps one that waits for its first code, in place of an earlier such; false where one is in use. */
    beginSecondFactor(userId: string, sealed: string): Effect.Effect<boolean, Unavailable>
    /** Takes the waiting one into use; its step counts as used. False where it is not the waiting one any more. */
    confirmSecondFactor(userId: string, sealed: string, step: number): Effect.Effect<boolean, Unavailable>
    /** False where a code of this step or a later one was used before. */
    spendStep(userId: string, step: number): Effect.Effect<boolean, Unavailable>
    removeSecondFactor(userId: string): Effect.Effect<void, Unavailable>
  }
>()("@sarraf/domain/organizations/People") {}
