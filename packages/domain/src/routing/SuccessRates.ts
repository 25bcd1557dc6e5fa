import { Context, Effect } from "effect"

/** What a provider's share of approved payments is taken for, 0…1, until an organization's own payments tell. */
export const priorSuccessRate = 0.95

/** How many of an organization's payments each provider approves. */
export interface SuccessRates {
  /**
   * Shares of approved payments by provider, 0…1. A provider is missing where the organization has too few decided
   * payments there: then `priorSuccessRate` stands. Costs a payment no statement of its own, and never fails.
   */
  readonly of: (organizationId: string) => Effect.Effect<ReadonlyMap<string, number>>
}

/** Without anybody who counts, the prior stands for all. */
export const SuccessRates = Context.Reference<SuccessRates>("@sarraf/domain/routing/SuccessRates", {
  defaultValue: () => ({ of: () => Effect.succeed(new Map()) })
})
