import { make } from "@sarraf/adapters/providers/nestpay/Adapter"
import { profiles } from "@sarraf/adapters/providers/nestpay/profiles"
import * as Simulator from "@sarraf/adapters/providers/nestpay/Simulator"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import { providerContract } from "../providerContract.ts"

providerContract({
  name: "NestPay",
  currency: "TRY",
  make: ({ book, settlement, intercept = (send) => send }) => {
    const profile = profiles.isbank
    const simulator = Simulator.make({ provider: profile.id, orderBook: book, settlement })
    const { send } = SimulatedTransport.make([simulator])
    return make({ profile, credentials: Simulator.sandboxCredentials, transport: { send: intercept(send) } })
  }
})
