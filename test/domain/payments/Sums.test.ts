import { assert, describe, it } from "@effect/vitest"
import { capturable, isSound, noSums, refundable, type Sums } from "@sarraf/domain/payments/Sums"
import { Schema } from "effect"

const Small = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -1n, maximum: 6n }))
const AnySums = Schema.Struct({
  authorized: Small,
  captured: Small,
  capturePending: Small,
  released: Small,
  refunded: Small,
  refundPending: Small,
  disputed: Small
})

const sums = (changes: Partial<Sums>): Sums => ({ ...noSums, ...changes })

describe("isSound", () => {
  it.prop(
    "holds exactly where nothing is negative and nothing is more than what it is a part of",
    [AnySums],
    ([drawn]) => {
      const { authorized, captured, capturePending, disputed, refunded, refundPending, released } = drawn
      const parts = [captured, capturePending, released, refunded, refundPending, disputed]
      const isWhole = captured + capturePending + released <= authorized && refunded + refundPending <= captured
      assert.strictEqual(isSound(drawn), parts.every((part) => part >= 0n) && isWhole)
    },
    { arbitrary: { runs: 2_000 } }
  )

  it.each([
    ["more captured than authorized", { authorized: 5n, captured: 6n }],
    ["more refunded than captured", { authorized: 5n, captured: 3n, refunded: 4n }],
    ["more under way to be refunded than captured", { authorized: 5n, captured: 3n, refunded: 2n, refundPending: 2n }],
    ["more released than authorized", { authorized: 5n, captured: 3n, released: 3n }],
    ["something negative", { authorized: 5n, captured: 3n, capturePending: -1n }]
  ])("does not hold with %s", (_, changes) => {
    assert.isFalse(isSound(sums(changes)))
  })
})

describe("What is left", () => {
  it("to capture excludes what is captured, under way and released", () => {
    assert.strictEqual(capturable(sums({ authorized: 10n, captured: 3n, capturePending: 2n, released: 1n })), 4n)
  })

  it("to refund excludes what is refunded, under way and disputed", () => {
    const taken = sums({ authorized: 10n, captured: 9n, refunded: 3n, refundPending: 2n, disputed: 1n })
    assert.strictEqual(refundable(taken), 3n)
  })

  it("to refund is nothing where a dispute takes more than is left", () => {
    assert.strictEqual(refundable(sums({ authorized: 10n, captured: 9n, refunded: 5n, disputed: 9n })), 0n)
  })
})
