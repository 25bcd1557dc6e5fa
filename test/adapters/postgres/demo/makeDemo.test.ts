import { assert, describe, it } from "@effect/vitest"
import type { ExpenseSideMemory } from "@sarraf/adapters/memory/ExpenseSideMemory"
import { operator } from "@sarraf/adapters/memory/MemoryExchangeRates"
import { demoMerchants, otherMerchants } from "@sarraf/adapters/postgres/demo/DemoMerchants"
import { demoPeople, otherSandbox, persons, sandbox } from "@sarraf/adapters/postgres/demo/DemoPeople"
import { demoReceipt } from "@sarraf/adapters/postgres/demo/DemoReceipts"
import { demoRows, rateRows } from "@sarraf/adapters/postgres/demo/DemoRows"
import { sandboxYear } from "@sarraf/adapters/postgres/demo/DemoYear"
import { makeDemo } from "@sarraf/adapters/postgres/demo/makeDemo"
import { standingOf } from "@sarraf/domain/approvals/ApprovalStanding"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { convert } from "@sarraf/domain/money/Conversion"
import { toDecimal } from "@sarraf/domain/money/Money"
import { ratesOf } from "@sarraf/domain/money/RateLookup"
import { recognise } from "@sarraf/domain/receipts/MediaType"
import { receiptIdIn } from "@sarraf/domain/receipts/Receipt"
import { Effect, Result } from "effect"

type Memory = ExpenseSideMemory["Service"]

const now = Date.parse("2026-11-21T12:00:00Z")
const rowsOf = (memory: Memory) =>
  JSON.stringify([demoRows(memory, sandbox), demoRows(memory, otherSandbox), rateRows(memory, 0)])
const counted = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string) =>
  Object.fromEntries(
    [...Map.groupBy(all, keyOf)]
      .map(([key, group]) => [key, group.length] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1))
  )

const nameOf = (userId: string | null) => demoPeople.find(({ id }) => id === userId)?.name ?? "nobody"

/** Made once: nothing changes it. */
const demo = Effect.runSync(Effect.cached(makeDemo(now)))

