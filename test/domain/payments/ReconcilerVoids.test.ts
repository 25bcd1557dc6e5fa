import { assert, describe, it } from "@effect/vitest"
import { ActionRequired } from "@sarraf/domain/payments/Outcome"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { absent, declined, found, lost, unanswered } from "./support/ScriptedProvider.ts"
import { day, hour, minute, openTalking, second } from "./support/TalkingProvider.ts"

const step = { type: "redirect", url: "https://issuer.test/challenge" } as const
const challenge = ActionRequired({ step, answer: { responseCode: null, fields: {} }, echo: {} })
const answers = { PENDING: lost, REQUIRES_ACTION: challenge } as const

/** A payment that its merchant has voided before anybody knew what came of it. */
const voided = Effect.fnUntraced(function* (as: keyof typeof answers, capabilities: Partial<Capabilities> = {}) {
  const gateway = yield* openTalking({ authorize: answers[as] }, capabilities)
  const { id } = yield* gateway.begin({ is3DS: as === "REQUIRES_ACTION" })
  assert.strictEqual(yield* gateway.statusNow(id), as)
  const { operation } = yield* gateway.carryOut(id, { type: "VOID" }, "void")
  assert.deepStrictEqual([yield* gateway.statusNow(id), operation.status], [as, "PENDING"])
  return { ...gateway, id, last: Effect.map(gateway.stored(id), (one) => [statusOf(one), one.operations[0]?.status]) }
})

describe.each(["PENDING", "REQUIRES_ACTION"] as const)(
  "A void of what was %s, which nobody could settle at once",
  (as) => {
    it.effect("ends VOIDED when the provider tells of an approval, which is taken back", () =>
      Effect.gen(function* () {
        const { count, events, id, last, pass, says, stored } = yield* voided(as)
        says.query = found()
        yield* pass(2 * minute)
        assert.deepStrictEqual([yield* last, count("cancel")], [["VOIDED", "SUCCEEDED"], 1])
        assert.deepStrictEqual(rebuild(yield* events(id)), yield* stored(id))
      })
    )

    it.effect("ends VOIDED when the buyer is still with the issuer: what waits there is taken back", () =>
      Effect.gen(function* () {
        const { count, last, pass, says } = yield* voided(as)
        says.query = found({ stage: "ACTION_REQUIRED" })
        yield* pass(2 * minute)
        assert.deepStrictEqual([yield* last, count("cancel")], [["VOIDED", "SUCCEEDED"], 1])
      })
    )

    it.effect("ends VOIDED when the provider has taken it back already", () =>
      Effect.gen(function* () {
        const { count, last, pass, says } = yield* voided(as)
        says.query = found({ stage: "VOIDED" })
        yield* pass(2 * minute)
        assert.deepStrictEqual([yield* last, count("cancel")], [["VOIDED", "SUCCEEDED"], 0])
      })
    )

    it.effect("ends FAILED when it was declined", () =>
      Effect.gen(function* () {
        const { last, pass, says } = yield* voided(as)
        says.query = found({ stage: "DECLINED" })
        yield* pass(2 * minute)
        assert.deepStrictEqual(yield* last, ["FAILED", "SUCCEEDED"])
      })
    )

    it.effect("ends FAILED when its absence is proven, and within two minutes of that", () =>
      Effect.gen(function* () {
        const proof = { query: { byReference: true, absenceProvenAfter: Duration.minutes(12) } }
        const { last, pass, says } = yield* voided(as, proof)
        says.query = absent
        yield* pass(8 * minute)
        assert.deepStrictEqual((yield* last)[1], "PENDING")
        yield* pass(6 * minute)
        assert.deepStrictEqual(yield* last, ["FAILED", "SUCCEEDED"])
      })
    )

    it.effect("is never AUTHORIZED, whatever the provider refuses", () =>
      Effect.gen(function* () {
        const { last, pass, says } = yield* voided(as)
        Object.assign(says, { query: found(), cancel: declined })
        yield* pass(3 * day, 10 * minute)
        assert.deepStrictEqual(yield* last, [as, "PENDING"])
      })
    )

    it.effect("is asked about by the schedule and written nothing for, until a person has to look", () =>
      Effect.gen(function* () {
        const { count, events, id, pass, stored } = yield* voided(as)
        const asked = count("query")
        const written = (yield* events(id)).length
        yield* pass(10 * minute)
        assert.isBelow(count("query") - asked, 6)
        assert.lengthOf(yield* events(id), written)
        assert.isNull((yield* stored(id)).needsReview)
        yield* pass(2 * day, 10 * minute)
        assert.isNotNull((yield* stored(id)).needsReview)
        assert.lengthOf(yield* events(id), written + 1)
      })
    )

    it.effect("is settled once, when the merchant's next void and the reconciler find out at the same moment", () =>
      Effect.gen(function* () {
        const gateway = yield* voided(as)
        const { carryOut, events, id, interference, last, reconcileElsewhere, says } = gateway
        yield* TestClock.adjust(10 * second)
        says.query = found()
        interference.beforeCommit = () => {
          interference.beforeCommit = () => Effect.void
          return Effect.sleep(3 * second)
        }
        const looking = yield* Effect.forkChild(reconcileElsewhere)
        yield* TestClock.adjust(second)
        const { operation } = yield* carryOut(id, { type: "VOID" }, "again")
        yield* Fiber.join(looking)
        assert.deepStrictEqual([operation.status, yield* last], ["SUCCEEDED", ["VOIDED", "SUCCEEDED"]])
        const ended = (yield* events(id)).filter(
          (event) => event.type === "authorization.settled" && event.command === "void"
        )
        assert.lengthOf(ended, 1)
      })
    )

    it.effect("leaves it to the merchant's next void while that is at work", () =>
      Effect.gen(function* () {
        const gateway = yield* voided(as)
        yield* TestClock.adjust(10 * second)
        gateway.interference.afterCommit = (types) =>
          types === "operation.settled" ? Effect.sleep(20 * second) : Effect.void
        const again = yield* Effect.forkChild(gateway.operate(gateway.id, { type: "VOID" }, "again"))
        yield* TestClock.adjust(5 * second)
        const asked = gateway.count("query")
        yield* gateway.reconcileElsewhere
        assert.strictEqual(gateway.count("query"), asked)
        yield* TestClock.adjust(minute)
        yield* Fiber.join(again)
      })
    )
  }
)

