import { assert, describe, it } from "@effect/vitest"
import { Pending, Refused } from "@sarraf/domain/payments/Outcome"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { DateTime, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { challenge } from "./support/ChallengedBuyer.ts"
import { openGateway } from "./support/Gateway.ts"
import { approval, openPosting, toldOperation, toldOutcome, unaskable } from "./support/PostingProvider.ts"
import { accepted } from "./support/SamplePayment.ts"
import { absent, declined, lost, notSent, type ScriptedProvider, scriptedProvider } from "./support/ScriptedProvider.ts"
import { hour, minute, second } from "./support/TalkingProvider.ts"

describe("An approval by notification", () => {
  it.effect.each([
    ["PENDING", lost],
    ["REQUIRES_ACTION", challenge()]
  ] as const)("authorizes what is %s, also at a provider that cannot be asked", ([as, answer]) =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({ authorize: answer }, unaskable)
      const { id } = yield* gateway.begin({ is3DS: true })
      assert.strictEqual(yield* gateway.statusNow(id), as)
      yield* gateway.post(id, approval({ echo: { minor: 10_000n, currency: "EUR" } }))
      const payment = yield* gateway.stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.attempts[0]?.providerReference], ["AUTHORIZED", "P-told"])
      assert.deepStrictEqual(rebuild(yield* gateway.events(id)), payment)
      assert.deepInclude((yield* gateway.events(id)).at(-1), { by: "notification" })
      yield* gateway.pass(2 * hour, minute)
      assert.deepStrictEqual([yield* gateway.statusNow(id), gateway.count("cancel")], ["AUTHORIZED", 0])
    })
  )

  it.effect("a refusal ends it", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({}, unaskable)
      const { id } = yield* gateway.begin()
      yield* gateway.post(id, toldOutcome(declined))
      assert.strictEqual(yield* gateway.statusNow(id), "DECLINED")
    })
  )

  it.effect("what is neither leaves it as it is", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({}, unaskable)
      const { id, version } = yield* gateway.begin()
      const until = DateTime.makeUnsafe(8_640_000_000_000)
      for (const outcome of [
        notSent,
        Pending({ answer: { responseCode: null, fields: {} }, echo: {}, learnBy: "query", until })
      ]) {
        yield* gateway.post(id, toldOutcome(outcome))
        assert.strictEqual((yield* gateway.stored(id)).version, version)
      }
    })
  )

  it.effect.each([
    ["reference", { reference: "ANOTHER" }],
    ["amount", { minor: 10_001n }],
    ["currency", { currency: "USD" }],
    ["last4", { last4: "9999" }]
  ] as const)("with another %s is for a person, and approves nothing", ([field, echo]) =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({}, unaskable)
      const { id } = yield* gateway.begin()
      yield* gateway.post(id, approval({ echo }))
      const payment = yield* gateway.stored(id)
      assert.deepStrictEqual(
        [statusOf(payment), payment.needsReview],
        ["PENDING", `the answer is about another ${field}`]
      )
      assert.strictEqual(gateway.count("cancel"), 0)
    })
  )

  it.effect("of a part is given back, and tried again where that is not answered", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({ cancel: lost }, unaskable)
      const { id } = yield* gateway.begin()
      yield* gateway.post(id, approval({ echo: { minor: 4_000n } }))
      assert.strictEqual(yield* gateway.statusNow(id), "PENDING")
      gateway.says.cancel = accepted()
      yield* TestClock.adjust(minute)
      const payment = yield* gateway.stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
    })
  )

  it.effect("of a payment that stands on it changes nothing", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({ authorize: accepted() }, unaskable)
      const { id, version } = yield* gateway.begin()
      yield* gateway.post(id, approval())
      assert.deepStrictEqual([(yield* gateway.stored(id)).version, gateway.count("cancel")], [version, 0])
      yield* gateway.carryOut(id, { type: "VOID" }, "void")
      yield* gateway.post(id, approval())
      assert.strictEqual(gateway.count("cancel"), 1)
    })
  )
})

