import { Context } from "effect"

/** The gateway's patience, in milliseconds (contract sections 4 and 8). */
export interface GatewayLimits {
  /** One call to one provider. */
  readonly attemptMillis: number
  /** The whole request. */
  readonly requestMillis: number
  /** Another provider is tried only with this much of the request left. */
  readonly failoverMillisLeft: number
  /** How long a second operation on a payment waits for the first. */
  readonly queueMillis: number
  /** How long a request waits for a provider's final word on an operation before it answers 202. */
  readonly finalWordMillis: number
}

export const GatewayLimits = Context.Reference<GatewayLimits>("@sarraf/domain/payments/GatewayLimits", {
  defaultValue: () => ({
    attemptMillis: 25_000,
    requestMillis: 30_000,
    failoverMillisLeft: 8_000,
    queueMillis: 10_000,
    finalWordMillis: 5_000
  })
})
