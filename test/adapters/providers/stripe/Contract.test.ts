import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
import * as Simulator from "@sarraf/adapters/providers/stripe/Simulator"
import { providerContract } from "../providerContract.ts"

providerContract({
  name: "Stripe",
  currency: "USD",
  make: ({ book, intercept = (send) => send }) => {
    const { send } = SimulatedTransport.make([Simulator.make({ orderBook: book })])
    return make({ credentials: Simulator.sandboxCredentials, transport: { send: intercept(send) } })
  }
})
