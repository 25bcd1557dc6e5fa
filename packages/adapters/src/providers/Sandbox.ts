import { type PaymentProvider, PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Layer } from "effect"
import { catalogue } from "./catalogue.ts"
import { ProviderTransport } from "./ProviderTransport.ts"
import type { Simulator, SimulatorOptions } from "./Simulator.ts"

/** The other side of every provider of the sandbox: where a browser reaches each, and where each posts to. */
export const sandboxSimulators = (
  options: Pick<SimulatorOptions, "orderBook" | "settlement"> & {
    readonly pagesUrl: (provider: string) => string
    readonly notify: (provider: string) => SimulatorOptions["notify"]
  }
): ReadonlyArray<Simulator> => {
  const { notify, orderBook, pagesUrl, settlement } = options
  return catalogue.map(({ id, simulator }) =>
    simulator({ provider: id, orderBook, settlement, pagesUrl: pagesUrl(id), notify: notify(id) })
  )
}

/** Every provider of the sandbox, with the credentials that its simulator knows. */
export const layer = (pagesUrl: (provider: string) => string) =>
  Layer.effect(
    PaymentProviders,
    Effect.map(
      ProviderTransport,
      (transport): ReadonlyMap<string, PaymentProvider> =>
        new Map(catalogue.map(({ id, sandbox }) => [id, sandbox(transport, pagesUrl(id))]))
    )
  )
