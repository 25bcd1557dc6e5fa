import { make } from "@sarraf/adapters/providers/garanti/Adapter"
import * as Simulator from "@sarraf/adapters/providers/garanti/Simulator"
import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { providerContract } from "../providerContract.ts"

const inCurrency = (currency: PaymentCurrency) =>
  providerContract({
    name: `garanti in ${currency}`,
    currency,
    make: ({ intercept = (send) => send, ...options }) => {
      const simulator = Simulator.make({ ...options, provider: "garanti" })
      const credentials = Simulator.sandboxCredentials(options.pagesUrl)
      return { provider: make({ credentials, transport: { send: intercept(simulator.handle) } }), simulator }
    }
  })

inCurrency("TRY")
inCurrency("USD")
