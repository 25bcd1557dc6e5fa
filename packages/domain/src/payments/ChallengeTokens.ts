import { Context } from "effect"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"

/** Which payment's challenge a token stands for, and whose it is. */
export interface ChallengeOwner {
  readonly caller: GatewayCaller["Service"]
  /** `txn_…` */
  readonly paymentId: string
}

/**
 * The secret part of a hosted 3D Secure page's address. A token cannot be guessed or changed, and tells nothing to who
 * reads it; the same owner always has the same one, so that a repeated answer shows the same address.
 */
export class ChallengeTokens extends Context.Service<
  ChallengeTokens,
  {
    /** The page's address, `{base_url}/pf/v1/3ds/{token}`; the browser comes back to the same with `/return` behind it. */
    urlOf(owner: ChallengeOwner): string
    /** Undefined for what is no token of this installation. */
    read(token: string): ChallengeOwner | undefined
  }
>()("@sarraf/domain/payments/ChallengeTokens") {}