describe("A void whose process ended", () => {
  it.effect("is taken up at its deadline", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      const { id } = yield* gateway.begin()
      gateway.interference.afterCommit = (types) => (types === "operation.begun" ? Effect.never : Effect.void)
      const crashed = yield* Effect.forkChild(gateway.operate(id, { type: "VOID" }, "void"))
      yield* TestClock.adjust(20 * second)
      gateway.says.query = found()
      yield* gateway.reconcileElsewhere
      assert.strictEqual(yield* gateway.statusNow(id), "PENDING")
      yield* Effect.forkChild(Effect.repeat(Effect.delay(gateway.reconcileElsewhere, second), { times: 30 }))
      yield* TestClock.adjust(20 * second)
      assert.strictEqual(yield* gateway.statusNow(id), "VOIDED")
      yield* Fiber.interrupt(crashed)
    })
  )

  it.effect("has an approval that is found after its end taken back, as any other", () =>
    Effect.gen(function* () {
      const proof = { query: { byReference: true, absenceProvenAfter: Duration.minutes(1) } }
      const gateway = yield* voided("PENDING", proof)
      gateway.says.query = absent
      yield* gateway.pass(2 * minute)
      assert.strictEqual(yield* gateway.statusNow(gateway.id), "FAILED")
      gateway.says.query = found()
      yield* gateway.pass(hour)
      assert.strictEqual(gateway.count("cancel"), 1)
      gateway.says.query = unanswered
    })
  )
})
