import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"

/** Driven port: which web origins may call `/api` from a browser, and for which organizations (contract section 3). */
export class AllowedOrigins extends Context.Service<
  AllowedOrigins,
  {
    /** The organizations that list the origin. A change of theirs is noticed within five seconds. */
    listedBy(origin: string): Effect.Effect<ReadonlySet<string>, Unavailable>
  }
>()("@sarraf/domain/organizations/AllowedOrigins") {}
