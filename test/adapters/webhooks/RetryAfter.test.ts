import { assert, describe, it } from "@effect/vitest"
import { retryAfter } from "@sarraf/adapters/webhooks/RetryAfter"
import { Schema } from "effect"

const day = 86_400_000
const now = Date.UTC(2026, 10, 21, 12)
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 * 86_400 }))

describe("Retry-After", () => {
  it.prop("is a number of seconds from the answer on", [Seconds], ([seconds]) => {
    assert.strictEqual(retryAfter(String(seconds), now), now + seconds * 1_000)
  })

  it.prop("or a date", [Seconds], ([seconds]) => {
    assert.strictEqual(retryAfter(new Date(now + seconds * 1_000).toUTCString(), now), now + seconds * 1_000)
  })

  it("in each of the three forms that HTTP has", () => {
    const until = Date.UTC(2026, 10, 22, 8, 49, 37)
    assert.strictEqual(retryAfter("Sun, 22 Nov 2026 08:49:37 GMT", now), until)
    assert.strictEqual(retryAfter("Sunday, 22-Nov-26 08:49:37 GMT", now), until)
    assert.strictEqual(retryAfter("Sun Nov 22 08:49:37 2026", now), until)
    assert.strictEqual(retryAfter("Sun Nov  1 08:49:37 2026", Date.UTC(2026, 9, 31)), Date.UTC(2026, 10, 1, 8, 49, 37))
  })

  it("whose two-digit year is never more than 50 years ahead", () => {
    assert.isNull(retryAfter("Sunday, 06-Nov-94 08:49:37 GMT", now))
    const inTheEighties = Date.UTC(2080, 11, 31)
    assert.strictEqual(retryAfter("Wednesday, 01-Jan-81 00:00:00 GMT", inTheEighties), Date.UTC(2081, 0, 1))
    assert.strictEqual(retryAfter("Thursday, 01-Jan-00 00:00:00 GMT", Date.UTC(2099, 11, 31)), null)
  })

  it("is nothing where it is past, now, left out, or not to be understood", () => {
    const none = [undefined, "", "0", "-5", "1.5", "1e3", "soon", "Sat, 21 Nov 2026 12:00:00 GMT", "2026-11-22", "0x10"]
    const broken = ["Sun, 32 Nov 2026 08:49:37 GMT", "Sun, 22 Foo 2026 08:49:37 GMT", "Sun, 22 Nov 2026 25:49:37 GMT"]
    for (const text of [...none, ...broken]) assert.isNull(retryAfter(text, now), text)
  })

  it("is never more than 30 days", () => {
    for (const text of ["99999999", "9".repeat(400), "Sun, 22 Nov 2099 08:49:37 GMT"]) {
      assert.strictEqual(retryAfter(text, now), now + 30 * day, text)
    }
  })
})
