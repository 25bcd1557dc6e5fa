import { Effect } from "effect"
import { ConnectFailed, ProviderTransport } from "./ProviderTransport.ts"
import type { Simulator } from "./Simulator.ts"

/** Carries bytes to the simulators of this process: TEST mode never opens a connection to a provider's host. */
export const make = (simulators: ReadonlyArray<Simulator>): ProviderTransport["Service"] => {
  const byProvider = new Map(simulators.map((simulator) => [simulator.provider, simulator]))
  return ProviderTransport.of({
    send: (request) =>
      byProvider.get(request.provider)?.handle(request) ??
      Effect.fail(new ConnectFailed({ reason: `no simulator for ${request.provider}` }))
  })
}
