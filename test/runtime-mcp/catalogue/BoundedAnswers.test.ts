import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { assert, beforeAll, describe, it } from "vitest"
import { exchangeAs, itemsOf, people, sandbox, useDemoCatalogue } from "../support/DemoCatalogue.ts"
import { faultsAgainst } from "../support/schemas.ts"

/** An answer stays under about 20,000 tokens, whatever people entered in a year. */

const { call, catalogue, onDatabase } = useDemoCatalogue()
const owner = exchangeAs(people.owner)
const answerMax = 80_000

/** Makes everything that people write as long as the API takes it anywhere, in characters of which JSON makes several. */
beforeAll(
  () =>
    onDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const long = `"\u0001\\${'Çay "taze"\n'.repeat(200)}🫖`
        const violations = JSON.stringify(
          Array.from({ length: 40 }, (_, index) => ({
            policyId: `pol_01h455vb4pex5vsknk084s${String(index).padStart(4, "0")}`,
            policyVersion: 1,
            name: long,
            enforcement: "WARN",
            message: long
          }))
        )
        const duplicates = JSON.stringify(
          Array.from({ length: 3 }, () => ({
            expenseId: "exp_01h455vb4pex5vsknk084sn02q",
            score: 90,
            reasons: [long, long]
          }))
        )
        yield* sql`UPDATE expenses SET merchant = id || ${long}, category = id || ${long}, description = ${long},
            rejection_reason = ${long}, duplicates = ${duplicates}::jsonb
          WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE expenses SET violations = ${violations}::jsonb WHERE organization_id = ${sandbox}
          AND id IN (SELECT id FROM expenses WHERE organization_id = ${sandbox} ORDER BY id DESC LIMIT 20)`
        yield* sql`UPDATE members SET name = ${long} WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE departments SET name = ${long} || id WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE organizations SET name = ${long} WHERE id = ${sandbox}`
        yield* sql`UPDATE cards SET name = ${long}, allowed_merchants = array_fill(${long}::text, ARRAY[100])
          WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE card_transactions SET merchant = ${long}, category = ${long} WHERE organization_id = ${sandbox}`
        const contacts = JSON.stringify(Array.from({ length: 30 }, () => ({ name: long, email: long, phone: long })))
        const factors = JSON.stringify(Array.from({ length: 30 }, () => ({ name: "long", points: 1, sentence: long })))
        yield* sql`UPDATE vendors SET name = ${long}, legal_name = ${long}, category = ${long}, contacts = ${contacts}::jsonb,
          risk_factors = ${factors}::jsonb WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE vendor_contracts SET title = ${long} WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE bills SET number = ${long}, category = ${long}, purchase_order = ${long},
          lines = (SELECT jsonb_agg(line) FROM
            (SELECT bills.lines -> 0 || jsonb_build_object('description', ${long}::text) AS line FROM generate_series(1, 60)) AS one)
          WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE approvals SET summary = ${long} WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE approval_decisions SET reason = ${long} WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE policies SET name = ${long}, message = ${long} WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE policy_versions SET name = ${long}, message = ${long} WHERE organization_id = ${sandbox}`
        yield* sql`UPDATE payments SET merchant_reference = ${long} WHERE organization_id = ${sandbox} AND id LIKE '%1'`
      })
    ),
  120_000
)

const lists = [
  "list_expenses",
  "list_cards",
  "list_card_transactions",
  "list_bills",
  "list_vendors",
  "list_approvals",
  "get_policy",
  "list_payments"
]
const ofOne: Readonly<Record<string, string>> = {
  get_expense: "list_expenses",
  explain_expense: "list_expenses",
  get_card: "list_cards",
  get_bill: "list_bills",
  get_vendor: "list_vendors",
  get_payment: "list_payments"
}

const check = async (name: string, input: object) => {
  const { body, isError, text } = await call(name, input, owner)
  assert.isFalse(isError, `${name}: ${text}`)
  assert.isBelow(text.length, answerMax, `${name} ${JSON.stringify(input)}`)
  assert.isTrue(text.isWellFormed())
  const { outputSchema = {} } = catalogue().tools.find(({ definition }) => definition.name === name)?.definition ?? {}
  assert.deepStrictEqual(faultsAgainst(outputSchema, body), [])
  return body
}

describe("With texts as long as they can be", () => {
  for (const name of lists) {
    it(`${name} answers fewer items than were asked for, and all of them page by page`, async () => {
      const mine = name === "list_approvals" ? { mine: false } : {}
      const ids: Array<unknown> = []
      let pages = 0
      let cursor: unknown = null
      do {
        const body = await check(name, { ...mine, limit: 100, ...(cursor === null ? {} : { cursor }) })
        assert.isNotEmpty(itemsOf({ body }))
        ids.push(...itemsOf({ body }).map(({ id }) => id))
        cursor = body.next_cursor
        pages += 1
      } while (cursor !== null)
      assert.strictEqual(new Set(ids).size, ids.length)
      if (ids.length > 100) assert.isAbove(pages, Math.ceil(ids.length / 100), name)
    })
  }

  for (const [name, list] of Object.entries(ofOne)) {
    it(`${name} answers what fits, and says what is cut off`, async () => {
      const found = itemsOf(await call(list, { limit: 20 }, owner))
      assert.isNotEmpty(found)
      for (const { id } of found) {
        const body = await check(name, { id })
        if (name !== "get_payment") assert.include(JSON.stringify(body), "more characters]")
      }
    })
  }

  it("get_spend_report shows the groups that fit, and sums the others", async () => {
    for (const then_by of ["category", "department", "user", "currency", "month"]) {
      const body = await check("get_spend_report", { group_by: "merchant", then_by, limit: 100 })
      assert.isNotNull(body.other)
    }
  })

  it("get_dashboard_stats and whoami stay small", async () => {
    await check("get_dashboard_stats", {})
    await check("whoami", {})
  })

  it("resources do too", async () => {
    for (const { definition } of catalogue().resources) {
      const contents = await catalogue().readResource(definition.uri, owner)
      assert.isBelow(JSON.stringify(contents?.[0]?.text).length, 2 * answerMax)
      assert.isBelow(String(contents?.[0]?.text).length, answerMax)
    }
  })
})
