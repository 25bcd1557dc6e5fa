import type { Client as CurrentClient } from "@modelcontextprotocol/client"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { faultsAgainst } from "../runtime-mcp/support/schemas.ts"
import { bearerOf, bodyOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { connectCurrent } from "./support/mcp.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/**
 * An assistant sees what the person whom it acts for sees, and no more: every tool over HTTP beside what `/api` answers the
 * same person to the same question.
 */

const service = useService({ SARRAF_SANDBOX_DEMO: "true" })
const client = makeClient(service)

const emails = [
  "owner@sandbox.test",
  "admin@sandbox.test",
  "approver@sandbox.test",
  "member@sandbox.test",
  "auditor@sandbox.test",
  "owner@other.test"
] as const

interface Item {
  readonly id: string
}
interface Structured {
  readonly items?: ReadonlyArray<Item>
  readonly next_cursor?: string | null
}
interface Outcome {
  readonly isError: boolean
  readonly text: string
  readonly body: Structured & Readonly<Record<string, unknown>>
}

interface Person {
  readonly assistant: CurrentClient
  readonly api: ReturnType<typeof bearerOf>
  readonly schemas: ReadonlyMap<string, object>
}

const persons = new Map<string, Person>()

beforeAll(async () => {
  for (const email of emails) {
    const api = bearerOf(client, await signIn(client, email))
    const made = bodyOf<{ readonly token: string }>(await api("POST", "/api/assistant-tokens", { name: "Test" }), 201)
    const assistant = await connectCurrent(`${service().url}/mcp`, made.token)
    const { tools } = await assistant.listTools()
    const schemas = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema ?? {}]))
    persons.set(email, { assistant, api, schemas })
  }
}, 60_000)
afterAll(async () => {
  for (const { assistant } of persons.values()) await assistant.close()
})

const personOf = (email: string): Person => {
  const person = persons.get(email)
  if (person === undefined) throw new Error(`Nobody is called ${email}`)
  return person
}

const call = async ({ assistant, schemas }: Person, name: string, input: Record<string, unknown>): Promise<Outcome> => {
  const result = await assistant.callTool({ name, arguments: input })
  const [block] = result.content as ReadonlyArray<{ readonly text?: string }>
  const body = (result.structuredContent ?? {}) as Outcome["body"]
  const isError = result.isError === true
  if (!isError)
    assert.deepStrictEqual(faultsAgainst(schemas.get(name) ?? {}, body), [], `${name} ${JSON.stringify(input)}`)
  return { isError, text: block?.text ?? "", body }
}

/** The ids that a tool lists, to the end; undefined where the role is refused. */
const toldBy = async (person: Person, name: string, input: Record<string, unknown>) => {
  const ids: Array<string> = []
  let cursor: string | null | undefined
  do {
    const { body, isError, text } = await call(person, name, {
      ...input,
      limit: 100,
      ...(cursor == null ? {} : { cursor })
    })
    if (isError) {
      assert.include(text, "role does not allow")
      return undefined
    }
    ids.push(...(body.items ?? []).map(({ id }) => id))
    cursor = body.next_cursor
  } while (cursor != null)
  return ids
}

