import { assert, type Vitest } from "@effect/vitest"
import { ChallengeSteps } from "@sarraf/domain/payments/ChallengeSteps"
import type { ChallengeOwner } from "@sarraf/domain/payments/ChallengeTokens"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import { Effect, Redacted } from "effect"

const ownerOf = (paymentId: string, organizationId = "org_steps"): ChallengeOwner => ({
  caller: { organizationId, clientId: "shop", livemode: false },
  paymentId
})

const form: BuyerStep = {
  type: "form",
  action: "https://acs.example/auth",
  fields: Redacted.make({ pan: "4000000000003220", cv2: "917", callbackUrl: "https://pay.example/ç?a=1&b=2" })
}
const redirect: BuyerStep = { type: "redirect", url: "https://acs.example/2" }

const shown = (step: BuyerStep | undefined) =>
  step?.type === "form" ? [step.action, Redacted.value(step.fields)] : step?.url

/** What every adapter of the port `ChallengeSteps` keeps. `now` is the time of whoever decides what is over. */
export const challengeStepsContract = <R>(
  it: Vitest.MethodsNonLive<ChallengeSteps | R>,
  now: Effect.Effect<number, never, R>
): void => {
  const keep = (owner: ChallengeOwner, step: BuyerStep, millis = 60_000) =>
    Effect.flatMap(ChallengeSteps, (steps) => Effect.flatMap(now, (at) => steps.keep(owner, step, at + millis)))
  const take = (owner: ChallengeOwner) => Effect.flatMap(ChallengeSteps, (steps) => steps.take(owner))

  it.effect("gives a step out once", () =>
    Effect.gen(function* () {
      yield* keep(ownerOf("txn_once"), form)
      assert.deepStrictEqual(shown(yield* take(ownerOf("txn_once"))), shown(form))
      assert.isUndefined(yield* take(ownerOf("txn_once")))
    })
  )

  it.effect("keeps a redirect as well, and the last of two for one payment", () =>
    Effect.gen(function* () {
      yield* keep(ownerOf("txn_last"), form)
      yield* keep(ownerOf("txn_last"), redirect)
      assert.deepStrictEqual(yield* take(ownerOf("txn_last")), redirect)
    })
  )

  it.effect("gives one step to one of many who ask at once", () =>
    Effect.gen(function* () {
      yield* keep(ownerOf("txn_many"), form)
      const asking = Array.from({ length: 6 }, () => take(ownerOf("txn_many")))
      const taken = yield* Effect.all(asking, { concurrency: "unbounded" })
      assert.strictEqual(taken.filter((step) => step !== undefined).length, 1)
    })
  )

  it.effect("keeps the steps of payments and organizations apart", () =>
    Effect.gen(function* () {
      yield* keep(ownerOf("txn_apart"), form)
      assert.isUndefined(yield* take(ownerOf("txn_apart", "org_other")))
      assert.isUndefined(yield* take(ownerOf("txn_other")))
      assert.isDefined(yield* take(ownerOf("txn_apart")))
    })
  )

  it.effect("gives nothing out of which the time is over, and sweeps that alone", () =>
    Effect.gen(function* () {
      yield* keep(ownerOf("txn_over"), form, -1_000)
      assert.isUndefined(yield* take(ownerOf("txn_over")))
      yield* keep(ownerOf("txn_over"), form, -1_000)
      yield* keep(ownerOf("txn_open"), form)
      yield* Effect.flatMap(ChallengeSteps, ({ sweep }) => sweep)
      assert.isUndefined(yield* take(ownerOf("txn_over")))
      assert.isDefined(yield* take(ownerOf("txn_open")))
    })
  )
}
