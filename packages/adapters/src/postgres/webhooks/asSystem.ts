import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect } from "effect"

/** Runs what the service does of its own accord for an organization; the audit trail names it `system`. */
export const asSystem = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  organizationId: string
): Effect.Effect<A, E, Exclude<R, Caller>> =>
  Effect.provideService(effect, Caller, {
    organizationId,
    role: "OWNER",
    name: "system",
    kind: "system",
    userId: null,
    createdBy: null
  })
