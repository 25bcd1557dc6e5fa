import type { Effect } from "effect"
import type { ConnectFailed, NoAnswer, ProviderRequest, ProviderResponse } from "./ProviderTransport.ts"

/** When a simulated capture settles: at once, or at the next midnight UTC (`SARRAF_SIMULATOR_SETTLEMENT`). */
export type Settlement = "instant" | "daily"

/**
 * A provider's own side of the wire. It reads the bytes with a parser of its own, checks signatures and credentials,
 * keeps an order book, and refuses what the provider refuses. It fails as a network does: `ConnectFailed`, `NoAnswer`.
 */
export interface Simulator {
  readonly provider: string
  readonly handle: (request: ProviderRequest) => Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>
}
