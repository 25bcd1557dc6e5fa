import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
import * as Simulator from "@sarraf/adapters/providers/stripe/Simulator"
import type { Subject } from "../ProviderSession.ts"

/** Stripe's adapter on its simulator. */
export const subject: Subject = {
  name: "Stripe",
  currency: "USD",
  make: ({ intercept = (send) => send, ...options }) => {
    const simulator = Simulator.make({ provider: "stripe", ...options })
    const { send } = SimulatedTransport.make([simulator])
    const credentials = Simulator.sandboxCredentials(options.pagesUrl)
    return { provider: make({ credentials, transport: { send: intercept(send) } }), simulator }
  }
}
