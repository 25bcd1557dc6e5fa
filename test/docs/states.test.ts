import { readFileSync } from "node:fs"
import { approvalTransitions } from "@sarraf/domain/approvals/Approval"
import { changesAllowedIn, expenseTransitions } from "@sarraf/domain/expenses/ExpenseStatus"
import { assert, describe, it } from "vitest"

const documented = readFileSync(new URL("../../docs/expenses.md", import.meta.url), "utf8")

type Transitions = Readonly<Record<string, Readonly<Record<string, string>>>>

const arrowsOf = (transitions: Transitions) =>
  Object.entries(transitions).flatMap(([from, commands]) =>
    Object.entries(commands).map(([command, to]) => `  ${from} --> ${to}: ${command}`)
  )

/** The arrows of the diagram in which this state is the first. */
const drawn = (first: string) => {
  const [, diagram = ""] = documented.match(new RegExp(`  \\[\\*\\] --> ${first}\\n([\\s\\S]*?)\`\`\``)) ?? []
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
