import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller } from "./Caller.ts"

/** An organization and its settings (contract sections 3 and 6). */
export interface Organization {
  readonly id: string
  readonly name: string
  /** ISO 4217: what amounts in other currencies are converted to, for policies and reports. */
  readonly baseCurrency: string
  /** An IANA name, `Europe/Istanbul`: in it a date, a weekday or a month is meant. */
  readonly timezone: string
  readonly verification: "UNVERIFIED" | "PENDING" | "VERIFIED" | "REJECTED"
  /** Only `x-signature-version: 2` is accepted of its payment clients. */
  readonly strictSignatures: boolean
  /** Whether an API key may decide what an API key of no person made (contract section 3). */
  readonly apiKeysMayApprove: boolean
  /** Whether the only person who could decide may decide a request of their own; audited. */
  readonly soleOwnerMayApprove: boolean
  /** Whether members must have a second factor to sign in. */
  readonly requiresSecondFactor: boolean
  /** Web origins that may call `/api` from a browser with a bearer credential. */
  readonly allowedOrigins: ReadonlyArray<string>
  readonly isSandbox: boolean
  readonly version: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Driven port: the caller's organization. */
export class Organizations extends Context.Service<
  Organizations,
  {
    /** The caller's own; it exists, since the credential names it. */
    readonly current: Effect.Effect<Organization, Unavailable, Caller>
    /** Saves the settings as the next version; false where `before.version` is not the present one. */
    save(before: Organization, after: Organization): Effect.Effect<boolean, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/Organizations") {}
