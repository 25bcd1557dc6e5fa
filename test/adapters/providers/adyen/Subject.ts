import { make } from "@sarraf/adapters/providers/adyen/Adapter"
import * as Simulator from "@sarraf/adapters/providers/adyen/Simulator"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import type { Subject } from "../ProviderSession.ts"

export const subject: Subject = {
  name: "Adyen",
  currency: "EUR",
  make: ({ intercept = (send) => send, ...options }) => {
    const simulator = Simulator.make({ provider: "adyen", ...options })
    const { send } = SimulatedTransport.make([simulator])
    const credentials = Simulator.sandboxCredentials(options.pagesUrl)
    return { provider: make({ credentials, transport: { send: intercept(send) } }), simulator }
  }
}
