import { Context } from "effect"
import type { CardNumber } from "./CardNumber.ts"

/** Keyed digests. A plain hash of a card number exists nowhere (contract section 4). */
export class Fingerprints extends Context.Service<
  Fingerprints,
  {
    /** HMAC-SHA256 of the number under a key of the organization, lower-case hex. */
    card(organizationId: string, number: CardNumber): string
    /** HMAC-SHA256 of any content under a key derived for requests, lower-case hex. */
    content(text: string): string
  }
>()("@sarraf/domain/payments/Fingerprints") {}
