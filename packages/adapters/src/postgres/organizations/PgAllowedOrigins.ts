import { AllowedOrigins } from "@sarraf/domain/organizations/AllowedOrigins"
import { Cache, Context, Duration, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../orUnavailable.ts"
import { rememberedFor } from "./rememberedCredentials.ts"

const nobody: ReadonlySet<string> = new Set()

/** What this process remembers of origins. */
export class RememberedOrigins extends Context.Service<RememberedOrigins, { readonly forget: Effect.Effect<void> }>()(
  "@sarraf/adapters/postgres/organizations/PgAllowedOrigins/RememberedOrigins"
) {}

/**
 * Allowed origins in PostgreSQL. All of them are kept for some seconds: anybody may ask about any origin, and shall not
 * make the database work.
 */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const load = Effect.gen(function* () {
      const rows = yield* sql<{ origin: string; id: string }>`SELECT unnest(allowed_origins) AS origin, id
        FROM organizations WHERE allowed_origins <> '{}'`
      const byOrigin = Map.groupBy(rows, ({ origin }) => origin)
      return new Map([...byOrigin].map(([origin, listing]) => [origin, new Set(listing.map(({ id }) => id))]))
    })
    const cache = yield* Cache.makeWith((_: "all") => orUnavailable(load), {
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero)
    })
    const origins = AllowedOrigins.of({
      listedBy: (origin) => Effect.map(Cache.get(cache, "all"), (all) => all.get(origin) ?? nobody)
    })
    return Context.make(AllowedOrigins, origins).pipe(
      Context.add(RememberedOrigins, { forget: Effect.asVoid(Cache.invalidate(cache, "all")) })
    )
  })
)
