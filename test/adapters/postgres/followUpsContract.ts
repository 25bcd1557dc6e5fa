import { assert, type Vitest } from "@effect/vitest"
import { type Claimed, FollowUps } from "@sarraf/domain/payments/FollowUps"
import { ActionRequired, Pending } from "@sarraf/domain/payments/Outcome"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import type { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { attemptResult, deferOperation } from "@sarraf/domain/payments/Settlement"
import { DateTime, Effect } from "effect"
import {
  accepted,
  begunOperation,
  carriedOut,
  noon,
  operation,
  settledBy,
  type Told,
  tell
} from "../../domain/payments/support/SamplePayment.ts"
import { declined, lost, notSent } from "../../domain/payments/support/ScriptedProvider.ts"
import { commit, type Shop, shop, store, storeHistory } from "./support/Shop.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const settled = (before: Told, outcome: Parameters<typeof settledBy>[1], at = noon + second): Told =>
  tell(before, settledBy(before.payment, outcome, at))
const authorize = (begun: Told): Told => settled(begun, accepted())

const challenged = (begun: Told): Told => {
  const step = { type: "redirect", url: "https://issuer.test" } as const
  return settled(begun, ActionRequired({ step, answer: { responseCode: null, fields: {} }, echo: {} }))
}

const reviewed = (before: Told, at = noon + minute): Told =>
  tell(before, { type: "review.requested", at, reason: "another amount" })

/** The shop's own among what is claimed at this time; others' are held and given back by their leases. */
const claim = ({ caller }: Shop, now: number, limit = 10_000, without: ReadonlyArray<string> = []) =>
  Effect.flatMap(FollowUps, (followUps) =>
    Effect.map(followUps.claim(now, limit, without), (all) =>
      all.filter((one) => one.caller.organizationId === caller.organizationId)
    )
  )

const idsOf = (all: ReadonlyArray<Pick<Claimed, "paymentId">>) => all.map(({ paymentId }) => paymentId)
const only = (all: ReadonlyArray<Claimed>): Claimed => {
  assert.lengthOf(all, 1)
  return all[0] ?? assert.fail("nothing was claimed")
}
const release = (claimed: Claimed, at: number | null, tries = claimed.tries + 1) =>
  Effect.flatMap(FollowUps, (followUps) => followUps.release(claimed, at, tries))
const enlist = (now: number, since: number | null = now) =>
  Effect.flatMap(FollowUps, (followUps) => followUps.enlist(now, since))

/** What every adapter of the port `FollowUps` keeps. `organization` makes one known to the adapter, if it must be. */
export const followUpsContract = <R>(
  it: Vitest.MethodsNonLive<FollowUps | PaymentStore | R>,
  organization: (id: string, isSandbox: boolean) => Effect.Effect<void, never, R>
): void => {
  const open = Effect.fnUntraced(function* (name: string) {
    const owner = shop(name)
    yield* organization(owner.caller.organizationId, true)
    return owner
  })
  /** A payment of which nobody knows what came of it, due five seconds after `at`. */
  const unknown = Effect.fnUntraced(function* (owner: Shop, number = 1, at = noon + second) {
    const begun = owner.payment(number)
    return yield* storeHistory(owner, [begun, settled(begun, lost, at)])
  })

  it.effect("never looks at what was settled by its request", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_settled")
      for (const [number, outcome] of [accepted(), declined, notSent].entries()) {
        const begun = owner.payment(number + 1)
        yield* storeHistory(owner, [begun, settled(begun, outcome)])
      }
      yield* enlist(noon + minute, null)
      assert.deepStrictEqual(yield* claim(owner, noon + 30 * day), [])
    })
  )

  it.effect("gives out what is open when its time has come, with all that is needed to look at it", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_due")
      const { payment } = yield* unknown(owner)
      assert.deepStrictEqual(yield* claim(owner, noon + 6 * second - 1), [])
      const { leaseUntil, ...claimed } = only(yield* claim(owner, noon + 6 * second))
      assert.deepStrictEqual(claimed, {
        caller: owner.caller,
        paymentId: payment.id,
        provider: "akbank",
        kind: "open",
        tries: 0
      })
      assert.isAbove(leaseUntil, noon + 60 * second)
    })
  )

  it.effect("gives it to nobody else while it is held, and to the next when that has ended", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_lease")
      yield* unknown(owner)
      const first = only(yield* claim(owner, noon + minute))
      assert.deepStrictEqual(yield* claim(owner, first.leaseUntil - 1), [])
      const second_ = only(yield* claim(owner, first.leaseUntil))
      assert.strictEqual(second_.tries, 0)
      // Whoever held it before has nothing to give back any more.
      yield* release(first, null)
      yield* release(first, first.leaseUntil)
      assert.deepStrictEqual(yield* claim(owner, first.leaseUntil + second), [])
      assert.lengthOf(yield* claim(owner, second_.leaseUntil), 1)
    })
  )

  it.effect("takes it back until the next time, with how often it was asked, or for good", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_release")
      yield* unknown(owner)
      const first = only(yield* claim(owner, noon + minute))
      yield* release(first, noon + 5 * minute, 1)
      assert.deepStrictEqual(yield* claim(owner, noon + 5 * minute - 1), [])
      const next = only(yield* claim(owner, noon + 5 * minute))
      assert.strictEqual(next.tries, 1)
      yield* release(next, null)
      assert.deepStrictEqual(yield* claim(owner, noon + 30 * day), [])
    })
  )

  it.effect("leaves the time that a commit has set since, whatever is given back after it", () =>
    Effect.gen(function* () {
      for (const at of [null, noon + 9 * day]) {
        const owner = yield* open(`followUps_committed_${at}`)
        const before = yield* unknown(owner)
        const claimed = only(yield* claim(owner, noon + 2 * hour))
        yield* commit(before, settled(before, lost, noon + 2 * hour))
        yield* release(claimed, at, 5)
        const again = only(yield* claim(owner, noon + 2 * hour + 5 * second))
        assert.strictEqual(again.tries, 0)
      }
    })
  )

  it.effect("looks once more, and only once, at what has been settled since", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_over")
      const before = yield* unknown(owner)
      const held = only(yield* claim(owner, noon + minute))
      yield* release(held, noon + 5 * hour)
      yield* commit(before, settled(before, accepted(), noon + 2 * minute))
      const last = only(yield* claim(owner, noon + 2 * minute))
      yield* release(last, null)
      yield* enlist(noon + hour, null)
      assert.deepStrictEqual(yield* claim(owner, noon + 6 * day), [])
    })
  )

  it.effect("gives each to one of several who ask at once", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_together")
      const all = yield* Effect.forEach(Array.from({ length: 24 }), (_, index) => unknown(owner, index + 1))
      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => claim(owner, noon + minute, 10_000)),
        { concurrency: "unbounded" }
      )
      const ids = claims.flat().map(({ paymentId }) => paymentId)
      assert.sameMembers(
        ids,
        all.map(({ payment }) => payment.id)
      )
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect("gives at most as many as are asked for, the longest due first", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_order")
      // Long before anything of the other tests is due.
      const early = Date.UTC(2001, 0, 1)
      for (const number of [1, 2, 3, 4, 5]) yield* unknown(owner, number, early - number * minute)
      const id = (number: number) => owner.payment(number).payment.id
      assert.deepStrictEqual(idsOf(yield* claim(owner, early, 2)), [id(5), id(4)])
      assert.deepStrictEqual(idsOf(yield* claim(owner, early, 2)), [id(3), id(2)])
      assert.deepStrictEqual(idsOf(yield* claim(owner, early, 2)), [id(1)])
    })
  )

  it.effect("leaves out the providers that are named", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_without")
      yield* unknown(owner)
      assert.deepStrictEqual(yield* claim(owner, noon + minute, 10_000, ["isbank", "akbank"]), [])
      assert.lengthOf(yield* claim(owner, noon + minute, 10_000, ["isbank"]), 1)
    })
  )

  it.effect("takes up what a crash left open, from its deadline on and once", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_crash")
      const running = owner.payment(1)
      yield* store(owner, running)
      const capture = operation({ createdAt: noon + second, deadline: noon + 31 * second })
      const capturing = tell(authorize(owner.payment(2)), begunOperation(capture))
      yield* storeHistory(owner, [owner.payment(2), authorize(owner.payment(2)), capturing])
      yield* enlist(noon + 30 * second - 1)
      assert.deepStrictEqual(yield* claim(owner, noon + 30 * second), [])
      yield* enlist(noon + 30 * second)
      const first = only(yield* claim(owner, noon + 30 * second))
      assert.deepInclude(first, { paymentId: running.payment.id, kind: "open", tries: 0, provider: "akbank" })
      yield* enlist(noon + 31 * second)
      assert.deepStrictEqual(idsOf(yield* claim(owner, noon + 31 * second)), [capturing.payment.id])
      // Who is on the list keeps his place.
      yield* release(first, noon + hour, 3)
      yield* enlist(noon + 2 * minute)
      yield* enlist(noon + 2 * minute, null)
      assert.deepStrictEqual(yield* claim(owner, first.leaseUntil - second), [])
      const last = (yield* claim(owner, noon + hour)).find(({ paymentId }) => paymentId === running.payment.id)
      assert.strictEqual(last?.tries, 3)
    })
  )

  it.effect("takes up no refund that waits for its batch", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_deferred")
      const captured = carriedOut(authorize(owner.payment(1)), operation())
      const refund = operation({ id: "op_refund", type: "REFUND", minor: 1_000n })
      const begun = tell(captured, begunOperation(refund))
      const waiting = tell(begun, deferOperation(refund, noon + 8 * hour, noon + 5 * second, "request"))
      yield* storeHistory(owner, [owner.payment(1), captured, begun, waiting])
      yield* enlist(noon + 2 * day, null)
      assert.deepStrictEqual(yield* claim(owner, noon + 2 * day), [])
    })
  )

  it.effect("takes up what has expired since the last look, or ever, and has something left", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_expiry")
      const expiring = (number: number, at: number): Told => {
        const begun = owner.payment(number)
        return settled(begun, accepted({ expiresAt: DateTime.makeUnsafe(at) }))
      }
      const times = [noon + hour, noon + 2 * hour, noon + 3 * hour]
      for (const [index, at] of times.entries()) {
        yield* storeHistory(owner, [owner.payment(index + 1), expiring(index + 1, at)])
      }
      const captured = carriedOut(expiring(4, noon + hour), operation())
      yield* storeHistory(owner, [owner.payment(4), captured])
      const capturing = tell(expiring(5, noon + hour), begunOperation(operation({ deadline: noon + 9 * day })))
      yield* storeHistory(owner, [owner.payment(5), expiring(5, noon + hour), capturing])
      const id = (number: number) => owner.payment(number).payment.id
      yield* enlist(noon + 2 * hour, noon + 2 * hour)
      assert.deepStrictEqual(yield* claim(owner, noon + 2 * hour), [])
      yield* enlist(noon + 2 * hour, noon + 90 * minute)
      assert.deepStrictEqual(idsOf(yield* claim(owner, noon + 2 * hour)), [id(2)])
      yield* enlist(noon + 2 * hour, null)
      assert.deepStrictEqual(idsOf(yield* claim(owner, noon + 2 * hour)), [id(1)])
      yield* enlist(noon + 2 * day, null)
      assert.include(idsOf(yield* claim(owner, noon + 2 * day)), id(3))
    })
  )

  it.effect("tells late approvals from what is open", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_late")
      const before = yield* unknown(owner)
      yield* commit(before, settled(before, declined, noon + 2 * second))
      assert.deepStrictEqual(yield* claim(owner, noon + 5 * minute), [])
      const claimed = only(yield* claim(owner, noon + 5 * minute + 2 * second))
      assert.deepInclude(claimed, { kind: "late", tries: 0 })
    })
  )

  it.effect("looks at a challenge when its time is over", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_challenge")
      const before = challenged(owner.payment(1))
      yield* storeHistory(owner, [owner.payment(1), before])
      const endsAt = before.payment.challenge?.endsAt ?? 0
      assert.deepStrictEqual(yield* claim(owner, endsAt - 1), [])
      const held = only(yield* claim(owner, endsAt))
      const at = endsAt + second
      const ended: PaymentEvent = { type: "challenge.ended", at, by: "timeout", deadline: at + 30 * second }
      yield* commit(before, tell(before, ended))
      yield* release(held, null)
      assert.lengthOf(yield* claim(owner, at + 30 * second), 1)
    })
  )

  it.effect("brings the open questions of a provider forward that were asked in vain, and no others", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_wake")
      const followUps = yield* FollowUps
      const moved = (number: number): Told => {
        const begun = owner.payment(number)
        const [first] = begun.payment.attempts
        if (first === undefined) return assert.fail("no attempt")
        const rerouted: PaymentEvent = {
          type: "payment.rerouted",
          at: noon + second,
          result: attemptResult(first, notSent, noon + second),
          attempt: {
            number: 2,
            provider: "wakebank",
            reference: `wake-${number}`,
            startedAt: noon,
            deadline: noon + 30 * second
          }
        }
        const second_ = tell(begun, rerouted)
        return settled(second_, lost)
      }
      for (const number of [1, 2, 3, 4]) yield* storeHistory(owner, [owner.payment(number), moved(number)])
      yield* unknown(owner, 5)
      const tries = new Map([1, 2, 3, 4, 5].map((number) => [owner.payment(number).payment.id, number - 1]))
      for (const one of yield* claim(owner, noon + minute)) {
        const asked = tries.get(one.paymentId) ?? 0
        yield* release(one, noon + (asked + 1) * hour, asked)
      }
      const id = (number: number) => owner.payment(number).payment.id
      const later = noon + 2 * minute
      const shortly = Effect.map(claim(owner, later), (all) => all.map((one) => [one.paymentId, one.tries]))
      yield* followUps.wake("nobody", later)
      assert.deepStrictEqual(yield* shortly, [])
      // To try the provider: the first of them, where it is in its schedule. The first payment was never asked about.
      yield* followUps.wake("wakebank", later, 1)
      assert.deepStrictEqual(yield* shortly, [[id(2), 1]])
      yield* followUps.wake("wakebank", later)
      assert.sameDeepMembers(yield* shortly, [
        [id(3), 1],
        [id(4), 1]
      ])
    })
  )

  it.effect("tries a provider without beginning a schedule anew", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_probe")
      const followUps = yield* FollowUps
      yield* unknown(owner, 1)
      yield* release(only(yield* claim(owner, noon + minute)), noon + 8 * hour, 6)
      yield* followUps.wake("akbank", noon + 2 * minute, 10_000)
      assert.strictEqual(only(yield* claim(owner, noon + 2 * minute)).tries, 6)
    })
  )

  it.effect("brings all of them forward when a process starts, and no late ones", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_wakeAll")
      const followUps = yield* FollowUps
      yield* unknown(owner, 1)
      const before = yield* unknown(owner, 2)
      yield* commit(before, settled(before, declined, noon + 2 * second))
      const begun = owner.payment(3)
      yield* storeHistory(owner, [begun, challenged(begun)])
      for (const one of yield* claim(owner, noon + 10 * minute)) yield* release(one, noon + 8 * hour, 2)
      yield* followUps.wakeAll(noon + 20 * minute)
      const ids = idsOf(yield* claim(owner, noon + 20 * minute))
      assert.include(ids, owner.payment(1).payment.id)
      assert.notInclude(ids, before.payment.id)
    })
  )

  it.effect("lists what needs a person, the oldest first, until it no longer does", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_review")
      const followUps = yield* FollowUps
      const reviews = Effect.map(followUps.reviews, (all) =>
        all.filter(({ caller }) => caller.organizationId === owner.caller.organizationId)
      )
      const under: Array<Told> = []
      for (const number of [2, 1]) {
        const begun = owner.payment(number, { createdAt: noon + number * second })
        under.push(
          yield* storeHistory(owner, [
            begun,
            settled(begun, lost, noon + minute),
            reviewed(settled(begun, lost, noon + minute))
          ])
        )
      }
      const [late, early] = under
      if (late === undefined || early === undefined) return assert.fail("not stored")
      assert.deepStrictEqual(idsOf(yield* reviews), [early.payment.id, late.payment.id])
      assert.deepStrictEqual((yield* reviews)[0]?.caller, owner.caller)
      // Asked on daily, and woken like all that was asked in vain.
      assert.deepStrictEqual(yield* claim(owner, noon + 10 * minute), [])
      yield* followUps.wakeAll(noon + hour)
      assert.lengthOf(yield* claim(owner, noon + hour), 2)
      yield* commit(early, settled(early, accepted(), noon + 2 * hour))
      yield* commit(late, tell(late, { type: "review.closed", at: noon + 2 * hour, evidence: "line 7" }))
      assert.deepStrictEqual(yield* reviews, [])
    })
  )

  it.effect("keeps what is received and decided later on its list", () =>
    Effect.gen(function* () {
      const owner = yield* open("followUps_pending")
      const until = DateTime.makeUnsafe(noon + day)
      const begun = owner.payment(1)
      const pending = Pending({ answer: { responseCode: null, fields: {} }, echo: {}, learnBy: "notification", until })
      yield* storeHistory(owner, [begun, settled(begun, pending)])
      assert.lengthOf(yield* claim(owner, noon + minute), 1)
    })
  )
}
