import { assert, type Vitest } from "@effect/vitest"
import type { InboundMessage } from "@sarraf/domain/payments/Notification"
import { type KeptNotification, NotificationInbox } from "@sarraf/domain/payments/NotificationInbox"
import { Effect, Schema } from "effect"
import { noon } from "../../domain/payments/support/SamplePayment.ts"

const second = 1_000
const minute = 60 * second

export const message = (text: string): InboundMessage => ({
  headers: { "content-type": "application/json", "merchant-chosen": "secret-header", "x-signature": "abc" },
  query: { account: "1" },
  body: new TextEncoder().encode(text)
})

const keep = (provider: string, ids: ReadonlyArray<string>, text = "hello", now = noon) =>
  Effect.flatMap(NotificationInbox, (inbox) => inbox.keep(provider, ids, message(text), now))
/** A provider's own among what is claimed; each test has one of its own. */
const claim = (provider: string, now: number, limit = 10_000) =>
  Effect.flatMap(NotificationInbox, (inbox) =>
    Effect.map(inbox.claim(now, limit), (all) => all.filter((one) => one.provider === provider))
  )
const release = (kept: KeptNotification, againAt: number | null) =>
  Effect.flatMap(NotificationInbox, (inbox) => inbox.release(kept, againAt))
const only = (all: ReadonlyArray<KeptNotification>): KeptNotification => {
  assert.lengthOf(all, 1)
  return all[0] ?? assert.fail("nothing was claimed")
}
const idsOf = (all: ReadonlyArray<KeptNotification>) => all.map(({ id }) => id)

/** What every adapter of the port `NotificationInbox` keeps. */
export const notificationInboxContract = <R>(it: Vitest.MethodsNonLive<NotificationInbox | R>): void => {
  it.effect("gives a message back as it came in, with every header that a signature may need", () =>
    Effect.gen(function* () {
      yield* keep("inbox_whole", ["e-1"], "İğne 🧿")
      const { leaseUntil, ...kept } = only(yield* claim("inbox_whole", noon))
      assert.deepStrictEqual(kept, { provider: "inbox_whole", id: "e-1", message: message("İğne 🧿"), tries: 0 })
      assert.isAbove(leaseUntil, noon + minute)
    })
  )

  let count = 0
  it.effect.prop(
    "keeps every byte of it",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([bytes]) =>
      Effect.gen(function* () {
        const inbox = yield* NotificationInbox
        const provider = `inbox_bytes_${++count}`
        const body = Uint8Array.from(bytes)
        yield* inbox.keep(provider, ["e"], { headers: {}, query: {}, body }, noon)
        assert.deepStrictEqual(only(yield* claim(provider, noon)).message.body, body)
      }),
    { arbitrary: { runs: 20 } }
  )

  it.effect("keeps an item once, also where it comes again at once or when it is done", () =>
    Effect.gen(function* () {
      yield* Effect.all(
        Array.from({ length: 8 }, () => keep("inbox_once", ["e-1"])),
        { concurrency: "unbounded" }
      )
      yield* keep("inbox_once", ["e-1"], "another body", noon + second)
      const kept = only(yield* claim("inbox_once", noon + second))
      assert.deepStrictEqual(kept.message, message("hello"))
      yield* release(kept, null)
      yield* keep("inbox_once", ["e-1"], "hello", noon + minute)
      assert.deepStrictEqual(yield* claim("inbox_once", noon + 60 * minute), [])
    })
  )

  it.effect("keeps providers apart, and the items of one message", () =>
    Effect.gen(function* () {
      yield* keep("inbox_apart", ["e-1", "e-2"])
      yield* keep("inbox_apart_2", ["e-1"])
      const both = yield* claim("inbox_apart", noon)
      assert.sameMembers(idsOf(both), ["e-1", "e-2"])
      const [first] = both
      if (first !== undefined) yield* release(first, null)
      // The other one is done on its own, from its own copy.
      const left = yield* claim("inbox_apart", noon + 10 * minute)
      assert.lengthOf(left, 1)
      assert.deepStrictEqual(left[0]?.message, message("hello"))
    })
  )

  it.effect("gives it to nobody else while it is held, and to the next when that has ended", () =>
    Effect.gen(function* () {
      yield* keep("inbox_lease", ["e-1"])
      const first = only(yield* claim("inbox_lease", noon))
      assert.deepStrictEqual(yield* claim("inbox_lease", first.leaseUntil - 1), [])
      const next = only(yield* claim("inbox_lease", first.leaseUntil))
      yield* release(first, null)
      yield* release(first, first.leaseUntil)
      assert.deepStrictEqual(yield* claim("inbox_lease", next.leaseUntil - 1), [])
      assert.strictEqual(only(yield* claim("inbox_lease", next.leaseUntil)).tries, 0)
    })
  )

  it.effect("takes it back until the next time, and counts the tries", () =>
    Effect.gen(function* () {
      yield* keep("inbox_again", ["e-1"])
      yield* release(only(yield* claim("inbox_again", noon)), noon + minute)
      assert.deepStrictEqual(yield* claim("inbox_again", noon + minute - 1), [])
      const again = only(yield* claim("inbox_again", noon + minute))
      assert.strictEqual(again.tries, 1)
      yield* release(again, noon + 2 * minute)
      assert.strictEqual(only(yield* claim("inbox_again", noon + 2 * minute)).tries, 2)
    })
  )

  it.effect("gives each to one of several who ask at once", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 24 }, (_, index) => `e-${index}`)
      yield* keep("inbox_together", ids)
      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => claim("inbox_together", noon)),
        { concurrency: "unbounded" }
      )
      const claimed = idsOf(claims.flat())
      assert.sameMembers(claimed, ids)
      assert.strictEqual(new Set(claimed).size, claimed.length)
    })
  )

  it.effect("gives at most as many as are asked for, the oldest first", () =>
    Effect.gen(function* () {
      // Long before anything of the other tests.
      const early = Date.UTC(2001, 0, 1)
      for (const number of [1, 2, 3]) yield* keep("inbox_order", [`e-${number}`], "hello", early - number * second)
      assert.deepStrictEqual(idsOf(yield* claim("inbox_order", early, 2)), ["e-3", "e-2"])
      assert.deepStrictEqual(idsOf(yield* claim("inbox_order", early, 2)), ["e-1"])
    })
  )
}
