import { assert, describe, it } from "@effect/vitest"
import {
  BillStatus,
  billTransitions,
  committedStatuses,
  decideBill,
  unpaidStatuses
} from "@sarraf/domain/bills/BillStatus"
import { CardStatus, cardTransitions, decideCard } from "@sarraf/domain/cards/CardStatus"
import {
  CardTransactionStatus,
  cardTransactionTransitions,
  decideCardTransaction
} from "@sarraf/domain/cards/CardTransaction"
import type { StateRefused } from "@sarraf/domain/errors/Refusals"
import type { StateTable } from "@sarraf/domain/states/StateTable"
import { Result, Schema } from "effect"

/** What a table's row says of a command, and what was decided. */
const agrees = (
  [resource, table]: readonly [string, StateTable],
  [status, command]: readonly [string, string],
  decided: Result.Result<string, StateRefused>
) => {
  const row = table[status] ?? {}
  if (Result.isSuccess(decided)) return assert.strictEqual(decided.success, row[command])
  assert.isUndefined(row[command])
  assert.deepInclude({ ...decided.failure }, { resource, status, allowed: Object.keys(row) })
}

/** The states that are reached from one of them. */
const reachedFrom = (table: StateTable, first: string) => {
  const reached = new Set([first])
  for (const _ of Object.keys(table)) {
    for (const status of [...reached]) for (const next of Object.values(table[status] ?? {})) reached.add(next)
  }
  return [...reached].sort()
}

const CardCommand = Schema.Literals(["freeze", "unfreeze", "close"])
const TransactionCommand = Schema.Literals(["clear", "reverse", "lapse"])
const BillCommand = Schema.Literals(["approve", "reject", "cancel", "schedule", "unschedule", "revise", "pay"])

describe("The tables of states", () => {
  it.prop("of a card decide exactly where they say so", [CardStatus, CardCommand], ([status, command]) => {
    agrees(["card", cardTransitions], [status, command], decideCard(status, command))
  })

  it.prop(
    "of a card transaction decide exactly where they say so",
    [CardTransactionStatus, TransactionCommand],
    ([status, command]) => {
      const decided = decideCardTransaction(status, command)
      agrees(["card transaction", cardTransactionTransitions], [status, command], decided)
    }
  )

  it.prop("of a bill decide exactly where they say so", [BillStatus, BillCommand], ([status, command]) => {
    agrees(["bill", billTransitions], [status, command], decideBill(status, command))
  })

  it("lead from the first state to every other one, but for payments that never began", () => {
    assert.deepStrictEqual(reachedFrom(cardTransitions, "ACTIVE"), Object.keys(cardTransitions).sort())
    assert.deepStrictEqual(reachedFrom(billTransitions, "RECEIVED"), Object.keys(billTransitions).sort())
    assert.deepStrictEqual(reachedFrom(cardTransactionTransitions, "PENDING"), ["CLEARED", "PENDING", "REVERSED"])
  })

  it("count as unpaid what can still be paid, and as spent what was approved", () => {
    const payable = Object.keys(billTransitions).filter((status) =>
      reachedFrom(billTransitions, status).includes("PAID")
    )
    assert.sameMembers(payable, [...unpaidStatuses, "PAID"])
    assert.sameMembers([...committedStatuses], ["APPROVED", "SCHEDULED", "PAID"])
  })
})
