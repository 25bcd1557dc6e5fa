import { assert, describe, it } from "@effect/vitest"
import { makeRecentReads } from "@sarraf/adapters/postgres/RecentReads"
import { Schema } from "effect"

const minute = 60_000
const noon = Date.UTC(2026, 10, 1, 12)

const Pause = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90_000 }))

describe("RecentReads", () => {
  it("knows a signature that has read something, and no other", () => {
    const reads = makeRecentReads()
    assert.isFalse(reads.has("a"))
    reads.admit("a", "/x", noon)
    assert.isTrue(reads.has("a"))
    assert.isFalse(reads.has("b"))
  })

  it("counts the second from the first read, not from the last", () => {
    const reads = makeRecentReads()
    assert.isTrue(reads.admit("a", "/1", noon))
    assert.isTrue(reads.admit("a", "/2", noon + 900))
    assert.isFalse(reads.admit("a", "/3", noon + 1_800))
  })

  it("does not let a refused read begin anew", () => {
    const reads = makeRecentReads()
    reads.admit("a", "/1", noon)
    assert.isFalse(reads.admit("a", "/2", noon + 2_000))
    assert.isFalse(reads.admit("a", "/2", noon + 2_500))
  })

  // A client's clock may be five minutes ahead of ours: its signature is accepted for ten minutes.
  it.prop(
    "knows a signature for as long as it can be accepted, whatever else is read meanwhile",
    [Schema.Array(Pause), Schema.Array(Pause)],
    ([before, after]) => {
      const reads = makeRecentReads()
      let now = noon
      for (const [index, pause] of before.entries()) {
        now += pause
        reads.admit(`before ${index}`, "/x", now)
      }
      reads.admit("a", "/x", now)
      const first = now
      for (const [index, pause] of after.entries()) {
        if (now + pause > first + 10 * minute) break
        now += pause
        reads.admit(`after ${index}`, "/x", now)
        assert.isTrue(reads.has("a"), `forgotten after ${(now - first) / 1_000} s`)
      }
    },
    { arbitrary: { runs: 300, size: 40 } }
  )

  it("forgets it some time after that, so that no more is kept than is needed", () => {
    const reads = makeRecentReads()
    reads.admit("a", "/x", noon)
    for (let later = minute; later <= 31 * minute; later += minute) reads.admit("b", "/x", noon + later)
    assert.isFalse(reads.has("a"))
  })
})