describe("A late approval by notification", () => {
  const ended = Effect.fnUntraced(function* (capabilities = {}) {
    const gateway = yield* openPosting({ authorize: declined }, capabilities)
    const { id } = yield* gateway.begin()
    return { ...gateway, id }
  })

  it.effect("is taken back at once, also of an attempt that never was in doubt", () =>
    Effect.gen(function* () {
      const { count, id, post, stored } = yield* ended()
      yield* post(id, approval())
      yield* post(id, approval())
      const payment = yield* stored(id)
      assert.deepStrictEqual(
        [statusOf(payment), payment.attempts[0]?.reversal, count("cancel")],
        ["DECLINED", "DONE", 1]
      )
    })
  )

  it.effect("is told to the provider again until that has confirmed it, also where it cannot be asked", () =>
    Effect.gen(function* () {
      const { count, id, pass, post, says, stored } = yield* ended(unaskable)
      says.cancel = notSent
      yield* post(id, approval())
      assert.strictEqual((yield* stored(id)).attempts[0]?.reversal, "BEGUN")
      yield* pass(10 * second)
      const until = DateTime.makeUnsafe(8_640_000_000_000)
      says.cancel = Pending({ answer: { responseCode: null, fields: {} }, echo: {}, learnBy: "notification", until })
      yield* pass(minute)
      assert.isAbove(count("cancel"), 2)
      yield* post(id, toldOperation("VOID", "SUCCEEDED"))
      assert.strictEqual((yield* stored(id)).attempts[0]?.reversal, "DONE")
      const sent = count("cancel")
      yield* pass(2 * hour, minute)
      assert.strictEqual(count("cancel"), sent)
      // One of the repetitions was refused, since it was released by then.
      yield* post(id, toldOperation("VOID", "FAILED"))
      assert.isNull((yield* stored(id)).needsReview)
    })
  )

  it.effect("is for a person where the provider does not release it", () =>
    Effect.gen(function* () {
      const { id, post, stored } = yield* ended(unaskable)
      yield* post(id, approval())
      const gateway = yield* openPosting({ authorize: declined, cancel: lost }, unaskable)
      const payment = yield* gateway.begin()
      yield* gateway.post(payment.id, approval())
      yield* gateway.post(payment.id, toldOperation("VOID", "FAILED"))
      assert.isNotNull((yield* gateway.stored(payment.id)).needsReview)
      assert.isNull((yield* stored(id)).needsReview)
    })
  )

  it.effect("about another amount or currency is for a person, and takes nothing back", () =>
    Effect.gen(function* () {
      const { count, id, post, stored } = yield* ended()
      yield* post(id, approval({ echo: { currency: "USD" } }))
      assert.isNotNull((yield* stored(id)).needsReview)
      assert.strictEqual(count("cancel"), 0)
    })
  )
})