/** The ids that `/api` lists, to the end; undefined where the role is refused. */
const listedBy = async ({ api }: Person, path: string, query: string) => {
  const ids: Array<string> = []
  let next = ""
  for (;;) {
    const answer = await api("GET", `${path}?limit=100${query}${next}`)
    if (answer.status === 403) return undefined
    const page = bodyOf<{ readonly data: ReadonlyArray<Item>; readonly next_cursor: string | null }>(answer)
    ids.push(...page.data.map(({ id }) => id))
    if (page.next_cursor === null) return ids
    next = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

type Query = readonly [string, Record<string, unknown>, string, string]

const queries: ReadonlyArray<Query> = [
  ["list_expenses", {}, "/api/expenses", ""],
  ["list_expenses", { status: ["PENDING"] }, "/api/expenses", "&status=PENDING"],
  ["list_expenses", { status: ["APPROVED", "REJECTED"] }, "/api/expenses", "&status=APPROVED,REJECTED"],
  ["list_expenses", { category: ["Meals"] }, "/api/expenses", "&category=Meals"],
  ["list_expenses", { merchant: "kahve" }, "/api/expenses", "&merchant=kahve"],
  ["list_expenses", { currency: "EUR" }, "/api/expenses", "&currency=EUR"],
  [
    "list_expenses",
    { min_amount: "1000", max_amount: "5000.50" },
    "/api/expenses",
    "&min_amount=1000&max_amount=5000.50"
  ],
  ["list_expenses", { text: "team" }, "/api/expenses", "&q=team"],
  ["list_expenses", { text: "%" }, "/api/expenses", "&q=%25"],
  [
    "list_expenses",
    { user_id: "usr_01kd8z0000e0080000000000p4" },
    "/api/expenses",
    "&user_id=usr_01kd8z0000e0080000000000p4"
  ],
  ["list_expenses", { from: "2000-01-01", to: "2099-12-31" }, "/api/expenses", "&from=2000-01-01&to=2099-12-31"],
  ["list_approvals", {}, "/api/approvals", "&mine=true"],
  ["list_approvals", { mine: false }, "/api/approvals", ""],
  ["list_approvals", { mine: false, status: ["REJECTED"] }, "/api/approvals", "&status=REJECTED"],
  ["get_policy", {}, "/api/policies", ""],
  ["get_policy", { enforcement: "WARN", active: true }, "/api/policies", "&enforcement=WARN&active=true"]
]

interface Sums {
  readonly count: number
  readonly amount: number
}
interface Told {
  readonly expenses: number
  readonly spent: { readonly formatted: string }
}

const same = (told: unknown, asked: Sums, currency: string) => {
  const { expenses, spent } = told as Told
  assert.strictEqual(expenses, asked.count)
  assert.strictEqual(spent.formatted, `${asked.amount.toFixed(2)} ${currency}`)
}

describe("An assistant sees what its person sees", () => {
  for (const email of emails) {
    it(`in lists: ${email}`, async () => {
      const person = personOf(email)
      for (const [tool, input, path, query] of queries) {
        const expected = await listedBy(person, path, query)
        assert.deepStrictEqual(await toldBy(person, tool, input), expected, `${tool} ${JSON.stringify(input)}`)
      }
    })

    it(`in reports and statistics: ${email}`, async () => {
      const person = personOf(email)
      for (const group of ["category", "merchant", "user", "department", "month", "currency"]) {
        const answer = await person.api("GET", `/api/reports/spend?group_by=${group}`)
        const told = await call(person, "get_spend_report", { group_by: group, limit: 100 })
        assert.strictEqual(told.isError, answer.status === 403)
        if (told.isError) continue
        const report = bodyOf<{
          readonly base_currency: string
          readonly groups: ReadonlyArray<Sums & { readonly label: string }>
          readonly total: Sums
        }>(answer)
        same(told.body.total, report.total, report.base_currency)
        const groups = told.body.groups as ReadonlyArray<Told & { readonly label: string }>
        assert.strictEqual(groups.length, report.groups.length)
        for (const [index, one] of report.groups.entries()) {
          assert.strictEqual(groups[index]?.label, one.label)
          same(groups[index], one, report.base_currency)
        }
      }
      const statistics = bodyOf<
        Record<string, Sums> & { readonly base_currency: string; readonly missing_receipts: number }
      >(await person.api("GET", "/api/stats"))
      const { body } = await call(person, "get_dashboard_stats", {})
      same(body.this_month, statistics.this_month as Sums, statistics.base_currency)
      same(body.last_month, statistics.last_month as Sums, statistics.base_currency)
      assert.strictEqual(body.missing_receipts, statistics.missing_receipts)
      const waiting = await listedBy(person, "/api/approvals", "&mine=true")
      assert.strictEqual((body.waiting_for_me as { readonly count: number }).count, waiting?.length)
    })

    it(`in what is asked for by its id: ${email}`, async () => {
      const person = personOf(email)
      const all = [
        ...((await listedBy(personOf("owner@sandbox.test"), "/api/expenses", "&status=PENDING,DRAFT")) ?? []),
        ...((await listedBy(personOf("owner@other.test"), "/api/expenses", "")) ?? []).slice(0, 10)
      ]
      let seen = 0
      for (const id of all) {
        const { status } = await person.api("GET", `/api/expenses/${id}`)
        for (const tool of ["get_expense", "explain_expense"]) {
          const { isError, text } = await call(person, tool, { id })
          assert.strictEqual(isError, status === 404, `${tool} ${id}: ${text}`)
        }
        if (status === 200) seen += 1
      }
      assert.isAbove(seen, 0)
      assert.isBelow(seen, all.length)
    })
  }

  it("also where only some roles may ask at all", async () => {
    const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
      list_payments: ["owner", "admin", "auditor"],
      list_bills: ["owner", "admin", "approver", "auditor"],
      list_vendors: ["owner", "admin", "approver", "auditor"],
      get_spend_report: ["owner", "admin", "approver", "auditor"],
      list_cards: ["owner", "admin", "approver", "auditor", "member"],
      list_card_transactions: ["owner", "admin", "approver", "auditor", "member"]
    }
    for (const [tool, roles] of Object.entries(allowed)) {
      for (const role of ["owner", "admin", "approver", "auditor", "member"]) {
        const input = tool === "get_spend_report" ? { group_by: "month" } : {}
        const { isError } = await call(personOf(`${role}@sandbox.test`), tool, input)
        assert.strictEqual(!isError, roles.includes(role), `${tool} of ${role}`)
      }
    }
  })
})

describe("An assistant sees of cards", () => {
  for (const role of ["member", "approver"]) {
    it(`those that its person holds: ${role}`, async () => {
      const person = personOf(`${role}@sandbox.test`)
      const { body } = await call(person, "whoami", {})
      const own = (body.user as Item).id
      const all = await call(personOf("owner@sandbox.test"), "list_cards", { limit: 100 })
      const holders = (all.body.items ?? []) as ReadonlyArray<Item & { readonly holder: Item }>
      const expected = holders.filter(({ holder }) => holder.id === own).map(({ id }) => id)
      assert.deepStrictEqual(await toldBy(person, "list_cards", {}), expected)
      const others = holders.filter(({ holder }) => holder.id !== own)
      assert.isNotEmpty(others)
      for (const { id } of others) {
        assert.isTrue((await call(person, "get_card", { id })).isError)
        assert.deepStrictEqual(await toldBy(person, "list_card_transactions", { card_id: id }), [])
      }
    })
  }
})
