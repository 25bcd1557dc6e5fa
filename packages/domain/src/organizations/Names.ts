import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "./Caller.ts"

/** Driven port: what people and departments of the caller's organization are called, whoever asks. Unknown ids are left out. */
export class Names extends Context.Service<
  Names,
  {
    of(
      userIds: ReadonlyArray<string>,
      departmentIds: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, string>, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/Names") {}
