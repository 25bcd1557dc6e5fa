import { type ProviderResponse, ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import * as SimulatedTransport from "@sarraf/adapters/providers/SimulatedTransport"
import type { Simulator } from "@sarraf/adapters/providers/Simulator"
import { Context, Effect } from "effect"
import type { Fault } from "../../../../sim/Fault.ts"

/** One payment's way to the providers: what happens to each of its requests, counted from 1. */
export interface Wire {
  faults: ReadonlyMap<number, Fault>
  /** The provider's answers to another payment's requests, by the same count. */
  elsewhere: ReadonlyMap<number, ProviderResponse>
  requests: number
  /** The number of the first request that was a question about the payment; 0 where there was none. */
  firstQuestion: number
  answers: Map<number, ProviderResponse>
  last: ProviderResponse | undefined
}

export const makeWire = (): Wire => ({
  faults: new Map(),
  elsewhere: new Map(),
  requests: 0,
  firstQuestion: 0,
  answers: new Map(),
  last: undefined
})

/** Counts from 1 again, and lets these faults happen from now on. */
export const arm = (
  wire: Wire,
  faults: ReadonlyMap<number, Fault> = new Map(),
  elsewhere: Wire["elsewhere"] = new Map()
): void => {
  wire.faults = faults
  wire.elsewhere = elsewhere
  wire.requests = 0
  wire.firstQuestion = 0
  wire.answers = new Map()
}

/** The wire of the payment that a fiber works on. What belongs to none, such as the reconciler's look, is never disturbed. */
export const CurrentWire = Context.Reference<Wire | undefined>("@sarraf/test/adapters/providers/faults/CurrentWire", {
  defaultValue: () => undefined
})

/** Carries bytes to the simulators, past whatever the wire of the payment at hand does to them. */
export const transportTo = (simulators: ReadonlyArray<Simulator>): ProviderTransport["Service"] => {
  const { send } = SimulatedTransport.make(simulators)
  return ProviderTransport.of({
    send: (request) =>
      Effect.gen(function* () {
        const wire = yield* CurrentWire
        if (wire === undefined) return yield* send(request)
        wire.requests += 1
        const number = wire.requests
        const before = wire.last
        const pass = Effect.tap(send(request), (response) =>
          Effect.sync(() => {
            wire.answers.set(number, response)
            wire.last = response
          })
        )
        const elsewhere = wire.elsewhere.get(number)
        return yield* wire.faults.get(number)?.strike({ pass, before, elsewhere }) ?? pass
      })
  })
}
