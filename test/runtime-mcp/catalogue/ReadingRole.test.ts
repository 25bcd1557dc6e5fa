import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { assert, describe, it } from "vitest"
import { exchangeAs, people, useDemoCatalogue } from "../support/DemoCatalogue.ts"

/** The tools read with the right of the role that only reads, and with no other: what is taken from it is gone for them. */

const { call, onDatabase } = useDemoCatalogue()
const owner = exchangeAs(people.owner)

const needs: ReadonlyArray<readonly [string, string, object]> = [
  ["payments", "list_payments", {}],
  ["cards", "list_cards", {}],
  ["card_transactions", "list_card_transactions", {}],
  ["bills", "list_bills", {}],
  ["vendors", "list_vendors", {}],
  ["spend_sums", "get_spend_report", { group_by: "month" }],
  ["approvals", "list_approvals", { mine: false }],
  ["policies", "get_policy", {}],
  ["expenses", "list_expenses", {}],
  ["members", "whoami", {}]
]

describe("A tool", () => {
  for (const [table, tool, input] of needs) {
    it(`reads ${table} by the role's right to it: ${tool}`, async () => {
      assert.isFalse((await call(tool, input, owner)).isError)
      await onDatabase(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`REVOKE SELECT ON ${sql(table)} FROM sarraf_assistant`)
      )
      const outcome = await call(tool, input, owner).then(
        () => "answered",
        (error: unknown) => String(error)
      )
      await onDatabase(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`GRANT SELECT ON ${sql(table)} TO sarraf_assistant`)
      )
      assert.notStrictEqual(outcome, "answered")
      assert.notInclude(outcome, "SELECT")
    })
  }

  it("sees no rows where the policy of its role is gone", async () => {
    await onDatabase(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP POLICY assistant_reads ON expenses`))
    assert.deepStrictEqual((await call("list_expenses", {}, owner)).body, { items: [], next_cursor: null })
  })
})
