import { make } from "@sarraf/adapters/providers/iyzico/Adapter"
import * as Simulator from "@sarraf/adapters/providers/iyzico/Simulator"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import { providerContract } from "../providerContract.ts"

providerContract({
  name: "iyzico",
  currency: "TRY",
  make: ({ intercept = (send) => send, ...options }) => {
    const simulator = Simulator.make({ ...options, provider: "iyzico" })
    const { send } = SimulatedTransport.make([simulator])
    return {
      provider: make({ credentials: Simulator.sandboxCredentials(), transport: { send: intercept(send) } }),
      simulator
    }
  }
})
