import { assert, describe, it } from "@effect/vitest"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Effect } from "effect"
import { challenge, challenged } from "./support/ChallengedBuyer.ts"

describe("A return that settles nothing", () => {
  it.effect("is taken to the provider again and again, but not for ever, and the challenge stays open", () =>
    Effect.gen(function* () {
      const { comeBack, count, stage } = yield* challenged({ complete: challenge() })
      for (let returns = 0; returns < 100; returns++) yield* comeBack()
      const { version } = yield* comeBack()
      const taken = count("complete")
      assert.isAbove(taken, 15)
      assert.isBelow(taken, 40)
      const after = yield* comeBack()
      assert.deepStrictEqual([statusOf(after), after.version, count("complete")], ["REQUIRES_ACTION", version, taken])
      assert.strictEqual(yield* stage, "open")
    })
  )
})
