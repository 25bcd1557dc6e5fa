import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { BusinessDetails } from "./OrganizationSettingsStore.ts"
import type { Organization } from "./Organizations.ts"

/** An organization as the operator sees it. */
export interface RegisteredOrganization extends Pick<Organization, "id" | "name" | "verification" | "isSandbox"> {
  /** What it submitted last; null where it never did. */
  readonly business: BusinessDetails | null
}

/** Driven port: the organizations of the whole installation, for its operator alone. */
export class OrganizationRegistry extends Context.Service<
  OrganizationRegistry,
  {
    readonly all: Effect.Effect<ReadonlyArray<RegisteredOrganization>, Unavailable>
    /** A new one, not verified and with the usual settings; part of the unit of work that is open. */
    insert(
      organization: Pick<Organization, "id" | "name" | "baseCurrency" | "timezone">
    ): Effect.Effect<void, Unavailable>
  }
>()("@sarraf/domain/organizations/OrganizationRegistry") {}
