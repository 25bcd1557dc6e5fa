import type { ProviderEntry } from "@sarraf/adapters/providers/ProviderEntry"
import type { ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import type { PostedNotification, Simulator } from "@sarraf/adapters/providers/Simulator"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import type { Effect } from "effect"
import type { CopiedBook } from "./CopiedBook.ts"

/** The other side of the wire: what is needed to hold our books against the providers'. */
export interface Counterparties {
  /** The adapters, by the provider's id. */
  readonly providers: ReadonlyMap<string, PaymentProvider>
  /** Of all simulators together. */
  readonly book: CopiedBook
  /** What the simulators have posted so far. */
  readonly posted: ReadonlyArray<{ readonly provider: string; readonly notification: PostedNotification }>
}

/** Where a buyer's browser reaches a provider's simulator. */
export const pagesUrlOf = (id: string) => `http://sandbox.test:8080/sandbox/${id}`

/**
 * The simulators and adapters of some providers on a book; what the simulators post goes to `notify`. What lies between
 * the two is `transportTo`: nothing, unless it is given.
 */
export const openProviders = (
  entries: ReadonlyArray<ProviderEntry>,
  book: CopiedBook,
  notify: (provider: string, posted: PostedNotification) => Effect.Effect<void>,
  transportTo: (simulators: ReadonlyArray<Simulator>) => ProviderTransport["Service"] = SimulatedTransport.make
) => {
  const simulators = entries.map(({ id, simulator }) =>
    simulator({
      provider: id,
      orderBook: book,
      settlement: "instant",
      pagesUrl: pagesUrlOf(id),
      notify: (posted) => notify(id, posted)
    })
  )
  const transport = transportTo(simulators)
  return {
    simulators: new Map(simulators.map((one) => [one.provider, one])),
    providers: entries.map(({ id, sandbox }) => sandbox(transport, pagesUrlOf(id)))
  }
}
