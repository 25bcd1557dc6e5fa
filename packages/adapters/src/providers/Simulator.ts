import type { Effect } from "effect"
import type { OrderBook } from "./OrderBook.ts"
import type { ConnectFailed, NoAnswer, ProviderRequest, ProviderResponse } from "./ProviderTransport.ts"

/** When a simulated capture settles: at once, or at the next midnight UTC (`SARRAF_SIMULATOR_SETTLEMENT`). */
export type Settlement = "instant" | "daily"

const day = 86_400_000

/** Of a capture at `now`; both in milliseconds. */
export const settlesAt = (now: number, settlement: Settlement): number =>
  settlement === "instant" ? now : (Math.floor(now / day) + 1) * day

/** What a simulated provider posts to the gateway's notification address, byte for byte. */
export interface PostedNotification {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Milliseconds after the answer that it belongs to; 0 may overtake that answer. */
  readonly delayMillis: number
}

export interface SimulatorOptions {
  /** As in the transaction's `provider`. */
  readonly provider: string
  readonly orderBook: OrderBook
  readonly settlement: Settlement
  /** Where a buyer's browser reaches this simulator, without a slash at its end: `http://localhost:8080/sandbox/stripe`. */
  readonly pagesUrl: string
  /** Posts a notification later and until it is acknowledged; answers at once. */
  readonly notify: (notification: PostedNotification) => Effect.Effect<void>
}

/**
 * A provider's own side of the wire. It reads the bytes with a parser of its own, checks signatures and credentials,
 * keeps an order book, and refuses what the provider refuses. It fails as a network does: `ConnectFailed`, `NoAnswer`.
 * The pages that a buyer's browser sees come to `handle` too, with a URL that begins with `pagesUrl`.
 */
export interface Simulator {
  readonly provider: string
  readonly handle: (request: ProviderRequest) => Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>
}
