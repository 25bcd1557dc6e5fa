import { assert, describe, it } from "@effect/vitest"
import type { ExpenseSideMemory } from "@sarraf/adapters/memory/ExpenseSideMemory"
import { sandboxFates } from "@sarraf/adapters/postgres/demo/DemoBills"
import { demoCalendar } from "@sarraf/adapters/postgres/demo/DemoCalendar"
import { otherSandbox, sandbox } from "@sarraf/adapters/postgres/demo/DemoPeople"
import { makeDemo } from "@sarraf/adapters/postgres/demo/makeDemo"
import type { Bill } from "@sarraf/domain/bills/Bill"
import { billStatuses, unpaidStatuses } from "@sarraf/domain/bills/BillStatus"
import type { Card } from "@sarraf/domain/cards/Card"
import { cardStatuses } from "@sarraf/domain/cards/CardStatus"
import { type CardTransaction, cardTransactionStatuses, spendingStatuses } from "@sarraf/domain/cards/CardTransaction"
import { Effect } from "effect"

type Memory = ExpenseSideMemory["Service"]

/** In the middle of a month, right at the beginning of one, and at the end of the shortest. */
const starts = ["2026-11-21T12:00:00Z", "2026-10-31T21:00:00Z", "2027-02-28T20:59:59Z"].map((at) => Date.parse(at))

const demos = new Map(starts.map((start) => [start, Effect.runSync(Effect.cached(makeDemo(start)))]))

/** Holds at whatever time the sandbox begins. */
const atEachStart = (name: string, check: (memory: Memory, start: number, today: string) => void) =>
  it.effect.each([...demos])(name, ([start, demo]) =>
    Effect.map(demo, (memory) => check(memory, start, demoCalendar(start).dateOf(start)))
  )

const organizationIds = [sandbox, otherSandbox]

const sumOf = (transactions: ReadonlyArray<CardTransaction>) =>
  transactions.reduce((sum, { billed }) => sum + billed.minor, 0n)

/** The greatest sum of those that fall together. */
const most = (transactions: ReadonlyArray<CardTransaction>, keyOf: (at: string) => string, start: number) => {
  const { dateOf } = demoCalendar(start)
  const groups = [...Map.groupBy(transactions, ({ at }) => keyOf(dateOf(at))).values()]
  return groups.map(sumOf).reduce((one, other) => (one > other ? one : other), 0n)
}

const inReachOf = (card: Card, { at, merchant, mcc }: CardTransaction) =>
  (card.allowedMerchants.length === 0 || card.allowedMerchants.includes(merchant)) &&
  !card.blockedMccs.includes(mcc) &&
  at >= card.createdAt - 86_400_000 &&
  (card.frozenAt === null || at < card.frozenAt) &&
  (card.closedAt === null || at < card.closedAt)

const linesTotal = ({ lines, taxMinor }: Bill) => lines.reduce((sum, { amountMinor }) => sum + amountMinor, taxMinor)

