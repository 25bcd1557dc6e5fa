import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "./Caller.ts"

/** Driven port: what things of the caller's organization are called, whoever asks. */
export class Names extends Context.Service<
  Names,
  {
    /** People and departments. Unknown ids are left out. */
    of(
      userIds: ReadonlyArray<string>,
      departmentIds: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, string>, Unavailable, Caller>
    /**
     * These categories, and every one of the organization's expenses that differs from one of them in nothing but case:
     * `software` finds `Software` too.
     */
    categoriesLike(categories: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/Names") {}
