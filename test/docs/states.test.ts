import { readFileSync } from "node:fs"
import { approvalTransitions } from "@sarraf/domain/approvals/Approval"
import { billTransitions } from "@sarraf/domain/bills/BillStatus"
import { cardTransitions } from "@sarraf/domain/cards/CardStatus"
import { cardTransactionTransitions, declineReasons } from "@sarraf/domain/cards/CardTransaction"
import { changesAllowedIn, expenseTransitions } from "@sarraf/domain/expenses/ExpenseStatus"
import { assert, describe, it } from "vitest"

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8")
const documented = read("expenses.md")
const procurement = read("cards-bills-vendors.md")

type Transitions = Readonly<Record<string, Readonly<Record<string, string>>>>

const arrowsOf = (transitions: Transitions) =>
  Object.entries(transitions).flatMap(([from, commands]) =>
    Object.entries(commands).map(([command, to]) => `  ${from} --> ${to}: ${command}`)
  )

/** The arrows of the diagram in which this state is the first. */
const drawn = (first: string, page = documented) => {
  const [, diagram = ""] = page.match(new RegExp(`  \\[\\*\\] --> ${first}\\n([\\s\\S]*?)\`\`\``)) ?? []
  return diagram.trimEnd().split("\n")
}

describe("docs/expenses.md", () => {
  it("draws the states of an expense and of an approval as the tables have them", () => {
    assert.sameMembers(drawn("DRAFT"), arrowsOf(expenseTransitions))
    assert.sameMembers(drawn("OPEN"), arrowsOf(approvalTransitions))
  })

  it("lists what each state of an expense allows", () => {
    const transitions: Transitions = expenseTransitions
    for (const [status, commands] of Object.entries(transitions)) {
      const [, cell = ""] = documented.match(new RegExp(`\\| ${status} \\| (.*?) \\|`)) ?? []
      const changes = Object.entries(changesAllowedIn).flatMap(([change, statuses]) =>
        statuses.some((one) => one === status) ? [change] : []
      )
      const expected = [...Object.keys(commands), ...changes]
      assert.strictEqual(cell.split(";")[0], expected.length === 0 ? "nothing" : expected.join(", "), status)
    }
  })
})

describe("docs/cards-bills-vendors.md", () => {
  it("draws the states of a card, of its transactions and of a bill as the tables have them", () => {
    assert.sameMembers(drawn("ACTIVE", procurement), arrowsOf(cardTransitions))
    assert.sameMembers(drawn("PENDING", procurement), arrowsOf(cardTransactionTransitions))
    assert.sameMembers(drawn("RECEIVED", procurement), arrowsOf(billTransitions))
  })

  it("lists why a payment is declined", () => {
    for (const reason of declineReasons) assert.include(procurement, `\`${reason}\``)
  })
})