describe("the demo's cards, bills and vendors", () => {
  atEachStart("have every state, and what there is to be talked about", (memory, _, today) => {
    const [cards, transactions] = [memory.cards.all(sandbox), memory.cardTransactions.all(sandbox)]
    const [bills, vendors] = [memory.bills.all(sandbox), memory.vendors.all(sandbox)]
    assert.deepStrictEqual([...new Set(cards.map(({ status }) => status))].sort(), [...cardStatuses].sort())
    assert.deepStrictEqual(
      [...new Set(transactions.map(({ status }) => status))].sort(),
      [...cardTransactionStatuses].sort()
    )
    assert.deepStrictEqual([...new Set(bills.map(({ status }) => status))].sort(), [...billStatuses].sort())
    assert.strictEqual(cards.length, 15)
    assert.isAbove(transactions.length, 600)
    assert.isAbove(new Set(transactions.map(({ declineReason }) => declineReason)).size, 4)
    assert.isAbove(transactions.filter(({ expenseId }) => expenseId !== null).length, 400)
    const lacking = transactions.filter(
      ({ hasReceipt, status }) => !hasReceipt && (status === "CLEARED" || status === "PENDING")
    )
    assert.isAbove(lacking.length, 50)
    assert.isAbove(bills.length, 110)
    assert.isAbove(bills.filter(({ dueDate, status }) => unpaidStatuses.includes(status) && dueDate < today).length, 4)
    assert.strictEqual(vendors.length, 25)
    const scores = vendors.map(({ riskScore }) => riskScore)
    assert.deepStrictEqual([Math.min(...scores), Math.max(...scores)], [5, 85])
    const shares = vendors.map(({ spend }) => spend.sharePercent).sort((one, other) => other - one)
    assert.isTrue((shares[0] ?? 0) > 30 && (shares[0] ?? 0) < 40)
    assert.isBelow(shares[1] ?? 100, 20)
    assert.isAtMost(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100), 2)
    const renewals = vendors.flatMap(({ contracts }) => contracts.flatMap(({ renewsOn }) => renewsOn ?? []))
    const soon = demoCalendar(Date.parse(today)).dateOf(Date.parse(today) + 45 * 86_400_000)
    assert.isAtLeast(renewals.filter((date) => date >= today && date <= soon).length, 3)
    assert.isAbove(memory.bills.all(otherSandbox).length, 4)
    assert.strictEqual(memory.cards.all(otherSandbox).length, 2)
  })

  atEachStart("have not happened yet where they would lie after the start", (memory, start, today) => {
    for (const organizationId of organizationIds) {
      const times = [
        ...memory.cards.all(organizationId),
        ...memory.cardTransactions.all(organizationId),
        ...memory.vendors.all(organizationId),
        ...memory.bills.all(organizationId)
      ].flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt])
      assert.isAtMost(Math.max(...times), start)
      assert.isTrue(memory.bills.all(organizationId).every(({ issueDate }) => issueDate <= today))
      const waiting = memory.bills.all(organizationId).filter(({ status }) => status === "SCHEDULED")
      assert.isTrue(waiting.every(({ scheduledFor }) => (scheduledFor ?? "") >= today))
    }
  })

  atEachStart("agree with the expenses that name a transaction: person, merchant, amount, day", (memory, start) => {
    const { dateOf } = demoCalendar(start)
    for (const organizationId of organizationIds) {
      const named = memory.expenses.all(organizationId).filter(({ cardTransactionId }) => cardTransactionId !== null)
      assert.strictEqual(new Set(named.map(({ cardTransactionId }) => cardTransactionId)).size, named.length)
      for (const expense of named) {
        const transaction = memory.cardTransactions.get(organizationId, expense.cardTransactionId ?? "")
        assert.deepStrictEqual(
          {
            userId: transaction?.userId,
            merchant: transaction?.merchant,
            amount: transaction?.amount,
            base: transaction?.base?.minor,
            date: dateOf(transaction?.at ?? 0),
            expenseId: transaction?.expenseId,
            hasReceipt: transaction?.hasReceipt
          },
          {
            userId: expense.userId ?? undefined,
            merchant: expense.merchant,
            amount: expense.amount,
            base: expense.base?.minor,
            date: expense.date,
            expenseId: expense.id,
            hasReceipt: expense.receiptUrl !== null
          }
        )
        assert.include(spendingStatuses, transaction?.status)
      }
      const linked = memory.cardTransactions.all(organizationId).filter(({ expenseId }) => expenseId !== null)
      assert.strictEqual(linked.length, named.length)
    }
  })

  atEachStart("keep to the cards' limits, and add up to what the cards say", (memory, start, today) => {
    for (const organizationId of organizationIds) {
      for (const card of memory.cards.all(organizationId)) {
        const used = memory.cardTransactions.all(organizationId).filter(({ cardId }) => cardId === card.id)
        assert.isAbove(used.length, 0, card.name)
        const counted = used.filter(({ status }) => spendingStatuses.includes(status))
        assert.isTrue(used.every(({ billed, userId }) => billed.currency === card.currency && userId === card.userId))
        assert.isTrue(counted.every((transaction) => inReachOf(card, transaction)))
        const { perDay, perMonth, perTransaction, total } = card.limits
        const within = (limit: bigint | null, sum: bigint) => assert.isTrue(limit === null || sum <= limit, card.name)
        for (const { billed } of counted) within(perTransaction, billed.minor)
        within(
          perDay,
          most(counted, (date) => date, start)
        )
        within(
          perMonth,
          most(counted, (date) => date.slice(0, 7), start)
        )
        within(total, sumOf(counted))
        const { dateOf } = demoCalendar(start)
        assert.deepStrictEqual(card.spend, {
          today: sumOf(counted.filter(({ at }) => dateOf(at) === today)),
          month: sumOf(counted.filter(({ at }) => dateOf(at).slice(0, 7) === today.slice(0, 7))),
          total: sumOf(counted)
        })
      }
    }
  })

  atEachStart("have bills whose sums, persons and vendors fit", (memory) => {
    for (const organizationId of organizationIds) {
      const bills = memory.bills.all(organizationId)
      for (const bill of bills) {
        assert.strictEqual(linesTotal(bill), bill.total.minor, bill.number)
        assert.strictEqual(memory.vendors.get(organizationId, bill.vendorId)?.name, bill.vendorName)
        assert.notStrictEqual(bill.approvedBy, bill.enteredBy)
        assert.isTrue(bill.dueDate > bill.issueDate)
        const isApproved = ["APPROVED", "SCHEDULED", "PAID"].includes(bill.status)
        assert.strictEqual(bill.digest !== null, isApproved)
        assert.isNotNull(bill.base)
      }
      for (const { riskFactors, riskScore } of memory.vendors.all(organizationId)) {
        assert.strictEqual(
          riskFactors.reduce((sum, { points }) => sum + points, 0),
          riskScore
        )
      }
    }
    const doubtful = memory.bills.all(sandbox).filter(({ duplicates }) => duplicates.length > 0)
    assert.strictEqual(doubtful.length, 2)
    const [one, other] = doubtful
    assert.deepStrictEqual(
      [one?.duplicates[0]?.billId, other?.duplicates[0]?.billId, one?.total],
      [other?.id, one?.id, other?.total]
    )
    const outcomes = memory.bills.all(sandbox).flatMap(({ match }) => match?.outcome ?? [])
    assert.includeMembers(outcomes, ["MATCHED", "DIFFERENT", "NOT_RECEIVED"])
  })

  it.effect("have a bill for each fate that is planned", () =>
    Effect.gen(function* () {
      const memory = yield* makeDemo(Date.parse("2026-11-30T20:00:00Z"))
      const reached = memory.bills
        .all(sandbox)
        .map(({ issueDate, status, vendorName }) => `${vendorName} ${Number(issueDate.slice(5, 7)) % 12} ${status}`)
      for (const [place, { until }] of Object.entries(sandboxFates)) assert.include(reached, `${place} ${until}`)
    })
  )
})
