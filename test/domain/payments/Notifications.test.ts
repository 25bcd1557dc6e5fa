import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { challenge } from "./support/ChallengedBuyer.ts"
import { openGateway } from "./support/Gateway.ts"
import { approval, openPosting, unaskable } from "./support/PostingProvider.ts"
import { absent, found, lost } from "./support/ScriptedProvider.ts"
import { day, hour, minute, second } from "./support/TalkingProvider.ts"

describe("A notification", () => {
  it.effect("that is forged is refused, and nothing is kept of it", () =>
    Effect.gen(function* () {
      const { begin, messageOf, pass, receive, referenceOf, statusNow } = yield* openPosting()
      const { id } = yield* begin()
      const item = { id: "e-1", reference: yield* referenceOf(id), word: approval() }
      const refused = yield* Effect.flip(receive(messageOf([item], "bad")))
      assert.strictEqual(refused._tag, "NotificationForged")
      yield* pass(hour, minute)
      assert.strictEqual(yield* statusNow(id), "PENDING")
    })
  )

  it.effect("of a provider that posts none is unknown", () =>
    Effect.gen(function* () {
      const { messageOf, receive } = yield* openPosting()
      assert.strictEqual((yield* Effect.flip(receive(messageOf([]), "nobody")))._tag, "NotificationsUnknown")
      const silent = yield* openGateway(() => [])
      const notifications = yield* silent.openNotifications
      assert.strictEqual(
        (yield* Effect.flip(notifications.receive("akbank", messageOf([]))))._tag,
        "NotificationsUnknown"
      )
    })
  )

  it.effect("is acknowledged in its provider's words once it is stored, whatever becomes of it", () =>
    Effect.gen(function* () {
      const { begin, interference, messageOf, receive, referenceOf, statusNow } = yield* openPosting()
      const { id } = yield* begin()
      interference.beforeCommit = () => Effect.fail(new Unavailable())
      const item = { id: "e-1", reference: yield* referenceOf(id), word: approval() }
      const heard = yield* receive(messageOf([item]))
      assert.deepStrictEqual(heard, { contentType: "text/plain", body: "[accepted]" })
      yield* TestClock.adjust(second)
      assert.strictEqual(yield* statusNow(id), "PENDING")
      // The database is back; its lease ends, and it is done.
      interference.beforeCommit = () => Effect.void
      yield* TestClock.adjust(2 * minute)
      assert.strictEqual(yield* statusNow(id), "AUTHORIZED")
    })
  )

  it.effect("without items is acknowledged", () =>
    Effect.gen(function* () {
      const { messageOf, receive } = yield* openPosting()
      assert.strictEqual((yield* receive(messageOf([]))).body, "[accepted]")
    })
  )

  it.effect("that comes twice, or many times at once, is done once", () =>
    Effect.gen(function* () {
      const { begin, events, messageOf, receive, referenceOf } = yield* openPosting()
      const { id } = yield* begin()
      const item = { id: "e-1", reference: yield* referenceOf(id), word: approval() }
      const again = () => receive(messageOf([item]))
      yield* Effect.all([again(), again(), again(), again()], { concurrency: "unbounded" })
      yield* TestClock.adjust(minute)
      yield* again()
      yield* TestClock.adjust(minute)
      const settled = (yield* events(id)).filter((event) => event.type === "authorization.settled")
      assert.deepStrictEqual(
        settled.map(({ by }) => by),
        ["request", "notification"]
      )
    })
  )

  it.effect("that comes before the synchronous answer is kept, and done when the request has ended", () =>
    Effect.gen(function* () {
      const authorize = () => Effect.delay(Effect.succeed(lost), 2 * second)
      const gateway = yield* openPosting({}, unaskable, { authorize })
      const asking = yield* Effect.forkChild(gateway.authorize())
      yield* TestClock.adjust(second)
      const id = gateway.all()[0]?.id ?? assert.fail("nothing was begun")
      yield* gateway.post(id, approval())
      assert.strictEqual(yield* gateway.statusNow(id), "PENDING")
      yield* TestClock.adjust(5 * second)
      assert.strictEqual(statusOf((yield* Fiber.join(asking)).payment), "PENDING")
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
    })
  )

  it.effect("about nobody of ours is tried again for a day and more, and then let go", () =>
    Effect.gen(function* () {
      const { messageOf, provider, receive } = yield* openPosting()
      const read = provider.readNotification ?? assert.fail("it posts nothing")
      const tries: Array<number> = []
      const watched: typeof read = (message) => {
        tries.push(tries.length)
        return read(message)
      }
      Object.assign(provider, { readNotification: watched })
      yield* receive(messageOf([{ id: "e-1", reference: "STRANGER", word: approval() }]))
      const counts: Array<number> = []
      for (const time of [minute, hour, 30 * hour, 2 * day]) {
        yield* TestClock.adjust(time)
        counts.push(tries.length - 1)
      }
      // At once, then after 1, 2, 5, 15 s; 1 and 5 min; 1, 6 and 24 h.
      assert.deepStrictEqual(counts, [5, 7, 9, 10])
    })
  )

  it.effect("is matched by provider account and reference alone: another provider's word changes nothing", () =>
    Effect.gen(function* () {
      const { begin, notifications, messageOf, referenceOf, statusNow } = yield* openPosting()
      const { id } = yield* begin()
      const item = { id: "e-1", reference: yield* referenceOf(id), word: approval() }
      yield* Effect.flip(notifications.receive("isbank", messageOf([item])))
      yield* TestClock.adjust(minute)
      assert.strictEqual(yield* statusNow(id), "PENDING")
    })
  )

  it.effect(
    "that names the provider's own payment alone is done once the provider has said which of ours that is",
    () =>
      Effect.gen(function* () {
        const gateway = yield* openPosting()
        const { id } = yield* gateway.begin()
        const reference = yield* gateway.referenceOf(id)
        let said: string | undefined
        Object.assign(gateway.provider, { referenceOf: () => Effect.sync(() => said) })
        yield* gateway.post(id, approval(), { reference: null, providerReference: "P-told" })
        assert.strictEqual(yield* gateway.statusNow(id), "PENDING")
        said = reference
        yield* TestClock.adjust(5 * second)
        assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
      })
  )

  it.effect("that cannot be done does not keep the others waiting", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting()
      const ids = yield* Effect.forEach(Array.from({ length: 12 }), (_, index) =>
        Effect.map(gateway.begin({ merchantReference: `order-${index}` }, `key-${index}`), ({ id }) => id)
      )
      let isFirst = true
      gateway.interference.beforeCommit = () => {
        const isBroken = isFirst
        isFirst = false
        return isBroken ? Effect.die(new Error("a row that cannot be")) : Effect.void
      }
      const items = yield* Effect.forEach(ids, (id) =>
        Effect.map(gateway.referenceOf(id), (reference) => ({ id: `event of ${id}`, reference, word: approval() }))
      )
      yield* gateway.receive(gateway.messageOf(items))
      yield* TestClock.adjust(second)
      const open = () => gateway.all().filter(({ authorization }) => authorization === "PENDING").length
      assert.strictEqual(open(), 1)
      yield* TestClock.adjust(2 * minute)
      assert.strictEqual(open(), 0)
    })
  )

  it.effect("is kept while its signature cannot be verified again, as after a change of keys", () =>
    Effect.gen(function* () {
      let isKeyLost = false
      const gateway = yield* openPosting({}, {})
      const { id } = yield* gateway.begin()
      const read = gateway.provider.readNotification
      Object.assign(gateway.provider, {
        readNotification: (message: Parameters<NonNullable<typeof read>>[0]) =>
          isKeyLost ? { _tag: "Forged", reason: "another key" } : read?.(message)
      })
      // The payment is held by another while the message comes in.
      gateway.interference.beforeCommit = () => Effect.fail(new Unavailable())
      yield* gateway.post(id, approval())
      isKeyLost = true
      gateway.interference.beforeCommit = () => Effect.void
      yield* TestClock.adjust(3 * minute)
      assert.strictEqual(yield* gateway.statusNow(id), "PENDING")
      isKeyLost = false
      yield* TestClock.adjust(10 * minute)
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
    })
  )

  it.effect("that only hints lets the provider be asked, and is believed nothing", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting()
      const { id } = yield* gateway.begin()
      const asked = gateway.count("query")
      yield* gateway.post(id, { _tag: "Ask" })
      assert.deepStrictEqual([gateway.count("query") - asked, yield* gateway.statusNow(id)], [1, "PENDING"])
      gateway.says.query = found()
      yield* gateway.post(id, { _tag: "Ask" })
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
      // Of what is settled nothing is asked.
      const settled = gateway.count("query")
      yield* gateway.post(id, { _tag: "Ask" })
      assert.strictEqual(gateway.count("query"), settled)
    })
  )

  it.effect("that only hints, while the buyer is with the issuer, lets the provider's decision be found", () =>
    Effect.gen(function* () {
      for (const [finding, status] of [
        [absent, "REQUIRES_ACTION"],
        [found({ stage: "ACTION_REQUIRED" }), "REQUIRES_ACTION"],
        [found({ stage: "VOIDED" }), "REQUIRES_ACTION"],
        [found(), "AUTHORIZED"],
        [found({ stage: "DECLINED" }), "DECLINED"]
      ] as const) {
        const gateway = yield* openPosting({ authorize: challenge(), query: finding })
        const { id } = yield* gateway.begin({ is3DS: true })
        yield* gateway.post(id, { _tag: "Ask" })
        assert.deepStrictEqual([yield* gateway.statusNow(id), gateway.count("cancel")], [status, 0])
      }
    })
  )
})