describe("the demo year", () => {
  it.effect("is the same each time", () =>
    Effect.gen(function* () {
      assert.strictEqual(rowsOf(yield* demo), rowsOf(yield* makeDemo(now)))
    })
  )

  it.effect("has these expenses by state, currency and person", () =>
    Effect.gen(function* () {
      const expenses = (yield* demo).expenses.all(sandbox)
      assert.deepStrictEqual(
        {
          states: counted(expenses, ({ status }) => status),
          currencies: counted(expenses, ({ amount }) => amount.currency),
          persons: counted(expenses, ({ userId }) => nameOf(userId)),
          months: counted(expenses, ({ date }) => date.slice(0, 7))
        },
        {
          states: { APPROVED: 53, DRAFT: 21, PENDING: 19, REIMBURSED: 466, REJECTED: 28 },
          currencies: { AED: 54, EUR: 58, GBP: 67, JPY: 1, KWD: 4, TRY: 354, USD: 49 },
          persons: {
            "Ayşe Çelik": 58,
            "Burak Şahin": 65,
            "Can Öztürk": 111,
            "Deniz Kaya": 55,
            "Elif Demir": 8,
            "James Whitfield": 61,
            "Katrin Vogel": 24,
            "Leyla Haddad": 68,
            "Mert Yıldız": 25,
            "Ozan Polat": 68,
            "Zeynep Arslan": 44
          },
          months: {
            "2025-12": 46,
            "2026-01": 43,
            "2026-02": 49,
            "2026-03": 58,
            "2026-04": 53,
            "2026-05": 48,
            "2026-06": 40,
            "2026-07": 37,
            "2026-08": 54,
            "2026-09": 62,
            "2026-10": 60,
            "2026-11": 37
          }
        }
      )
      assert.strictEqual((yield* demo).expenses.all(otherSandbox).length, 25)
    })
  )

  it.effect("of an earlier day of the month is the beginning of that of a later one", () =>
    Effect.gen(function* () {
      const [earlier, later] = [yield* makeDemo(Date.parse("2026-11-09T12:00:00Z")), yield* demo]
      for (const organizationId of [sandbox, otherSandbox]) {
        const [some, all] = [earlier.auditRecords.all(organizationId), later.auditRecords.all(organizationId)]
        assert.isAbove(some.length, 100)
        assert.isAtLeast(all.length, some.length)
        assert.deepStrictEqual(some, all.slice(0, some.length))
      }
    })
  )

  it.effect("has the same purchases in whichever month it ends", () =>
    Effect.gen(function* () {
      const memory = yield* makeDemo(Date.parse("2027-02-28T20:59:00Z"))
      const entered = memory.expenses
        .all(sandbox)
        .map(({ amount, merchant, userId }) => `${merchant} ${toDecimal(amount.currency, amount.minor)} ${userId}`)
      const planned = sandboxYear().map(({ amount, merchant, userId }) => `${merchant.name} ${amount} ${userId}`)
      assert.isAtLeast(planned.length, 600)
      // Those of the last days are not entered on the same day.
      assert.isAtLeast(entered.length, 595)
      const left = [...planned]
      for (const one of entered) {
        assert.include(left, one)
        left.splice(left.indexOf(one), 1)
      }
    })
  )

  it.effect("lies in the past, also right at the beginning of a month, when somebody waits already", () =>
    Effect.gen(function* () {
      const start = Date.parse("2026-10-31T21:00:00Z")
      const memory = yield* makeDemo(start)
      const times = [
        ...memory.auditRecords.all(sandbox).map(({ at }) => at),
        ...memory.events.all(sandbox).map(({ at }) => at),
        ...memory.expenses.all(sandbox).map(({ updatedAt }) => updatedAt)
      ]
      assert.isAtMost(Math.max(...times), start)
      const dates = [
        ...memory.expenses.all(sandbox),
        ...memory.quotations.all(operator).flatMap((day) => [...day.values()])
      ]
      assert.isTrue(dates.every(({ date }) => date <= "2026-11-01"))
      for (const userId of [persons.elif, persons.mert, persons.zeynep])
        assert.isAbove(waiting(memory, userId).length, 3)
    })
  )

  it.effect("has for the approver, the administrator and the owner what they may decide now", () =>
    Effect.gen(function* () {
      for (const userId of [persons.elif, persons.mert, persons.zeynep]) {
        assert.isAbove(waiting(yield* demo, userId).length, 5, nameOf(userId))
      }
      const half = (yield* demo).approvals
        .all(sandbox)
        .filter(({ status, step, steps }) => status === "OPEN" && step === 1 && steps.length === 2)
      assert.isAbove(half.length, 0)
    })
  )

  it.effect("keeps its books: states, approvals, events and amounts agree", () =>
    Effect.gen(function* () {
      const memory = yield* demo
      const quotations = memory.quotations.all(operator).flatMap((day) => [...day.values()])
      for (const organizationId of [sandbox, otherSandbox]) {
        const events = Map.groupBy(memory.events.all(organizationId), ({ objectId }) => objectId)
        const audit = Map.groupBy(memory.auditRecords.all(organizationId), ({ subject }) => subject.id)
        const { baseCurrency } = memory.organizations.get(organizationId, organizationId) ?? { baseCurrency: "" }
        for (const expense of memory.expenses.all(organizationId)) {
          const told = (events.get(expense.id) ?? []).map(({ type }) => type)
          const done = (audit.get(expense.id) ?? []).map(({ action }) => action)
          assert.strictEqual(stateAfter(done), expense.status, expense.id)
          assert.deepStrictEqual(
            told,
            done.filter((action) => /submitted|approved|rejected/u.test(action)) as typeof told
          )
          const approval = memory.approvals.get(organizationId, expense.approvalId ?? "")
          assert.strictEqual(approval?.status, approvalStates[expense.status], expense.id)
          assert.strictEqual(expense.base?.currency, baseCurrency)
          const rate = ratesOf(
            quotations.filter(({ date }) => date <= expense.date && date > daysBefore(expense.date, 11)),
            [expense.amount.currency],
            baseCurrency
          ).get(expense.amount.currency)
          const converted = rate === undefined ? expense.amount : convert(expense.amount, rate, baseCurrency)
          assert.strictEqual(expense.base?.minor, converted?.minor)
        }
        const sequences = [...events.values()].map((some) => some.map(({ sequence }) => sequence))
        for (const numbers of sequences)
          assert.deepStrictEqual(
            numbers,
            numbers.map((_, index) => index + 1)
          )
      }
    })
  )

  it.effect(
    "has what there is to be seen: blocked drafts, duplicates, reasons, a chain, a delegate, somebody who left",
    () =>
      Effect.gen(function* () {
        const memory = yield* demo
        const expenses = memory.expenses.all(sandbox)
        assert.isTrue(expenseStatuses.every((status) => expenses.some((expense) => expense.status === status)))
        const blocked = expenses.filter(({ violations }) =>
          violations.some(({ enforcement }) => enforcement === "BLOCK")
        )
        assert.isAtLeast(blocked.length, 3)
        assert.isTrue(blocked.every(({ status }) => status === "DRAFT"))
        assert.isAtLeast(expenses.filter(({ duplicates }) => (duplicates[0]?.score ?? 0) >= 80).length, 3)
        assert.isTrue(
          expenses
            .filter(({ status }) => status === "REJECTED")
            .every(({ rejectionReason }) => rejectionReason !== null)
        )
        const decisions = memory.approvals.all(sandbox).flatMap((approval) => approval.decisions)
        assert.isTrue(decisions.some(({ onBehalfOf }) => onBehalfOf === persons.zeynep))
        assert.strictEqual(memory.members.get(sandbox, persons.katrin)?.status, "INACTIVE")
        assert.deepStrictEqual(
          memory.delegations.all(sandbox).map(({ endsAt }) => endsAt < now),
          [true]
        )
      })
  )

  it.effect("has receipts that are there, and files that are what they say", () =>
    Effect.gen(function* () {
      const memory = yield* demo
      for (const { receiptUrl } of memory.expenses.all(sandbox)) {
        if (receiptUrl !== null) assert.isDefined(memory.receipts.get(sandbox, receiptIdIn(receiptUrl) ?? ""))
      }
      for (const merchant of [...demoMerchants, ...otherMerchants]) {
        const { content, name } = demoReceipt(merchant)
        const type = Result.getOrThrow(recognise(content))
        assert.strictEqual(type, name.endsWith(".pdf") ? "application/pdf" : "image/png")
      }
    })
  )
})

const daysBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10)

/** What an expense's approval is while the expense is in a state; a draft has none. */
const approvalStates: Readonly<Record<Expense["status"], string | undefined>> = {
  DRAFT: undefined,
  PENDING: "OPEN",
  APPROVED: "APPROVED",
  REIMBURSED: "APPROVED",
  REJECTED: "REJECTED"
}

const statesAfter: Readonly<Record<string, Expense["status"]>> = {
  "expense.created": "DRAFT",
  "expense.submitted": "PENDING",
  "expense.withdrawn": "DRAFT",
  "expense.reopened": "DRAFT",
  "expense.approved": "APPROVED",
  "expense.rejected": "REJECTED",
  "expense.reimbursed": "REIMBURSED"
}

const stateAfter = (actions: ReadonlyArray<string>) => statesAfter[actions.at(-1) ?? ""]

/** The open approvals that a person may decide. */
const waiting = (memory: Memory, userId: string) => {
  const members = new Map(memory.members.all(sandbox).map((member) => [member.userId, member]))
  const settings = { apiKeysMayApprove: false, soleOwnerMayApprove: false }
  return memory.approvals
    .all(sandbox)
    .filter(({ status }) => status === "OPEN")
    .filter((approval) =>
      standingOf(approval, { members, settings, delegations: [] }).deciders.some(
        ({ member }) => member.userId === userId
      )
    )
}
