import { assert, describe, it } from "@effect/vitest"
import {
  allows,
  changesAllowedIn,
  commandsOf,
  decide,
  ExpenseStatus,
  expenseStatuses,
  expenseTransitions
} from "@sarraf/domain/expenses/ExpenseStatus"
import { Result, Schema } from "effect"

const Command = Schema.Literals(["submit", "approve", "reject", "withdraw", "reimburse", "reopen", "patch", "delete"])

describe("The table of an expense's states", () => {
  it.prop(
    "decides exactly where it says so, and names what it allows instead",
    [ExpenseStatus, Command],
    ([status, command]) => {
      const transitions: Readonly<Record<string, string>> = expenseTransitions[status]
      const stays: Readonly<Record<string, ReadonlyArray<string>>> = changesAllowedIn
      const expected = transitions[command] ?? (stays[command]?.includes(status) === true ? status : undefined)
      const decided = decide(status, command)
      assert.strictEqual(allows(status, command), expected !== undefined)
      if (Result.isSuccess(decided)) assert.strictEqual(decided.success, expected)
      else {
        assert.isUndefined(expected)
        assert.deepInclude({ ...decided.failure }, { resource: "expense", status, allowed: commandsOf(status) })
      }
    }
  )

  it("leads from every state to known states only, and from DRAFT to each of them", () => {
    const reached = new Set<string>(["DRAFT"])
    for (const _ of expenseStatuses) {
      for (const status of expenseStatuses) {
        if (reached.has(status)) for (const next of Object.values(expenseTransitions[status])) reached.add(next)
      }
    }
    assert.deepStrictEqual([...reached].sort(), [...expenseStatuses].sort())
  })

  it("is the contract's", () => {
    assert.deepStrictEqual(
      expenseStatuses.map((status) => [status, ...commandsOf(status)]),
      [
        ["DRAFT", "submit", "patch", "delete"],
        ["PENDING", "approve", "reject", "withdraw", "patch"],
        ["APPROVED", "reimburse"],
        ["REJECTED", "reopen"],
        ["REIMBURSED"]
      ]
    )
  })
})
