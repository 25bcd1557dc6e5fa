import { assert, type Vitest } from "@effect/vitest"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { type ExpenseFilter, ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Money } from "@sarraf/domain/money/Money"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { now, sampleExpense } from "../../../domain/expenses/support/SampleExpense.ts"
import { Arrangement } from "../support/Arrangement.ts"

const person = (organizationId: string, name: string, role: Role = "MEMBER"): Caller["Service"] => ({
  organizationId,
  role,
  name: `user:${name}`,
  kind: "user",
  userId: name,
  createdBy: null
})
const as = (caller: Caller["Service"]) => Effect.provideService(Caller, caller)
const owner = (organizationId: string) => person(organizationId, "usr_owner", "OWNER")

/** An organization with the persons a, b and c. */
const organization = Effect.fnUntraced(function* (name: string) {
  const arrangement = yield* Arrangement
  const id = `org_${name}`
  yield* arrangement.organization(id)
  for (const userId of ["usr_a", "usr_b", "usr_c"]) yield* arrangement.member(id, userId)
  return id
})

const idOf = (number: number) => `exp_${String(number).padStart(4, "0")}`
const expense = (number: number, changes: Partial<Expense> = {}) => sampleExpense({ id: idOf(number), ...changes })

const full = expense(1, {
  status: "REIMBURSED",
  version: 5,
  amount: new Money({ currency: "KWD", minor: 1_050n }),
  description: "Dinner",
  receiptUrl: "https://example.com/r/1",
  userId: "usr_a",
  creators: ["usr_a", "usr_b"],
  submitters: ["usr_a"],
  submittedBy: "user:usr_a",
  base: { minor: 2n ** 60n, currency: "TRY", rate: "41.235", rateDate: "2026-03-13" },
  frozenRates: { USD: ["41235", "1000", "2026-03-13"] },
  violations: [{ policyId: "pol_1", policyVersion: 2, name: "Meals", enforcement: "WARN", message: "Meals." }],
  duplicates: [{ expenseId: "exp_2", score: 80, reasons: ["the same merchant"] }],
  approvalId: "apr_1",
  deciders: ["usr_c"],
  submittedAt: now + 1,
  decidedAt: now + 2,
  decidedBy: "key:shop",
  rejectionReason: "None",
  reimbursedAt: now + 3,
  updatedAt: now + 4
})

const everything = { limit: 100, after: undefined }
const idsOf = (filter: ExpenseFilter = {}, reach: "own" | "decidable" | "all" = "all") =>
  Effect.flatMap(ExpenseStore, (store) => store.list(filter, reach, everything)).pipe(
    Effect.map(({ items }) => items.map(({ id }) => Number(id.slice(4))))
  )

