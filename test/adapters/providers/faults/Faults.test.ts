import { describe } from "@effect/vitest"
import { catalogue } from "@sarraf/adapters/providers/catalogue"
import { everyProvider } from "./FaultyGateway.ts"
import { faultContract } from "./faultContract.ts"

/** Providers of one protocol share their adapter and simulator: the first of them is tried at length. */
const firstOfTheirProtocol = new Set(
  catalogue
    .filter(({ protocol }, index) => catalogue.findIndex((one) => one.protocol === protocol) === index)
    .map(({ id }) => id)
)

for (const provider of everyProvider) {
  describe(provider.id, () => faultContract(provider, firstOfTheirProtocol.has(provider.id) ? "twice" : "once"))
}
