import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { AuthorizationRequest } from "@sarraf/domain/payments/PrepareAuthorization"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { openGateway } from "./Gateway.ts"
import { accepted } from "./SamplePayment.ts"
import { lost, type Script, type ScriptedProvider, scriptedProvider, unanswered } from "./ScriptedProvider.ts"

/** What a provider answers at present; a test changes it as time goes by. */
export interface Says {
  authorize: Outcome
  capture: Outcome
  refund: Outcome
  cancel: Outcome
  complete: Outcome
  query: Finding
}

const scriptOf = (says: Says): Script => ({
  authorize: () => Effect.sync(() => says.authorize),
  capture: () => Effect.sync(() => says.capture),
  refund: () => Effect.sync(() => says.refund),
  cancel: () => Effect.sync(() => says.cancel),
  complete: () => Effect.sync(() => says.complete),
  query: () => Effect.sync(() => says.query)
})

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** A gateway to one provider, `akbank`, that takes an authorization, says nothing more, and accepts what follows. */
export const openTalking = Effect.fnUntraced(function* (
  changes: Partial<Says> = {},
  capabilities: Partial<Capabilities> = {},
  more: Script = {}
) {
  const says: Says = {
    authorize: lost,
    capture: accepted(),
    refund: accepted(),
    cancel: accepted(),
    complete: accepted(),
    query: unanswered,
    ...changes
  }
  const made: Array<ScriptedProvider> = []
  const gateway = yield* openGateway((log) => {
    made.push(scriptedProvider("akbank", log, { ...scriptOf(says), ...more }, capabilities))
    return made
  })
  const [provider] = made
  if (provider === undefined) throw new Error("The gateway was opened without its provider")
  const count = (method: ScriptedProvider["calls"][number]["method"]) =>
    provider.calls.filter((call) => call.method === method).length
  /** Lets time pass in steps, with a look of the reconciler after each. */
  const pass = Effect.fnUntraced(function* (millis: number, step = Math.min(millis, 5 * second)) {
    for (let left = millis; left > 0; left -= step) {
      yield* TestClock.adjust(Math.min(step, left))
      yield* gateway.reconcile
    }
  })
  return {
    ...gateway,
    provider,
    says,
    count,
    pass,
    statusNow: (id: string) => Effect.map(gateway.stored(id), statusOf),
    /** A payment as its request leaves it, which takes half a minute at most. */
    begin: Effect.fnUntraced(function* (asked: Partial<AuthorizationRequest> = {}, key = "key-1") {
      const asking = yield* Effect.forkChild(gateway.authorize(asked, key))
      yield* TestClock.adjust("31 seconds")
      return (yield* Fiber.join(asking)).payment
    }),
    /** An operation as its request leaves it. */
    carryOut: Effect.fnUntraced(function* (...parts: Parameters<typeof gateway.operate>) {
      const asking = yield* Effect.forkChild(gateway.operate(...parts))
      yield* TestClock.adjust("31 seconds")
      return yield* Fiber.join(asking)
    })
  }
})

export type Talking = Effect.Success<ReturnType<typeof openTalking>>
