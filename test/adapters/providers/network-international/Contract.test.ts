import { make } from "@sarraf/adapters/providers/network-international/Adapter"
import * as Simulator from "@sarraf/adapters/providers/network-international/Simulator"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import type { Send } from "../ProviderSession.ts"
import { providerContract } from "../providerContract.ts"

const provider = "network-international"

/**
 * The suite's bad connections begin where money is at stake: without a token or an order no card goes out, which is
 * certain whatever became of those two, and is tried in `Authorization.test.ts`.
 */
const fromTheCardOn =
  (intercept: (send: Send) => Send) =>
  (send: Send): Send =>
  (request) =>
    request.method === "POST" && /\/(?:access-token|orders)$/u.test(request.url)
      ? send(request)
      : intercept(send)(request)

providerContract({
  name: "N-Genius",
  currency: "AED",
  make: ({ intercept = (send) => send, ...options }) => {
    const simulator = Simulator.make({ provider, ...options })
    const { send } = SimulatedTransport.make([simulator])
    const credentials = Simulator.sandboxCredentials(options.pagesUrl)
    return { simulator, provider: make({ credentials, transport: { send: fromTheCardOn(intercept)(send) } }) }
  }
})
