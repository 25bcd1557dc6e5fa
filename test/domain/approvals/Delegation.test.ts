import { assert, describe, it } from "@effect/vitest"
import { isInForce, overlaps } from "@sarraf/domain/approvals/Delegation"
import { Schema } from "effect"

const Time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
const Period = Schema.Struct({ startsAt: Time, endsAt: Time, endedAt: Schema.NullOr(Time) })
const moments = Array.from({ length: 22 }, (_, moment) => moment)

describe("A delegation's period", () => {
  it("begins with its first moment and is over at its last", () => {
    const period = { startsAt: 10, endsAt: 20, endedAt: null }
    assert.deepStrictEqual(
      moments.filter((at) => isInForce(period, at)),
      [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
    )
    assert.deepStrictEqual(
      moments.filter((at) => isInForce({ ...period, endedAt: 12 }, at)),
      [10, 11]
    )
  })

  it.prop("overlaps another where both are in force at some moment", [Period, Period], ([one, other]) => {
    assert.strictEqual(
      overlaps(one, other),
      moments.some((at) => isInForce(one, at) && isInForce(other, at))
    )
  })
})
