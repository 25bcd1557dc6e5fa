import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller, Role } from "./Caller.ts"

/** A person in an organization. The same person may be in several, with a role in each. */
export interface Member {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** INVITED until the one-time link was used; INACTIVE for who has left: its past stays. */
  readonly status: "INVITED" | "ACTIVE" | "INACTIVE"
  readonly departmentId: string | null
  /** Who decides in a step that asks for the manager. */
  readonly managerId: string | null
  readonly version: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** A part of the organization, `dep_…`. */
export interface Department {
  readonly id: string
  readonly name: string
}

/** Driven port: the people of the caller's organization. */
export class Members extends Context.Service<
  Members,
  {
    find(userId: string): Effect.Effect<Member | undefined, Unavailable, Caller>
    /** Everybody, by name. An organization has some thousands at most, so there are no pages. */
    readonly all: Effect.Effect<ReadonlyArray<Member>, Unavailable, Caller>
    readonly departments: Effect.Effect<ReadonlyArray<Department>, Unavailable, Caller>
    /** Whether there is this department; if so it is not removed until the unit of work ends. */
    holdDepartment(id: string): Effect.Effect<boolean, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/Members") {}
