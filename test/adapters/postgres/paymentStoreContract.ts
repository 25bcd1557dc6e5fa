import { assert, type Vitest } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { Unknown } from "@sarraf/domain/payments/Outcome"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { attemptResult, deferOperation } from "@sarraf/domain/payments/Settlement"
import { Effect, Result, Schema } from "effect"
import { Moves, play } from "../../domain/payments/support/History.ts"
import {
  accepted,
  begunOperation,
  carriedOut,
  noon,
  operation,
  settledBy,
  settledOperation,
  type Told,
  tell
} from "../../domain/payments/support/SamplePayment.ts"
import { declined, notSent } from "../../domain/payments/support/ScriptedProvider.ts"
import { commit, type Shop, shop, store, storeHistory } from "./support/Shop.ts"

const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects.map(Effect.result), { concurrency: "unbounded" })

const failures = <A, E extends { readonly _tag: string }>(results: ReadonlyArray<Result.Result<A, E>>) =>
  results.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))

const find = ({ as }: Shop, id: string) => Effect.flatMap(PaymentStore, (payments) => as(payments.find(id)))
const eventsOf = ({ as }: Shop, id: string) => Effect.flatMap(PaymentStore, (payments) => as(payments.events(id)))
const holderOf = ({ as }: Shop, reference: string) =>
  Effect.flatMap(PaymentStore, (payments) => as(payments.findByReference(reference)))

const authorize = (begun: Told): Told => tell(begun, settledBy(begun.payment, accepted()))
const settled = (begun: Told, outcome: Parameters<typeof settledBy>[1]): Told =>
  tell(begun, settledBy(begun.payment, outcome))