describe("A void at a provider that cannot be asked", () => {
  it.effect("is sent, whatever the provider may have: VOIDED, and an approval that comes later is taken back", () =>
    Effect.gen(function* () {
      const { begin, carryOut, count, post, stored } = yield* openPosting({}, unaskable)
      const { id } = yield* begin()
      yield* carryOut(id, { type: "VOID" }, "void")
      assert.deepStrictEqual([statusOf(yield* stored(id)), count("cancel"), count("query")], ["VOIDED", 1, 0])
      assert.isNull((yield* stored(id)).attempts[0]?.providerReference ?? null)
      yield* post(id, approval())
      assert.deepStrictEqual([statusOf(yield* stored(id)), count("cancel")], ["VOIDED", 2])
    })
  )

  const releasedUnseen = Effect.gen(function* () {
    const gateway = yield* openPosting({}, unaskable)
    const { id } = yield* gateway.begin()
    yield* gateway.carryOut(id, { type: "VOID" }, "void")
    const review = Effect.map(gateway.stored(id), ({ needsReview }) => needsReview)
    return { ...gateway, id, review }
  })
  const refusal = toldOutcome(Refused({ ...declined, providerReference: "P-told" }))
  const notReleased = "the provider did not release the authorization"

  it.effect("is for a person where the provider does not release it", () =>
    Effect.gen(function* () {
      const { id, post, review } = yield* releasedUnseen
      yield* post(id, toldOperation("VOID", "FAILED", { providerReference: "V-1" }))
      assert.strictEqual(yield* review, notReleased)
    })
  )

  it.effect.each([
    ["before", [refusal, toldOperation("VOID", "FAILED", { providerReference: "V-1" })]],
    ["after", [toldOperation("VOID", "FAILED", { providerReference: "V-1" }), refusal]]
  ] as const)("is for nobody where the provider refused the payment and says so %s", ([, words]) =>
    Effect.gen(function* () {
      const { count, events, id, post, review, stored } = yield* releasedUnseen
      for (const word of words) yield* post(id, word)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error, yield* review], ["VOIDED", null, null])
      assert.deepStrictEqual(rebuild(yield* events(id)), payment)
      const { version } = payment
      yield* post(id, refusal)
      assert.strictEqual((yield* stored(id)).version, version)
      // It never was one; if it becomes one, it is taken back, and whoever does not release that needs a person.
      yield* post(id, approval())
      assert.deepStrictEqual([count("cancel"), (yield* stored(id)).attempts[0]?.reversal], [2, "DONE"])
    })
  )

  it.effect("is for a person where a refusal was followed by an approval that is not released", () =>
    Effect.gen(function* () {
      const { id, post, review, says } = yield* releasedUnseen
      yield* post(id, refusal)
      says.cancel = lost
      yield* post(id, approval())
      yield* post(id, toldOperation("VOID", "FAILED", { providerReference: "V-1" }))
      assert.strictEqual(yield* review, notReleased)
    })
  )

  it.effect("that the provider has confirmed is not sent again for the approval that comes after it", () =>
    Effect.gen(function* () {
      const { count, events, id, post, review, stored } = yield* releasedUnseen
      yield* post(id, toldOperation("VOID", "SUCCEEDED", { providerReference: "V-1" }))
      yield* post(id, approval())
      yield* post(id, toldOperation("VOID", "FAILED", { providerReference: "V-2" }))
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), count("cancel"), yield* review], ["VOIDED", 1, null])
      assert.deepStrictEqual(rebuild(yield* events(id)), payment)
    })
  )

  it.effect("stays undecided while nobody answers, and is sent again by the reconciler", () =>
    Effect.gen(function* () {
      const { begin, carryOut, pass, says, stored } = yield* openPosting({ cancel: lost }, unaskable)
      const { id } = yield* begin()
      yield* carryOut(id, { type: "VOID" }, "void")
      assert.strictEqual(statusOf(yield* stored(id)), "PENDING")
      says.cancel = accepted()
      yield* pass(2 * minute)
      assert.strictEqual(statusOf(yield* stored(id)), "VOIDED")
    })
  )
})

describe("A notification while a void is not decided", () => {
  const voiding = Effect.fnUntraced(function* (changes = {}) {
    const gateway = yield* openPosting(changes)
    const { id } = yield* gateway.begin()
    yield* gateway.carryOut(id, { type: "VOID" }, "void")
    const last = Effect.map(gateway.stored(id), (one) => [statusOf(one), one.operations[0]?.status])
    assert.deepStrictEqual(yield* last, ["PENDING", "PENDING"])
    return { ...gateway, id, last }
  })

  it.effect("of an approval has it taken back: VOIDED", () =>
    Effect.gen(function* () {
      const { count, events, id, last, post, stored } = yield* voiding()
      yield* post(id, approval())
      assert.deepStrictEqual([yield* last, count("cancel")], [["VOIDED", "SUCCEEDED"], 1])
      assert.deepStrictEqual(rebuild(yield* events(id)), yield* stored(id))
      // The same approval, told once more: it is back already.
      yield* post(id, approval())
      assert.strictEqual(count("cancel"), 1)
    })
  )

  it.effect("of an approval that cannot be taken back now is kept", () =>
    Effect.gen(function* () {
      const { id, last, post, says } = yield* voiding({ cancel: lost })
      yield* post(id, approval())
      assert.deepStrictEqual(yield* last, ["PENDING", "PENDING"])
      says.cancel = accepted()
      yield* TestClock.adjust(10 * second)
      assert.deepStrictEqual(yield* last, ["VOIDED", "SUCCEEDED"])
    })
  )

  it.effect("of a refusal ends it and the void: FAILED", () =>
    Effect.gen(function* () {
      const { id, last, post } = yield* voiding()
      yield* post(id, toldOutcome(Refused({ ...declined, code: "CARD_DECLINED" })))
      assert.deepStrictEqual(yield* last, ["FAILED", "SUCCEEDED"])
    })
  )

  it.effect("of the void itself ends it: VOIDED, and keeps the payment's own identifier", () =>
    Effect.gen(function* () {
      const { id, last, post, stored } = yield* voiding()
      yield* post(id, toldOperation("VOID", "SUCCEEDED", { providerReference: "V-1" }))
      assert.deepStrictEqual(yield* last, ["VOIDED", "SUCCEEDED"])
      assert.notStrictEqual((yield* stored(id)).attempts[0]?.providerReference, "V-1")
    })
  )

  it.effect("that the void did not work is for a person once the payment counts as voided", () =>
    Effect.gen(function* () {
      const { id, last, post, stored } = yield* voiding()
      yield* post(id, toldOperation("VOID", "FAILED"))
      assert.deepStrictEqual(yield* last, ["PENDING", "PENDING"])
      yield* post(id, approval())
      yield* post(id, toldOperation("VOID", "FAILED", { providerReference: "V-1" }))
      assert.strictEqual((yield* stored(id)).needsReview, "the provider did not release the authorization")
    })
  )
})

