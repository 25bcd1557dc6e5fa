import { Context, type Effect, type Redacted } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"

/** A merchant's gateway credential. */
export interface PaymentClient {
  readonly organizationId: string
  /** The `x-client-id`. */
  readonly clientId: string
  /** False for sandbox credentials, which live mode does not know. */
  readonly livemode: boolean
  /** Whether the organization's business is verified: live mode takes payments of no other. */
  readonly isVerified: boolean
  /** The secrets that are valid now: two while one is being rotated (contract section 3). */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** Only `x-signature-version: 2` is accepted. */
  readonly strictSignatures: boolean
}

export class PaymentClients extends Context.Service<
  PaymentClients,
  {
    /** Undefined for an unknown client, which is answered like a wrong signature. */
    find(clientId: string): Effect.Effect<PaymentClient | undefined, Unavailable>
  }
>()("@sarraf/domain/organizations/PaymentClients") {}
