import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller } from "./Caller.ts"
import type { Department } from "./Members.ts"

/** A department as it is stored. */
export interface DepartmentRecord extends Department {
  readonly version: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Driven port: departments of the caller's organization. Changes take the lock of `MemberStore` first. */
export class DepartmentStore extends Context.Service<
  DepartmentStore,
  {
    /** Newest first. */
    list(page: PageRequest): Effect.Effect<Page<DepartmentRecord>, Unavailable, Caller>
    find(id: string): Effect.Effect<DepartmentRecord | undefined, Unavailable, Caller>
    /** The one of this name, whatever the case of its letters. */
    named(name: string): Effect.Effect<DepartmentRecord | undefined, Unavailable, Caller>
    insert(department: DepartmentRecord): Effect.Effect<void, Unavailable, Caller>
    save(department: DepartmentRecord): Effect.Effect<void, Unavailable, Caller>
    /** What has the department now, and keeps others from getting it until the unit of work ends. */
    uses(id: string): Effect.Effect<ReadonlyArray<"members" | "expenses">, Unavailable, Caller>
    remove(id: string): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/DepartmentStore") {}