describe("A notification about an attempt that another has followed", () => {
  /** The first provider was in doubt until its absence was proven; the second takes five seconds to accept. */
  const followed = Effect.gen(function* () {
    const proof = { query: { byReference: true, absenceProvenAfter: Duration.seconds(1) } }
    const posts = { notifications: { isSigned: true, acknowledgement: { contentType: "text/plain", body: "OK" } } }
    const words = new Map<string, ReturnType<typeof approval>>()
    const made: Array<ScriptedProvider> = []
    const gateway = yield* openGateway((log) => {
      const first = {
        authorize: () => Effect.succeed(lost),
        query: () => Effect.succeed(absent),
        readNotification: ({ body }: { readonly body: Uint8Array }) => {
          const id = new TextDecoder().decode(body)
          const [attempt] = gateway.all()[0]?.attempts ?? []
          const word = words.get(id)
          const items = word === undefined ? [] : [{ id, reference: attempt?.reference ?? "", word }]
          return { _tag: "Verified", items } as const
        }
      }
      const slow = { authorize: () => Effect.delay(Effect.succeed(accepted()), 5 * second) }
      const held = { ...slow, cancel: () => Effect.succeed(lost) }
      made.push(
        scriptedProvider("akbank", log, first, { ...proof, ...posts }),
        scriptedProvider("isbank", log, held, { query: { byReference: false } })
      )
      return made
    })
    const notifications = yield* gateway.openNotifications
    const asking = yield* Effect.forkChild(gateway.authorize())
    yield* TestClock.adjust(3 * second)
    assert.lengthOf(gateway.all()[0]?.attempts ?? [], 2)
    const post = Effect.fnUntraced(function* (word: ReturnType<typeof approval>) {
      const id = `e-${words.size}`
      words.set(id, word)
      yield* notifications.receive("akbank", { headers: {}, query: {}, body: new TextEncoder().encode(id) })
      yield* TestClock.adjust(0)
    })
    const cancels = (name: string) => gateway.log.filter((entry) => entry === `${name}.cancel`).length
    return { ...gateway, asking, cancels, post }
  })

  it.effect("waits for the other's end, and has the first one's approval taken back then", () =>
    Effect.gen(function* () {
      const { asking, cancels, post, stored } = yield* followed
      yield* post(approval())
      assert.strictEqual(cancels("akbank"), 0)
      yield* TestClock.adjust(30 * second)
      const { payment } = yield* Fiber.join(asking)
      const { attempts, authorization } = yield* stored(payment.id)
      assert.deepStrictEqual([authorization, attempts.map(({ reversal }) => reversal)], ["AUTHORIZED", ["DONE", null]])
      assert.deepStrictEqual([cancels("akbank"), cancels("isbank")], [1, 0])
    })
  )

  it.effect("that it was released is never read as the release of the one that stands", () =>
    Effect.gen(function* () {
      const { asking, operate, post, stored } = yield* followed
      yield* TestClock.adjust(10 * second)
      const { payment } = yield* Fiber.join(asking)
      const voiding = yield* Effect.forkChild(operate(payment.id, { type: "VOID" }, "void"))
      yield* TestClock.adjust(31 * second)
      assert.strictEqual((yield* Fiber.join(voiding)).operation.status, "PENDING")
      yield* post(toldOperation("VOID", "SUCCEEDED"))
      const { operations } = yield* stored(payment.id)
      assert.deepStrictEqual(
        operations.map(({ status }) => status),
        ["PENDING"]
      )
    })
  )
})
