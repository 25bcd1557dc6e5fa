import { Context, Effect } from "effect"

/**
 * `closed`: it answers. `open`: it failed too often a moment ago. `halfOpen`: that moment is over, and the next answer
 * decides.
 */
export type Health = "closed" | "halfOpen" | "open"

/**
 * Whether providers answer, from the calls that were made to them. It only informs routing: no call is refused for it,
 * for a capture or refund has nowhere else to go.
 */
export interface ProviderHealth {
  /** At this moment; a provider that is missing is `closed`. */
  readonly snapshot: Effect.Effect<ReadonlyMap<string, Health>>
  /** `answered`: whatever it said, a refusal too. `failed`: it could not be reached, or its answer was lost. */
  readonly record: (provider: string, outcome: "answered" | "failed") => Effect.Effect<void>
}

/** Without anybody who watches, every provider counts as well. */
export const ProviderHealth = Context.Reference<ProviderHealth>("@sarraf/domain/routing/ProviderHealth", {
  defaultValue: () => ({ snapshot: Effect.succeed(new Map()), record: () => Effect.void })
})