/** What every adapter of the port `PaymentStore` keeps. `organization` makes one known to the adapter, if it must be. */
export const paymentStoreContract = <R>(
  it: Vitest.MethodsNonLive<PaymentStore | R>,
  organization: (id: string, isSandbox: boolean) => Effect.Effect<void, never, R>
): void => {
  it.effect("finds a payment as it was begun, with its event, also by its merchantReference", () =>
    Effect.gen(function* () {
      const owner = shop("begun")
      const begun = owner.payment(1)
      assert.isTrue(yield* store(owner, begun))
      assert.deepStrictEqual(yield* find(owner, begun.payment.id), begun.payment)
      assert.deepStrictEqual(yield* eventsOf(owner, begun.payment.id), begun.events)
      assert.deepStrictEqual(yield* holderOf(owner, "order-1"), begun.payment)
      assert.isUndefined(yield* holderOf(owner, "order-2"))
    })
  )

  it.effect("finds a payment as the last commit left it", () =>
    Effect.gen(function* () {
      const owner = shop("committed")
      const capture = operation({ minor: 6_000n, final: false, reference: "part-1" })
      const authorized = authorize(owner.payment(1))
      const begun = tell(authorized, begunOperation(capture))
      const done = tell(begun, settledOperation(capture, accepted({ providerReference: "C-1" })))
      yield* storeHistory(owner, [owner.payment(1), authorized, begun, done])
      assert.deepStrictEqual(yield* find(owner, done.payment.id), done.payment)
      assert.deepStrictEqual(yield* eventsOf(owner, done.payment.id), done.events)
    })
  )

  let histories = 0
  it.effect.prop(
    "holds after any history the state that its events make, and all of them",
    [Moves, Schema.Literals([1n, 12_345n, 9_999_999_999n])],
    ([moves, minor]) =>
      Effect.gen(function* () {
        const owner = shop("histories")
        const begun = owner.payment(++histories, { money: new Money({ currency: "TRY", minor }) })
        const last = yield* storeHistory(owner, play(moves, begun))
        const found = yield* find(owner, begun.payment.id)
        const events = yield* eventsOf(owner, begun.payment.id)
        assert.deepStrictEqual(found, last.payment)
        assert.deepStrictEqual(events, last.events)
        assert.deepStrictEqual(rebuild(events), found)
      }),
    { arbitrary: { runs: 40 } }
  )

  it.effect("keeps every text as it was, whatever letters are in it", () =>
    Effect.gen(function* () {
      const owner = shop("texts")
      const description = "İğne \u202e \"quoted\" \\ \\u0041 {a,b} 'x' \t\n\r 🧿 \u{10ffff} NULL"
      const metadata = { "": "", NULL: "{}", 'a"b': "\\", ключ: "значение", x: " " }
      const begun = owner.payment(1, { description, metadata, merchantReference: "a'b\"c\\d{e},f" })
      yield* store(owner, begun)
      assert.deepStrictEqual(yield* find(owner, begun.payment.id), begun.payment)
      assert.strictEqual((yield* holderOf(owner, "a'b\"c\\d{e},f"))?.id, begun.payment.id)
    })
  )

  it.effect("lets one of several commits from the same state succeed; the others see that it changed", () =>
    Effect.gen(function* () {
      const owner = shop("race")
      const begun = owner.payment(1)
      yield* store(owner, begun)
      const ways = Array.from({ length: 8 }, (_, index) =>
        settled(begun, accepted({ providerReference: `P-${index}` }))
      )
      const results = yield* together(ways.map((after) => commit(begun, after)))
      assert.deepStrictEqual(failures(results), Array(7).fill("PaymentChanged"))
      const won = ways[results.findIndex(Result.isSuccess)]
      assert.deepStrictEqual(yield* find(owner, begun.payment.id), won?.payment)
      assert.deepStrictEqual(yield* eventsOf(owner, begun.payment.id), won?.events)
      assert.strictEqual((yield* Effect.flip(commit(begun, ways[0] ?? begun)))._tag, "PaymentChanged")
    })
  )

  it.effect("gives each of several commits to several payments at once its own answer", () =>
    Effect.gen(function* () {
      const owner = shop("many")
      const all = Array.from({ length: 300 }, (_, index) => owner.payment(index + 1))
      yield* Effect.all(
        all.map((begun) => store(owner, begun)),
        { concurrency: "unbounded" }
      )
      const stale = new Set([7, 150, 299])
      yield* Effect.forEach(stale, (index) =>
        commit(all[index] ?? assert.fail(), settled(all[index] ?? assert.fail(), declined))
      )
      const results = yield* together(all.map((begun) => commit(begun, authorize(begun))))
      const lost = results.flatMap((result, index) => (Result.isFailure(result) ? [index] : []))
      assert.deepStrictEqual(lost, [...stale])
      for (const index of [0, 7, 299]) {
        const begun = all[index] ?? assert.fail()
        const expected = stale.has(index) ? settled(begun, declined) : authorize(begun)
        assert.deepStrictEqual(yield* find(owner, begun.payment.id), expected.payment)
      }
    })
  )

  it.effect("changes no payment that is not there", () =>
    Effect.gen(function* () {
      const begun = shop("nowhere").payment(1)
      assert.strictEqual((yield* Effect.flip(commit(begun, authorize(begun))))._tag, "PaymentChanged")
    })
  )

  it.effect("gives a merchantReference to one of several payments of a client that begin at once", () =>
    Effect.gen(function* () {
      const owner = shop("reference")
      const rivals = Array.from({ length: 8 }, (_, index) => owner.payment(index + 1, { merchantReference: "order-x" }))
      const begun = yield* Effect.all(
        rivals.map((rival) => store(owner, rival)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(begun.filter(Boolean).length, 1)
      const holder = rivals[begun.indexOf(true)]
      assert.deepStrictEqual(yield* holderOf(owner, "order-x"), holder?.payment)
      for (const rival of rivals.filter((one) => one !== holder)) {
        assert.strictEqual((yield* Effect.flip(find(owner, rival.payment.id)))._tag, "PaymentNotFound")
        assert.deepStrictEqual(yield* eventsOf(owner, rival.payment.id), [])
        // Its key was not spent: the same request may try again.
        assert.isFalse(yield* store(owner, rival))
      }
    })
  )

  it.effect("keeps the merchantReferences of clients and organizations apart", () =>
    Effect.gen(function* () {
      const owners = [shop("one", "org_shared"), shop("two", "org_shared"), shop("one", "org_other")]
      const begun = yield* Effect.forEach(owners, (owner, index) =>
        store(owner, { ...owner.payment(index + 1, { merchantReference: "order-x" }) })
      )
      assert.deepStrictEqual(begun, [true, true, true])
      for (const [index, owner] of owners.entries()) {
        assert.strictEqual((yield* holderOf(owner, "order-x"))?.id, owner.payment(index + 1).payment.id)
      }
    })
  )

  it.effect("gives a merchantReference free when its payment has ended without money, and only then", () =>
    Effect.gen(function* () {
      const owner = shop("released")
      const voided = (begun: Told) => carriedOut(authorize(begun), operation({ type: "VOID" }))
      const lapsed = (begun: Told) => tell(authorize(begun), { type: "authorization.lapsed", at: noon + 9_000 })
      const captured = (begun: Told) => carriedOut(authorize(begun), operation())
      const refunded = (begun: Told) =>
        carriedOut(captured(begun), operation({ id: "op_refund", type: "REFUND", createdAt: noon + 5_000 }))
      const ends: ReadonlyArray<readonly [string, (begun: Told) => Told, boolean]> = [
        ["pending", (begun) => settled(begun, Unknown({ reason: "lost" })), false],
        ["authorized", authorize, false],
        ["captured", captured, false],
        ["refunded", refunded, false],
        ["declined", (begun) => settled(begun, declined), true],
        ["failed", (begun) => settled(begun, notSent), true],
        ["voided", voided, true],
        ["expired", lapsed, true]
      ]
      for (const [index, [name, end, isFree]] of ends.entries()) {
        const changes = { merchantReference: name }
        const first = owner.payment(index * 2 + 1, changes)
        yield* storeHistory(owner, [first, end(first)])
        assert.strictEqual((yield* holderOf(owner, name)) === undefined, isFree, name)
        assert.strictEqual(yield* store(owner, owner.payment(index * 2 + 2, changes)), isFree, name)
      }
    })
  )

  it.effect("begins one of two payments under one key, and leaves nothing of the other", () =>
    Effect.gen(function* () {
      const owner = shop("keys")
      const [first, second, other] = [owner.payment(1), owner.payment(2), owner.payment(3)]
      const results = yield* together([
        store(owner, first, "same"),
        store(owner, second, "same"),
        store(owner, other, "another")
      ])
      assert.deepStrictEqual(failures(results), ["RequestAlreadyBegun"])
      assert.isTrue(results[2] !== undefined && Result.isSuccess(results[2]) && results[2].success)
      const loser = results[0] !== undefined && Result.isFailure(results[0]) ? first : second
      assert.strictEqual((yield* Effect.flip(find(owner, loser.payment.id)))._tag, "PaymentNotFound")
      assert.deepStrictEqual(yield* eventsOf(owner, loser.payment.id), [])
      assert.isUndefined(yield* holderOf(owner, loser.payment.merchantReference))
      assert.isTrue(yield* store(owner, loser, "a third"))
    })
  )

  it.effect("begins one of two operations under one key, and leaves nothing of the other", () =>
    Effect.gen(function* () {
      const owner = shop("operationKeys")
      const states = [1, 2].map((number) => authorize(owner.payment(number)))
      for (const [index, state] of states.entries()) yield* storeHistory(owner, [owner.payment(index + 1), state])
      const begun = states.map((state) => tell(state, begunOperation(operation())))
      const commits = begun.map((after, index) =>
        commit(states[index] ?? after, after, owner.record(after.payment.id, "same", operation().id))
      )
      const results = yield* together(commits)
      assert.deepStrictEqual(failures(results), ["RequestAlreadyBegun"])
      const loser = results.findIndex(Result.isFailure)
      assert.deepStrictEqual(yield* find(owner, begun[loser]?.payment.id ?? ""), states[loser]?.payment)
    })
  )

  it.effect("keeps the keys of clients and organizations apart", () =>
    Effect.gen(function* () {
      const owners = [shop("first", "org_keys"), shop("second", "org_keys"), shop("first", "org_keys_2")]
      for (const [index, owner] of owners.entries())
        assert.isTrue(yield* store(owner, owner.payment(index + 1), "same"))
    })
  )

  it.effect("refuses a second operation while one is open, but not beside a deferred refund", () =>
    Effect.gen(function* () {
      const owner = shop("oneAtATime")
      const captured = carriedOut(authorize(owner.payment(1)), operation({ minor: 6_000n, final: false }))
      const refund = operation({ id: "op_1", type: "REFUND", minor: 1_000n })
      const open = tell(captured, begunOperation(refund))
      yield* storeHistory(owner, [owner.payment(1), captured, open])
      const second = tell(open, begunOperation(operation({ id: "op_2", type: "REFUND", minor: 1_000n })))
      assert.strictEqual((yield* Effect.flip(commit(open, second)))._tag, "PaymentChanged")
      const waiting = tell(open, deferOperation(refund, noon + 9_000_000, noon + 5_000, "request"))
      yield* commit(open, waiting)
      const beside = tell(waiting, begunOperation(operation({ id: "op_2", type: "REFUND", minor: 1_000n })))
      yield* commit(waiting, beside)
      assert.deepStrictEqual(yield* find(owner, beside.payment.id), beside.payment)
    })
  )

  it.effect("refuses a second operation with the reference of another", () =>
    Effect.gen(function* () {
      const owner = shop("operationReferences")
      const captured = carriedOut(
        authorize(owner.payment(1)),
        operation({ minor: 1n, final: false, reference: "part" })
      )
      yield* storeHistory(owner, [owner.payment(1), captured])
      const again = tell(captured, begunOperation(operation({ id: "op_2", minor: 1n, reference: "part" })))
      assert.strictEqual((yield* Effect.flip(commit(captured, again)))._tag, "PaymentChanged")
      assert.deepStrictEqual(yield* find(owner, captured.payment.id), captured.payment)
    })
  )

  it.effect("shows a payment to its own client alone", () =>
    Effect.gen(function* () {
      const owner = shop("owner", "org_private")
      const begun = owner.payment(1)
      yield* store(owner, begun)
      for (const stranger of [shop("stranger", "org_private"), shop("owner", "org_elsewhere")]) {
        assert.deepInclude(yield* Effect.flip(find(stranger, begun.payment.id)), { _tag: "PaymentNotFound" })
        assert.deepStrictEqual(yield* eventsOf(stranger, begun.payment.id), [])
        assert.isUndefined(yield* holderOf(stranger, "order-1"))
        const payments = yield* PaymentStore
        assert.deepStrictEqual(yield* stranger.as(payments.list({ limit: 10 })), [])
      }
      assert.deepInclude(yield* Effect.flip(find(owner, "txn_none")), { _tag: "PaymentNotFound", id: "txn_none" })
    })
  )

  it.effect("finds whose payment an attempt is, by the reference that its provider knows it by", () =>
    Effect.gen(function* () {
      const payments = yield* PaymentStore
      for (const [name, isSandbox] of [
        ["attempts_live", false],
        ["attempts_test", true]
      ] as const) {
        const owner = shop(name)
        yield* organization(owner.caller.organizationId, isSandbox)
        const begun = owner.payment(1, { livemode: !isSandbox })
        const [first] = begun.payment.attempts
        if (first === undefined) return assert.fail("no attempt")
        const at = noon + 1_000
        const second = { number: 2, provider: "isbank", reference: `${name}-second`, startedAt: at, deadline: at }
        const result = attemptResult(first, notSent, at)
        const moved = tell(begun, { type: "payment.rerouted", at, result, attempt: second })
        yield* storeHistory(owner, [begun, moved])
        const expected = { caller: { ...owner.caller, livemode: !isSandbox }, paymentId: begun.payment.id }
        assert.deepStrictEqual(yield* payments.findAttempt("akbank", first.reference), expected)
        assert.deepStrictEqual(yield* payments.findAttempt("isbank", second.reference), expected)
        for (const [provider, reference] of [
          ["isbank", first.reference],
          ["akbank", second.reference],
          ["akbank", first.reference.toUpperCase()],
          ["akbank", ""]
        ] as const) {
          assert.isUndefined(yield* payments.findAttempt(provider, reference))
        }
      }
    })
  )

  it.effect("finds the refunds whose time has come, the oldest first, with whom they belong to", () =>
    Effect.gen(function* () {
      const owner = shop("due", "org_due")
      yield* organization("org_due", true)
      const payments = yield* PaymentStore
      for (const number of [1, 2, 3]) {
        const captured = carriedOut(authorize(owner.payment(number)), operation())
        const refund = operation({ id: `op_due_${number}`, type: "REFUND", minor: 1_000n })
        const at = noon + (4 - number) * 1_000_000
        const open = tell(captured, begunOperation(refund))
        const waiting = tell(open, deferOperation(refund, at, noon + 5_000, "request"))
        yield* storeHistory(owner, [owner.payment(number), captured, open, waiting])
      }
      const due = (now: number, limit = 10) =>
        Effect.map(payments.dueRefunds(now, limit), (all) =>
          all.filter(({ caller }) => caller.organizationId === "org_due")
        )
      const dueOf = (number: number) => ({
        caller: owner.caller,
        paymentId: owner.payment(number).payment.id,
        operationId: `op_due_${number}`
      })
      assert.deepStrictEqual(yield* due(noon + 999_999), [])
      assert.deepStrictEqual(yield* due(noon + 2_000_000), [dueOf(3), dueOf(2)])
      assert.deepStrictEqual(yield* due(noon + 9_000_000), [dueOf(3), dueOf(2), dueOf(1)])
      assert.deepStrictEqual(yield* due(noon + 9_000_000, 1), [dueOf(3)])
    })
  )
}
