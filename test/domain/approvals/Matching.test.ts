import { assert, describe, it } from "@effect/vitest"
import { placesShort, placesTaken } from "@sarraf/domain/approvals/Matching"
import { Schema } from "effect"
import { canFill, emptyInSome } from "./support/Oracle.ts"

const Places = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))
const Candidates = Schema.Array(
  Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))).check(Schema.isMaxLength(3))
).check(Schema.isMaxLength(5))

const within = (candidates: ReadonlyArray<ReadonlyArray<number>>, places: number) =>
  candidates.map((possible) => possible.filter((place) => place < places))

describe("Places and who takes them", () => {
  it.prop("all places are taken exactly where some assignment takes all", [Candidates, Places], ([any, places]) => {
    const candidates = within(any, places)
    assert.strictEqual(placesTaken(candidates, places) === places, canFill(candidates, places))
  })

  it.prop("a place is short where some best assignment leaves it empty", [Candidates, Places], ([any, places]) => {
    const candidates = within(any, places)
    assert.deepStrictEqual([...placesShort(candidates, places)].sort(), emptyInSome(candidates, places))
  })

  it("one candidate takes one place, and gives it up where another needs it", () => {
    assert.strictEqual(placesTaken([[0, 1]], 2), 1)
    assert.strictEqual(placesTaken([[0, 1], [0]], 2), 2)
    assert.deepStrictEqual([...placesShort([[0, 1], [2]], 3)].sort(), [0, 1])
  })
})
