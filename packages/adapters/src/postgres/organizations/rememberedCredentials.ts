import { Cache, Duration, Effect, Exit } from "effect"

/** A revoked, expired or rotated credential is noticed by every process within this time (contract section 3). */
export const rememberedFor = Duration.seconds(5)

/** Different credentials that are remembered at once, unknown ones too. */
const capacity = 10_000

/** Look-ups of credentials, each kept a few seconds where it succeeded. */
export const remembered = <A extends { readonly organizationId: string }, E, R>(
  load: (key: string) => Effect.Effect<A | undefined, E, R>
) =>
  Effect.map(
    // An unknown one is looked up again each time the entry ages out, like a known one: same answer, same time.
    Cache.makeWith(load, {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero)
    }),
    (cache) => ({
      get: (key: string) => Cache.get(cache, key),
      /** Asks anew about an organization's credentials, about unknown ones, and about what is being looked up now. */
      forget: (organizationId: string): Effect.Effect<void> =>
        Effect.gen(function* () {
          const entries = new Map(yield* Cache.entries(cache))
          for (const key of yield* Cache.keys(cache)) {
            const entry = entries.get(key)
            if (entry === undefined || entry.organizationId === organizationId) yield* Cache.invalidate(cache, key)
          }
        })
    })
  )
