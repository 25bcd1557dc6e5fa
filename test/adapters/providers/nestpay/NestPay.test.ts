import { make } from "@sarraf/adapters/providers/nestpay/Adapter"
import { profiles } from "@sarraf/adapters/providers/nestpay/profiles"
import * as Simulator from "@sarraf/adapters/providers/nestpay/Simulator"
import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { providerContract } from "../providerContract.ts"

const inCurrency = (currency: PaymentCurrency) =>
  providerContract({
    name: `isbank in ${currency}`,
    currency,
    make: ({ book, settlement, intercept = (send) => send }) => {
      const profile = profiles.isbank
      const simulator = Simulator.make({ provider: profile.id, orderBook: book, settlement })
      const transport = { send: intercept(simulator.handle) }
      return make({ profile, credentials: Simulator.sandboxCredentials, transport })
    }
  })

inCurrency("TRY")
inCurrency("EUR")
