import { assert, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import { make } from "@sarraf/adapters/providers/nestpay/Adapter"
import { type NestPayProfile, profiles } from "@sarraf/adapters/providers/nestpay/profiles"
import * as Simulator from "@sarraf/adapters/providers/nestpay/Simulator"
import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { Effect } from "effect"
import { open, type Subject } from "../ProviderSession.ts"
import { providerContract } from "../providerContract.ts"
import { authorized } from "../steps.ts"

const subjectOf = (profile: NestPayProfile, currency: PaymentCurrency): Subject => ({
  name: `${profile.id} in ${currency}`,
  currency,
  make: ({ intercept = (send) => send, ...options }) => {
    const simulator = Simulator.make({ ...options, provider: profile.id })
    const credentials = Simulator.sandboxCredentials(options.pagesUrl)
    return { provider: make({ profile, credentials, transport: { send: intercept(simulator.handle) } }), simulator }
  }
})

providerContract(subjectOf(profiles.isbank, "TRY"))
providerContract(subjectOf(profiles.isbank, "EUR"))
providerContract(subjectOf(profiles.ziraat, "TRY"))

it.effect("keeps every bank's orders apart, though they are in one book", () =>
  Effect.gen(function* () {
    const book = MemoryOrderBook.make()
    for (const profile of Object.values(profiles)) {
      const subject = subjectOf(profile, "TRY")
      const before = yield* open(subject, { book })
      assert.strictEqual(before.provider.id, profile.id)
      assert.strictEqual((yield* before.query())._tag, "Absent")
      const after = yield* authorized(subject, { book })
      assert.strictEqual((yield* after.query())._tag, "Found")
    }
  })
)

it("costs the least at isbank, and nowhere the same", () => {
  const costs = Object.values(profiles).map(({ costBasisPoints }) => costBasisPoints)
  assert.strictEqual(new Set(costs).size, costs.length)
  assert.strictEqual(Math.min(...costs), profiles.isbank.costBasisPoints)
})
