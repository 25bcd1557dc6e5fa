import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller } from "./Caller.ts"
import type { Organization } from "./Organizations.ts"

/** What an organization says of its business, for the operator to check (contract section 3). */
export interface BusinessDetails {
  readonly legalName: string
  readonly registrationNumber: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly website: string | null
}

/** Driven port: what settings of the caller's organization need beside its row. */
export class OrganizationSettingsStore extends Context.Service<
  OrganizationSettingsStore,
  {
    /** In a unit of work: the organization, which nobody else changes until it ends. */
    readonly lock: Effect.Effect<Organization, Unavailable, Caller>
    readonly hasExpenses: Effect.Effect<boolean, Unavailable, Caller>
    /** Keeps what was submitted, as the newest submission. */
    submit(details: BusinessDetails, at: Instant): Effect.Effect<void, Unavailable, Caller>
    /** In a unit of work: this process forgets from its commit on what it remembers of the organization; others in five seconds. */
    readonly forgetRemembered: Effect.Effect<void, never, Caller>
  }
>()("@sarraf/domain/organizations/OrganizationSettingsStore") {}
