import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { Result, Schema, type SchemaIssue } from "effect"
import type { ProviderTransport } from "./ProviderTransport.ts"
import type { Simulator, SimulatorOptions } from "./Simulator.ts"

/** A provider as the catalogue lists it: how it is told of, and how an account of it is made for live use and for the sandbox. */
export interface ProviderEntry {
  /** As in the transaction's `provider`. */
  readonly id: string
  readonly displayName: string
  /** In a few words: `NestPay XML`. */
  readonly protocol: string
  /** An account from what the providers' file says of it; the fault where that is not complete. */
  readonly live: (
    transport: ProviderTransport["Service"],
    credentials: unknown
  ) => Result.Result<PaymentProvider, SchemaIssue.Issue>
  /** The account that the provider's simulator knows. */
  readonly sandbox: (transport: ProviderTransport["Service"], pagesUrl: string) => PaymentProvider
  readonly simulator: (options: SimulatorOptions) => Simulator
}

/** An entry of a provider whose credentials are of type `C`. */
export const makeEntry = <C, E>(provider: {
  readonly id: string
  readonly displayName: string
  readonly protocol: string
  readonly credentials: Schema.Codec<C, E>
  readonly make: (account: {
    readonly transport: ProviderTransport["Service"]
    readonly credentials: C
  }) => PaymentProvider
  readonly sandboxCredentials: (pagesUrl: string) => C
  readonly simulator: (options: SimulatorOptions) => Simulator
}): ProviderEntry => {
  // A secret is text in the file and `Redacted` from here on.
  const decode = Schema.decodeUnknownResult(Schema.toCodecJson(provider.credentials))
  const { displayName, id, make, protocol, sandboxCredentials, simulator } = provider
  return {
    id,
    displayName,
    protocol,
    simulator,
    live: (transport, credentials) =>
      Result.mapBoth(decode(credentials, { errors: "all", onExcessProperty: "error" }), {
        onSuccess: (decoded) => make({ transport, credentials: decoded }),
        onFailure: ({ issue }) => issue
      }),
    sandbox: (transport, pagesUrl) => make({ transport, credentials: sandboxCredentials(pagesUrl) })
  }
}