/** What every store of expenses keeps. */
export const expenseStoreContract = (it: Vitest.MethodsNonLive<Arrangement | ExpenseStore | UnitOfWork>) => {
  it.effect("come back as they were put in, changed and removed", () =>
    Effect.gen(function* () {
      const store = yield* ExpenseStore
      for (const one of [full, expense(2)]) {
        yield* store.insert(one)
        assert.deepStrictEqual(yield* store.find(one.id, "all"), one)
      }
      const emptied = { ...expense(1, { version: 6, createdAt: full.createdAt }), creators: full.creators }
      yield* store.save(emptied)
      assert.deepStrictEqual(yield* store.find(emptied.id, "all"), emptied)
      const refilled = { ...full, version: 7 }
      yield* store.save(refilled)
      assert.deepStrictEqual(yield* store.find(refilled.id, "all"), refilled)
      // Two changes of one version cannot both be kept.
      assert.strictEqual((yield* Effect.exit(store.save(refilled)))._tag, "Failure")
      yield* store.remove(refilled.id)
      assert.isUndefined(yield* store.find(refilled.id, "all"))
      assert.deepStrictEqual(
        (yield* store.findAll([idOf(2), idOf(1), idOf(2)], "all")).map(({ id }) => id),
        [idOf(2)]
      )
    }).pipe(as(owner("org_whole")), (test) => Effect.andThen(organization("whole"), test))
  )

  it.effect("are seen as far as the reach goes: own, decidable, also as a delegate for a time, and all", () =>
    Effect.gen(function* () {
      const id = yield* organization("reach")
      const store = yield* ExpenseStore
      yield* Effect.gen(function* () {
        yield* store.insert(expense(1, { userId: "usr_a", deciders: ["usr_b"] }))
        yield* store.insert(expense(2, { userId: "usr_b", createdBy: "user:usr_a", deciders: ["usr_c"] }))
        yield* store.insert(expense(3, { deciders: ["usr_c"] }))
        yield* store.insert(expense(4, { userId: "usr_c" }))
        yield* store.insert(expense(5, { createdBy: "key:other", deciders: [] }))
      }).pipe(as(owner(id)))
      const key = { ...owner(id), kind: "key" as const, userId: null }
      const table = [
        [person(id, "usr_a"), "own", [2, 1]],
        [person(id, "usr_b"), "own", [2]],
        [{ ...key, name: "key:shop" }, "own", [4, 3, 1]],
        [person(id, "usr_a"), "decidable", [4, 2, 1]],
        [person(id, "usr_b"), "decidable", [4, 2, 1]],
        [person(id, "usr_c"), "decidable", [4, 3, 2]],
        [{ ...key, name: "key:other" }, "decidable", [5, 4]],
        [person(id, "usr_nobody"), "all", [5, 4, 3, 2, 1]]
      ] as const
      for (const [caller, reach, seen] of table) {
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* idsOf({}, reach), [...seen], `${caller.name} ${reach}`)
          const all = [1, 2, 3, 4, 5].map(idOf)
          const locked = yield* store.lockAll(all.toReversed(), reach)
          assert.deepStrictEqual(
            locked.map((one) => one.id),
            seen.map(idOf).toReversed()
          )
          for (const one of all) {
            const isSeen = locked.some((other) => other.id === one)
            assert.strictEqual((yield* store.find(one, reach)) !== undefined, isSeen)
            assert.strictEqual((yield* store.lock(one, reach)) !== undefined, isSeen)
          }
        }).pipe(as(caller))
      }
      const { delegation } = yield* Arrangement
      const delegate = (number: number, startsAt: number, endsAt: number, endedAt: number | null) =>
        delegation(id, {
          id: `del_${number}`,
          from: "usr_c",
          to: "usr_b",
          startsAt,
          endsAt,
          endedAt,
          reason: null,
          createdBy: "user:usr_c",
          createdAt: startsAt
        })
      const seenByB = as(person(id, "usr_b"))(idsOf({}, "decidable"))
      // The test's clock begins at 0.
      yield* delegate(1, 1, 3, null)
      yield* delegate(2, -1_000, 0, null)
      yield* delegate(3, -1_000, 1_000, -1)
      assert.deepStrictEqual(yield* seenByB, [4, 2, 1])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* seenByB, [4, 3, 2, 1])
      yield* TestClock.adjust(2)
      assert.deepStrictEqual(yield* seenByB, [4, 2, 1])
    })
  )

  it.effect("are seen by the person's present manager, and by the delegate of an ADMIN or OWNER", () =>
    Effect.gen(function* () {
      const id = yield* organization("standing")
      const store = yield* ExpenseStore
      const { delegation, member } = yield* Arrangement
      yield* member(id, "usr_boss", { role: "ADMIN" })
      yield* member(id, "usr_lead", { role: "APPROVER" })
      yield* member(id, "usr_clerk", { managerId: "usr_lead" })
      yield* Effect.gen(function* () {
        yield* store.insert(expense(1, { userId: "usr_clerk", deciders: ["usr_former"] }))
        yield* store.insert(expense(2, { userId: "usr_a", deciders: ["usr_former"] }))
      }).pipe(as(owner(id)))
      const seenBy = (userId: string) => as(person(id, userId))(idsOf({}, "decidable"))
      assert.deepStrictEqual(yield* seenBy("usr_lead"), [1])
      assert.deepStrictEqual(yield* seenBy("usr_b"), [])
      const given = { endedAt: null, reason: null, startsAt: 0, endsAt: 10, createdAt: 0, createdBy: "user:usr_boss" }
      yield* delegation(id, { id: "del_1", from: "usr_boss", to: "usr_b", ...given })
      yield* delegation(id, { id: "del_2", from: "usr_clerk", to: "usr_c", ...given })
      assert.deepStrictEqual(yield* seenBy("usr_b"), [2, 1])
      assert.deepStrictEqual(yield* seenBy("usr_c"), [])
    })
  )

  it.effect("of two organizations are apart", () =>
    Effect.gen(function* () {
      const store = yield* ExpenseStore
      const [one, other] = [yield* organization("one"), yield* organization("other")]
      yield* as(owner(one))(store.insert(expense(1)))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* idsOf(), [])
        assert.isUndefined(yield* store.find(idOf(1), "all"))
        assert.isUndefined(yield* store.lock(idOf(1), "all"))
        assert.deepStrictEqual(yield* store.similar(expense(2)), [])
        assert.strictEqual((yield* store.spent(null, "2026-03-14", "")).year, 0n)
        yield* store.remove(idOf(1))
        assert.strictEqual((yield* Effect.exit(store.save(expense(1, { version: 2 }))))._tag, "Failure")
      }).pipe(as(owner(other)))
      assert.deepStrictEqual(yield* as(owner(one))(idsOf()), [1])
    })
  )

  it.effect("are found by every filter, and by all that are given", () =>
    Effect.gen(function* () {
      const id = yield* organization("filters")
      const store = yield* ExpenseStore
      yield* Effect.gen(function* () {
        yield* (yield* Arrangement).department(id, "dep_1", "One")
        yield* store.insert(expense(1, { date: "2026-01-31", merchant: "100% Coffee", category: "Meals" }))
        yield* store.insert(expense(2, { date: "2026-02-01", merchant: "Opet", category: "Fuel", userId: "usr_a" }))
        yield* store.insert(
          expense(3, { date: "2026-02-28", status: "PENDING", submittedAt: now, departmentId: "dep_1" })
        )
        yield* store.insert(
          expense(4, { amount: new Money({ currency: "JPY", minor: 5n }), base: null, description: "a_b\\c Coffee" })
        )
        const base = (minor: bigint) => ({ minor, currency: "TRY", rate: "1", rateDate: "2026-03-14" })
        yield* store.insert(expense(5, { base: base(1_000n), category: null }))
        const filters: ReadonlyArray<readonly [ExpenseFilter, ReadonlyArray<number>]> = [
          [{}, [5, 4, 3, 2, 1]],
          [{ statuses: ["PENDING", "APPROVED"] }, [3]],
          [{ statuses: [] }, []],
          [{ categories: ["Fuel", "Meals"] }, [4, 3, 2, 1]],
          [{ from: "2026-02-01", to: "2026-02-28" }, [3, 2]],
          [{ merchant: "COFFEE" }, [1]],
          [{ merchant: "0%" }, [1]],
          [{ merchant: "_" }, []],
          [{ text: "coffee" }, [4, 1]],
          [{ text: "A_B\\C" }, [4]],
          [{ text: "fuel" }, [2]],
          [{ currency: "JPY" }, [4]],
          [{ minBaseMinor: 1_000n, maxBaseMinor: 1_000n }, [5]],
          [{ minBaseMinor: 1_001n }, [3, 2, 1]],
          [{ userId: "usr_a" }, [2]],
          [{ departmentId: "dep_1" }, [3]],
          [{ departmentId: "dep_1", statuses: ["DRAFT"] }, []]
        ]
        for (const [filter, found] of filters)
          assert.deepStrictEqual(yield* idsOf(filter), [...found], JSON.stringify(filter, String))
      }).pipe(as(owner(id)))
    })
  )

  it.effect("are listed each once, page by page, while others are added", () =>
    Effect.gen(function* () {
      const id = yield* organization("pages")
      const store = yield* ExpenseStore
      yield* Effect.gen(function* () {
        for (let number = 1; number <= 10; number++) yield* store.insert(expense(number))
        const seen: Array<number> = []
        let after: string | undefined
        for (let pages = 1; ; pages++) {
          const page = yield* store.list({}, "all", { limit: 3, after })
          seen.push(...page.items.map((one) => Number(one.id.slice(4))))
          after = page.items.at(-1)?.id
          yield* store.insert(expense(10 + pages))
          if (!page.hasMore) break
        }
        assert.deepStrictEqual(seen, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      }).pipe(as(owner(id)))
    })
  )

  it.effect("that may be the same purchase are found near in date and amount, of the same person", () =>
    Effect.gen(function* () {
      const id = yield* organization("similar")
      const store = yield* ExpenseStore
      const of = (number: number, changes: Partial<Expense>) =>
        store.insert(expense(number, { userId: "usr_a", ...changes }))
      const lira = (minor: bigint) => new Money({ currency: "TRY", minor })
      yield* Effect.gen(function* () {
        yield* of(1, {})
        yield* of(2, { date: "2026-03-11", amount: lira(14_691n) })
        yield* of(3, { date: "2026-03-10" })
        yield* of(4, { amount: lira(15_400n) })
        yield* of(5, { userId: "usr_b" })
        yield* of(6, { userId: null })
        yield* of(7, { amount: new Money({ currency: "USD", minor: 14_990n }) })
        const found = (one: Expense) =>
          Effect.map(store.similar(one), (all) => all.map((other) => Number(other.id.slice(4))))
        assert.deepStrictEqual(yield* found(expense(1, { userId: "usr_a" })), [2])
        assert.deepStrictEqual(yield* found(expense(9, { userId: "usr_a" })), [1, 2])
        assert.deepStrictEqual(yield* found(expense(9)), [6])
      }).pipe(as(owner(id)))
    })
  )

  it.effect("add up what a person has spent in the periods of a date", () =>
    Effect.gen(function* () {
      const id = yield* organization("spent")
      const store = yield* ExpenseStore
      const spend = (number: number, date: string, changes: Partial<Expense> = {}) =>
        store.insert(
          expense(number, {
            date,
            userId: "usr_a",
            status: "PENDING",
            submittedAt: now,
            base: { minor: 10n ** BigInt(number - 1), currency: "TRY", rate: "1", rateDate: date },
            ...changes
          })
        )
      yield* Effect.gen(function* () {
        yield* spend(1, "2026-01-01")
        yield* spend(2, "2025-12-29")
        yield* spend(3, "2026-01-31", { status: "APPROVED", decidedAt: now })
        yield* spend(4, "2026-03-31", { status: "REIMBURSED", decidedAt: now })
        yield* spend(5, "2026-12-31")
        yield* spend(6, "2025-12-28")
        yield* spend(7, "2026-01-01", { status: "DRAFT" })
        yield* spend(8, "2026-01-01", { status: "REJECTED", decidedAt: now })
        yield* spend(9, "2026-01-01", { userId: "usr_b" })
        yield* spend(10, "2026-01-01", { userId: null })
        yield* spend(11, "2026-01-01", { base: null })
        assert.deepStrictEqual(yield* store.spent("usr_a", "2026-01-01", "exp_none"), {
          day: 1n,
          week: 11n,
          month: 101n,
          quarter: 1_101n,
          year: 11_101n
        })
        assert.strictEqual((yield* store.spent("usr_a", "2026-01-01", idOf(3))).year, 11_001n)
        assert.strictEqual((yield* store.spent(null, "2026-01-01", "exp_none")).day, 10n ** 9n)
      }).pipe(as(owner(id)))
    })
  )

  it.effect("keep a limit on what is spent when many units of work spend at once", () =>
    Effect.gen(function* () {
      const id = yield* organization("limit")
      const store = yield* ExpenseStore
      const units = yield* UnitOfWork
      const base = { minor: 10n, currency: "TRY", rate: "1", rateDate: "2026-01-01" }
      // Some on either side of the new year, in one ISO week.
      const attempt = (number: number) => {
        const date = number % 2 === 0 ? "2025-12-31" : "2026-01-01"
        const one = expense(number, { userId: "usr_a", date, status: "PENDING", submittedAt: now, base })
        return units.run(
          Effect.gen(function* () {
            yield* store.lockSpending([one])
            const { week } = yield* store.spent("usr_a", date, one.id)
            if (week + base.minor > 50n) return false
            yield* store.insert(one)
            return true
          })
        )
      }
      const numbers = Array.from({ length: 20 }, (_, index) => index + 1)
      const taken = yield* as(owner(id))(Effect.forEach(numbers, attempt, { concurrency: 8 }))
      assert.strictEqual(taken.filter(Boolean).length, 5)
    })
  )
}
