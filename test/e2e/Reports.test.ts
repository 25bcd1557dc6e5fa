import { assert, beforeAll, describe, it } from "vitest"
import { faultPaths, problemOf } from "./support/answers.ts"
import { bearerOf, bodyOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { commandExpense, createExpense, type ExpenseAnswer, expensesPath } from "./support/expenses.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** Reports and statistics over HTTP (contract section 6), held against the expenses that the list shows. */

const service = useService()
const client = makeClient(service)
const send = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")
const reportPath = "/api/reports/spend"

interface Sums {
  readonly count: number
  readonly amount: number
  readonly amounts: ReadonlyArray<{ readonly currency: string; readonly amount: number; readonly count: number }>
  readonly unconverted: { readonly count: number }
}
interface Group extends Sums {
  readonly key: Readonly<Record<string, string | null>>
  readonly label: string
}
interface Report {
  readonly base_currency: string
  readonly from: string | null
  readonly to: string | null
  readonly status: ReadonlyArray<string>
  readonly groups: ReadonlyArray<Group>
  readonly other: Sums | null
  readonly total: Sums
}
interface Statistics {
  readonly this_month: Sums & { readonly month: string }
  readonly last_month: Sums & { readonly month: string }
  readonly by_status: Readonly<Record<string, Sums>>
  readonly waiting_approvals: number
  readonly missing_receipts: number
  readonly top_categories: ReadonlyArray<Sums & { readonly category: string | null }>
  readonly average_days_to_decision: number | null
  readonly by_month: ReadonlyArray<Sums & { readonly month: string }>
}

const report = async (query: string, as = send) => bodyOf<Report>(await as("GET", `${reportPath}?${query}`))
const statistics = async (as = send) => bodyOf<Statistics>(await as("GET", "/api/stats"))

/** Every expense that meets the query, page after page. */
const listed = async (query: string, as = send) => {
  const all: Array<ExpenseAnswer> = []
  for (let cursor = ""; ; ) {
    const page = bodyOf<{ data: ReadonlyArray<ExpenseAnswer>; next_cursor: string | null }>(
      await as("GET", `${expensesPath}?limit=100&${query}${cursor}`)
    )
    all.push(...page.data)
    if (page.next_cursor === null) return all
    cursor = `&cursor=${page.next_cursor}`
  }
}

/** In thousandths, since three decimals are the most that the currencies here have; a float would not be exact. */
const thousandths = (amount: number) => BigInt(Math.round(amount * 1000))
const sumOf = (amounts: ReadonlyArray<number>) => amounts.reduce((sum, amount) => sum + thousandths(amount), 0n)
const spent = "PENDING,APPROVED,REIMBURSED"

/** What the report must say of these expenses. */
const expected = (expenses: ReadonlyArray<ExpenseAnswer>) => {
  const amounts = Object.groupBy(expenses, ({ currency }) => currency)
  return {
    count: expenses.length,
    amount: sumOf(expenses.map(({ base_amount }) => base_amount ?? 0)),
    amounts: Object.entries(amounts)
      .map(([currency, rows = []]) => [currency, sumOf(rows.map(({ amount }) => amount)), rows.length])
      .sort(),
    unconverted: expenses.filter(({ base_amount }) => base_amount === null).length
  }
}
const shown = ({ amount, amounts, count, unconverted }: Sums) => ({
  count,
  amount: thousandths(amount),
  amounts: amounts.map((one) => [one.currency, thousandths(one.amount), one.count]),
  unconverted: unconverted.count
})

beforeAll(async () => {
  for (const [changes, commands] of [
    [{ amount: 0.1, category: "Meals", date: "2026-01-01" }, ["submit"]],
    [{ amount: 0.2, category: "Meals", date: "2026-01-31" }, ["approve"]],
    [{ amount: 149.9, category: "Travel", date: "2026-02-28" }, ["approve", "reimburse"]],
    [{ amount: 75.5, category: "Travel", date: "2026-02-15" }, ["reject"]],
    [{ amount: 12.345, currency: "BHD", category: null, date: "2026-02-01" }, ["submit"]],
    [{ amount: 1_234, currency: "JPY", date: "2026-03-01" }, []],
    [{ amount: 33.33, merchant: "Report 100%", receipt_url: "https://r.example/1" }, ["submit"]]
  ] as const) {
    const { id } = await createExpense(send, { merchant: "Report Shop", ...changes })
    for (const command of commands) await commandExpense(send, id, command)
  }
  const { id } = await createExpense(other, {
    merchant: "Report Shop",
    amount: 500,
    currency: "TRY",
    category: "Theirs"
  })
  await commandExpense(other, id, "submit")
})

describe("A spend report", () => {
  const filters = [
    "",
    "merchant=report",
    "merchant=100%25",
    "category=Meals",
    "status=DRAFT,REJECTED",
    "from=2026-01-31&to=2026-02-28",
    "start_date=2026-02-01&end_date=2026-02-28",
    "currency=BHD",
    "category=Travel&from=2026-02-10"
  ]
  for (const dimensions of ["category", "merchant", "user", "department", "month", "currency", "category,month"]) {
    it(`by ${dimensions} comes to the sum of the expenses that the list shows, under any filter`, async () => {
      for (const filter of filters) {
        const { groups, total } = await report(`group_by=${dimensions}&${filter}`)
        const rows = await listed(filter.includes("status=") ? filter : `status=${spent}&${filter}`)
        assert.deepStrictEqual(shown(total), expected(rows), filter)
        assert.strictEqual(
          groups.reduce((sum, { count }) => sum + count, 0),
          rows.length
        )
        assert.strictEqual(
          groups.reduce((sum, { amount }) => sum + thousandths(amount), 0n),
          thousandths(total.amount)
        )
      }
    })
  }

  it("shows each group with its key and its currencies, the largest first", async () => {
    const {
      base_currency,
      from,
      groups,
      other: rest,
      status,
      to
    } = await report("group_by=category&merchant=report+shop&from=2026-01-01&to=2026-02-28")
    assert.deepStrictEqual([base_currency, from, to, status, rest], [
      "TRY",
      "2026-01-01",
      "2026-02-28",
      spent.split(","),
      null
    ] as const)
    assert.deepStrictEqual(
      groups.map(({ amount, count, key, label }) => [key, label, amount, count]),
      [
        [{ category: "Travel" }, "Travel", 149.9, 1],
        [{ category: "Meals" }, "Meals", 0.3, 2],
        [{ category: null }, "No category", 0, 1]
      ]
    )
    assert.deepStrictEqual(groups[2]?.amounts, [{ currency: "BHD", amount: 12.345, count: 1 }])
    assert.strictEqual(groups[2]?.unconverted.count, 1)
  })

  it("tells what was changed a moment ago", async () => {
    const query = "group_by=category&merchant=report+moment"
    const { id } = await createExpense(send, { merchant: "Report Moment", amount: 10, category: "Old" })
    assert.strictEqual((await report(query)).total.count, 0)
    await commandExpense(send, id, "submit")
    assert.strictEqual((await report(query)).total.amount, 10)
    bodyOf(await send("PATCH", `${expensesPath}/${id}`, { amount: 20, category: "New" }))
    assert.deepStrictEqual(
      (await report(query)).groups.map(({ amount, label }) => [label, amount]),
      [["New", 20]]
    )
  })

  it("names people instead of their ids", async () => {
    const member = bearerOf(client, await signIn(client, "member@sandbox.test"))
    const { id, user_id } = await createExpense(member, { merchant: "Report Person" })
    await commandExpense(member, id, "submit")
    const { groups } = await report("group_by=user&merchant=report+person")
    assert.deepStrictEqual(groups[0]?.key, { user: user_id })
    assert.notStrictEqual(groups[0]?.label, user_id)
    assert.strictEqual((await report(`group_by=month&merchant=report+person&user_id=${user_id}`)).total.count, 1)
    assert.strictEqual((await report("group_by=month&merchant=report+person&user_id=usr_nobody")).total.count, 0)
  })

  it("belongs to its organization", async () => {
    assert.isFalse((await report("")).groups.some(({ label }) => label === "Theirs"))
    assert.strictEqual((await report("merchant=report+shop", other)).total.amount, 500)
  })

  it("is refused with what is wrong", async () => {
    for (const [query, path] of [
      ["group_by=vendor", "group_by"],
      ["group_by=category,vendor", "group_by"],
      ["group_by=shoe", "group_by"],
      ["group_by=", "group_by"],
      ["group_by=month,month", "group_by"],
      ["group_by=month,user,category", "group_by"],
      ["colour=red", "colour"],
      ["limit=5", "limit"],
      ["status=LOST", "status[0]"],
      ["from=2026-02-30", "from"],
      ["from=2026-02-02&to=2026-02-01", "to"],
      ["from=2026-02-02&start_date=2026-02-01", "start_date"],
      ["currency=LIRA", "currency"]
    ] as const) {
      assert.deepStrictEqual(faultPaths(await send("GET", `${reportPath}?${query}`)), [path], query)
    }
    const { text } = await send("GET", `${reportPath}?group_by=vendor`)
    assert.include(text, "bills")
  })

  it("is not for members, and not without a credential", async () => {
    const member = bearerOf(client, await signIn(client, "member@sandbox.test"))
    problemOf(await member("GET", reportPath), 403, "FORBIDDEN")
    problemOf(await client.visit(reportPath), 401, "UNAUTHENTICATED")
    for (const email of ["approver@sandbox.test", "auditor@sandbox.test"]) {
      assert.strictEqual((await bearerOf(client, await signIn(client, email))("GET", reportPath)).status, 200, email)
    }
  })
})

describe("Statistics", () => {
  it("agree with the list and with the report", async () => {
    const told = await statistics()
    for (const status of ["DRAFT", "PENDING", "APPROVED", "REJECTED", "REIMBURSED"]) {
      const sums = told.by_status[status]
      assert.isDefined(sums)
      assert.deepStrictEqual(sums === undefined ? undefined : shown(sums), expected(await listed(`status=${status}`)))
    }
    assert.strictEqual(told.waiting_approvals, told.by_status.PENDING?.count)
    const undocumented = (await listed("status=PENDING,APPROVED")).filter(({ receipt_url }) => receipt_url === null)
    assert.strictEqual(told.missing_receipts, undocumented.length)
    assert.strictEqual(told.by_month.length, 12)
    assert.deepStrictEqual(told.by_month.slice(-2), [told.last_month, told.this_month])
    const { groups } = await report("group_by=month")
    for (const { month, ...sums } of told.by_month) {
      const group = groups.find(({ label }) => label === month)
      assert.deepStrictEqual(shown(sums).count, group?.count ?? 0)
      assert.deepStrictEqual(sums.amount, group?.amount ?? 0)
    }
    assert.isAtLeast(told.average_days_to_decision ?? -1, 0)
    assert.isAtMost(told.top_categories.length, 5)
  })

  it("of a member are its own", async () => {
    const member = bearerOf(client, await signIn(client, "member@sandbox.test"))
    const before = await statistics(member)
    await createExpense(send, { merchant: "Somebody else's" })
    await createExpense(member, { merchant: "Mine" })
    const after = await statistics(member)
    assert.strictEqual(after.by_status.DRAFT?.count, (before.by_status.DRAFT?.count ?? 0) + 1)
    assert.strictEqual(after.by_status.DRAFT?.count, (await listed("status=DRAFT", member)).length)
  })

  it("are not for strangers", async () => {
    problemOf(await client.visit("/api/stats"), 401, "UNAUTHENTICATED")
    assert.strictEqual((await other("GET", "/api/stats")).status, 200)
  })
})

describe("The documents", () => {
  it("describe both", async () => {
    const { text } = await client.visit("/openapi.json")
    for (const word of ['"/api/reports/spend"', '"/api/stats"', '"SpendReport"']) assert.include(text, word)
  })
})
