import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Layer } from "effect"
import * as NestPay from "./nestpay/Adapter.ts"
import { profiles } from "./nestpay/profiles.ts"
import * as NestPaySimulator from "./nestpay/Simulator.ts"
import type { OrderBook } from "./OrderBook.ts"
import { ProviderTransport } from "./ProviderTransport.ts"
import type { Settlement, Simulator } from "./Simulator.ts"
import * as Stripe from "./stripe/Adapter.ts"
import * as StripeSimulator from "./stripe/Simulator.ts"

/** The other side of every provider of the sandbox. */
export const sandboxSimulators = (options: {
  readonly orderBook: OrderBook
  readonly settlement: Settlement
}): ReadonlyArray<Simulator> => [
  StripeSimulator.make(options),
  NestPaySimulator.make({ ...options, provider: profiles.isbank.id })
]

/** Every provider of the sandbox, with the credentials that its simulator knows. */
export const layerSandbox = Layer.effect(
  PaymentProviders,
  Effect.map(ProviderTransport, (transport) => {
    const providers: ReadonlyArray<PaymentProvider> = [
      Stripe.make({ transport, credentials: StripeSimulator.sandboxCredentials }),
      NestPay.make({ transport, profile: profiles.isbank, credentials: NestPaySimulator.sandboxCredentials })
    ]
    return new Map(providers.map((provider) => [provider.id, provider]))
  })
)
