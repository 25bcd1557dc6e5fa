import { catalogue } from "@sarraf/adapters/providers/catalogue"
import { ConnectFailed, ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import { Duration, Effect } from "effect"
import type { Patience } from "./unfinished.ts"

/** Nothing is sent: only what the accounts can do is looked at. */
const transport = ProviderTransport.of({ send: () => Effect.fail(new ConnectFailed({ reason: "not connected" })) })

/** What every provider of the sandbox can be asked, and when its silence says something. */
export const patience: ReadonlyMap<string, Patience> = new Map(
  catalogue.map(({ id, sandbox }) => {
    const { absenceProvenAfter, byReference } = sandbox(transport, "").capabilities.query
    return [
      id,
      {
        canBeAsked: byReference,
        absenceProvenAfter: absenceProvenAfter === undefined ? null : Duration.toMillis(absenceProvenAfter)
      }
    ] as const
  })
)

/** The longest proof of a provider that a short run goes to. */
const shortProofMillis = 120_000

/** The providers to which a short run goes first: they can be asked, and their proof does not take long. */
export const swift: ReadonlyArray<string> = [...patience]
  .filter(
    ([, { absenceProvenAfter, canBeAsked }]) =>
      canBeAsked && (absenceProvenAfter ?? Number.POSITIVE_INFINITY) <= shortProofMillis
  )
  .map(([id]) => id)

/** The longest proof there is, which a long run waits for. */
export const longestProofMillis = Math.max(
  ...[...patience.values()].map(({ absenceProvenAfter }) => absenceProvenAfter ?? 0)
)
