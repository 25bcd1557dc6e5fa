import { assert, describe, it } from "@effect/vitest"
import { makeRecentReads } from "@sarraf/adapters/postgres/RecentReads"

const minute = 60_000
const noon = Date.UTC(2026, 10, 1, 12)

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
  it("knows a signature for as long as it can be accepted, whenever it came, and whatever else is read", () => {
    for (let seconds = 0; seconds <= 1_300; seconds += 10) {
      const reads = makeRecentReads()
      const first = noon + seconds * 1_000
      for (let now = noon; now < first; now += 1_000) reads.admit("before", "/x", now)
      reads.admit("a", "/x", first)
      for (let now = first; now <= first + 10 * minute; now += 1_000) {
        reads.admit("after", "/x", now)
        if (!reads.has("a")) assert.fail(`read after ${seconds} s, forgotten ${(now - first) / 1_000} s later`)
      }
    }
  })

  it("forgets it some time after that, so that no more is kept than is needed", () => {
    const reads = makeRecentReads()
    reads.admit("a", "/x", noon)
    for (let later = minute; later <= 31 * minute; later += minute) reads.admit("b", "/x", noon + later)
    assert.isFalse(reads.has("a"))
  })
})
