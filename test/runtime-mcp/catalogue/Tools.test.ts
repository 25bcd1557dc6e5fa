import { assert, describe, it } from "vitest"
import { type Body, exchangeAs, itemsOf, people, today, useDemoCatalogue } from "../support/DemoCatalogue.ts"
import { faultsAgainst, type JsonSchema, membersOf, objectsOf } from "../support/schemas.ts"

/** What assistants are offered, against the sandbox's demo year on PostgreSQL. */

const { call, catalogue } = useDemoCatalogue()
const owner = exchangeAs(people.owner)

const objectOf = (value: unknown) => value as Body

const names = [
  "whoami",
  "list_expenses",
  "get_expense",
  "list_cards",
  "get_card",
  "list_card_transactions",
  "list_bills",
  "get_bill",
  "list_vendors",
  "get_vendor",
  "get_spend_report",
  "get_dashboard_stats",
  "list_approvals",
  "get_policy",
  "explain_expense",
  "list_payments",
  "get_payment"
]

/** Where the tools that take an id get one from. */
const lists: Readonly<Record<string, string>> = {
  get_expense: "list_expenses",
  explain_expense: "list_expenses",
  get_card: "list_cards",
  get_bill: "list_bills",
  get_vendor: "list_vendors",
  get_payment: "list_payments"
}

/** Calls worth making of a tool: those of a list page by page, those of one thing for everything on the list's first page. */
const callsOf = async (name: string): Promise<ReadonlyArray<object>> => {
  const list = lists[name]
  if (list !== undefined) {
    const { body } = await call(list, { limit: 100 }, owner)
    return itemsOf({ body }).map(({ id }) => ({ id }))
  }
  if (name !== "get_spend_report") return [{}, ...(name === "list_approvals" ? [{ mine: false, limit: 100 }] : [])]
  const by = ["category", "merchant", "user", "department", "month", "currency"]
  return by.flatMap((group_by) => [{ group_by }, ...by.map((then_by) => ({ group_by, then_by, limit: 100 }))])
}

const toolOf = (name: string) => {
  const tool = catalogue().tools.find(({ definition }) => definition.name === name)
  if (tool === undefined) throw new Error(`There is no ${name}`)
  return tool.definition
}

describe("The catalogue", () => {
  it("has these tools in this order", () => {
    assert.deepStrictEqual(
      catalogue().tools.map(({ definition }) => definition.name),
      names
    )
  })

  for (const name of names) {
    it(`says of ${name} that it only reads, when to use it, and what every argument and member is`, () => {
      const { annotations, description, inputSchema, outputSchema = {}, title } = toolOf(name)
      assert.deepStrictEqual(annotations, {
        title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false
      })
      assert.match(name, /^[a-z_]{1,64}$/u)
      assert.isAbove(description.length, 40)
      for (const schema of [inputSchema as JsonSchema, outputSchema as JsonSchema]) {
        assert.strictEqual(schema.type, "object")
        for (const [path, member] of membersOf(schema)) assert.isNotEmpty(member.description, `${name}${path}`)
        for (const object of objectsOf(schema)) assert.strictEqual(object.additionalProperties, false)
      }
    })

    it(`answers ${name} as its output schema says, and the same as text`, async () => {
      const calls = await callsOf(name)
      assert.isNotEmpty(calls)
      const { outputSchema = {} } = toolOf(name)
      for (const input of calls) {
        const { body, isError, text } = await call(name, input, owner)
        assert.isFalse(isError, `${name} ${JSON.stringify(input)}: ${text}`)
        assert.deepStrictEqual(faultsAgainst(outputSchema, body), [], JSON.stringify(input))
        assert.deepStrictEqual(JSON.parse(text), body)
        assert.isBelow(text.length, 80_000)
      }
    })
  }

  it("refuses, before a tool is called, what an input schema refuses", () => {
    assert.isNotEmpty(faultsAgainst(toolOf("list_expenses").inputSchema, { limit: 101 }))
    assert.isNotEmpty(faultsAgainst(toolOf("list_expenses").inputSchema, { status: ["PAID"] }))
    assert.isNotEmpty(faultsAgainst(toolOf("get_expense").inputSchema, {}))
    assert.isEmpty(faultsAgainst(toolOf("list_expenses").inputSchema, { limit: 100, status: ["DRAFT"] }))
  })
})

describe("A list", () => {
  for (const name of names.filter((one) => one.startsWith("list_") || one === "get_policy")) {
    it(`of ${name} is read to its end, each item once, in pages of any size`, async () => {
      const readAll = async (limit: number) => {
        const ids: Array<unknown> = []
        let cursor: unknown
        for (;;) {
          const given = { limit, ...(cursor === undefined ? {} : { cursor }) }
          const answer = await call(name, name === "list_approvals" ? { ...given, mine: false } : given, owner)
          assert.isFalse(answer.isError, answer.text)
          assert.isAtMost(itemsOf(answer).length, limit)
          ids.push(...itemsOf(answer).map(({ id }) => id))
          cursor = answer.body.next_cursor
          if (cursor === null) return ids
        }
      }
      const all = await readAll(100)
      assert.isNotEmpty(all)
      assert.strictEqual(new Set(all).size, all.length)
      assert.deepStrictEqual(await readAll(37), all)
    })
  }
})

describe("A filter by category", () => {
  it("finds what is spelled in another case, in lists and in sums", async () => {
    const total = async (category: ReadonlyArray<string>) =>
      (await call("get_spend_report", { group_by: "merchant", category }, owner)).body.total
    const listed = async (category: ReadonlyArray<string>) =>
      itemsOf(await call("list_expenses", { category, limit: 100 }, owner)).map(({ id }) => id)
    assert.isNotEmpty(await listed(["Software"]))
    for (const category of [["software"], ["SOFTWARE"], ["sOftware", "Software"]]) {
      assert.deepStrictEqual(await total(category), await total(["Software"]))
      assert.deepStrictEqual(await listed(category), await listed(["Software"]))
    }
    assert.isEmpty(await listed(["software "]))
    const used = itemsOf(await call("list_card_transactions", { category: ["Software"] }, owner))
    assert.isNotEmpty(used)
    assert.deepStrictEqual(itemsOf(await call("list_card_transactions", { category: ["SOFTWARE"] }, owner)), used)
    const vendors = itemsOf(await call("list_vendors", { category: ["Software"] }, owner))
    assert.isNotEmpty(vendors)
    assert.deepStrictEqual(itemsOf(await call("list_vendors", { category: ["software"] }, owner)), vendors)
  })
})

describe("A cursor", () => {
  it("is of the person for whom it was made", async () => {
    const { body } = await call("list_expenses", { limit: 1 }, owner)
    const next = { limit: 1, cursor: body.next_cursor }
    assert.isFalse((await call("list_expenses", next, owner)).isError)
    const answer = await call("list_expenses", next, exchangeAs(people.admin, "ADMIN"))
    assert.match(answer.text, /^This cursor is not valid here/u)
  })
})

describe("whoami", () => {
  it("tells the day from which a month ago is counted", async () => {
    const { body } = await call("whoami", {}, owner)
    assert.strictEqual(objectOf(body.organization).today, today)
  })
})

describe("Amounts", () => {
  it("are whole minor units as text, with the currency, and formatted by its own decimals", async () => {
    const money: Array<{ readonly amount_minor: string; readonly currency: string; readonly formatted: string }> = []
    const collect = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      if ("amount_minor" in value) money.push(value as (typeof money)[number])
      else for (const inner of Object.values(value)) collect(inner)
    }
    for (const name of names.filter((one) => lists[one] === undefined && one !== "get_spend_report")) {
      collect((await call(name, {}, owner)).body)
    }
    collect((await call("get_spend_report", { group_by: "month" }, owner)).body)
    collect((await call("list_expenses", { currency: "KWD" }, owner)).body)
    collect((await call("list_expenses", { currency: "JPY" }, owner)).body)
    const decimals: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 }
    assert.isAbove(money.length, 100)
    assert.isTrue(["JPY", "KWD", "TRY"].every((code) => money.some(({ currency }) => currency === code)))
    for (const { amount_minor, currency, formatted } of money) {
      assert.match(amount_minor, /^\d+$/u)
      const exponent = decimals[currency] ?? 2
      const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))? [A-Z]{3}$/u.exec(formatted) ?? []
      assert.strictEqual(fraction.length, exponent, formatted)
      assert.strictEqual(BigInt(`${whole}${fraction}`), BigInt(amount_minor), formatted)
      assert.isTrue(formatted.endsWith(` ${currency}`))
    }
  })

  it("of a report's groups and of what is left add up to its total, however many groups are shown", async () => {
    for (const limit of [1, 3, 100]) {
      const { body } = await call("get_spend_report", { group_by: "merchant", limit }, owner)
      const minorOf = (sums: unknown) => BigInt((sums as { spent: { amount_minor: string } }).spent.amount_minor)
      const groups = body.groups as ReadonlyArray<unknown>
      assert.isAtMost(groups.length, limit)
      const shown = groups.reduce<bigint>((sum, group) => sum + minorOf(group), 0n)
      assert.strictEqual(shown + (body.other === null ? 0n : minorOf(body.other)), minorOf(body.total))
    }
  })
})

describe("An explanation", () => {
  it("tells the policies that applied, in which version, what each says and does, and who is waited for", async () => {
    const { body } = await call("list_expenses", { status: ["PENDING"], limit: 100 }, owner)
    const concerned = itemsOf({ body }).filter(({ policies_met }) => Number(policies_met) > 0)
    assert.isNotEmpty(concerned)
    for (const { id, policies_met } of concerned) {
      const told = (await call("explain_expense", { id }, owner)).body
      const policies = told.policies as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.strictEqual(policies.length, policies_met)
      for (const policy of policies) {
        assert.isAtLeast(Number(policy.version), 1)
        assert.match(String(policy.rule), /^An expense (?:is|needs) .* when .*\.$/u)
        assert.isNotEmpty(policy.sentence)
      }
      const approval = told.approval as Readonly<Record<string, unknown>>
      assert.strictEqual(approval.status, "OPEN")
      const isBlocked = approval.blocked_reason !== null
      assert.strictEqual((approval.waiting_for as ReadonlyArray<string>).length === 0, isBlocked)
      assert.match(String(told.situation), isBlocked ? /nobody can decide it/u : /^It waits in step \d of \d for /u)
    }
  })

  it("tells where a payment was sent, why, and what came after, and no costs or success rates", async () => {
    const { body } = await call("list_payments", {}, owner)
    const rerouted = itemsOf({ body }).find(({ merchant_reference }) => merchant_reference === "sandbox_client-order-4")
    const { body: told, text } = await call("get_payment", { id: rerouted?.id }, owner)
    const attempts = told.attempts as ReadonlyArray<Readonly<Record<string, unknown>>>
    assert.deepStrictEqual(
      attempts.map(({ outcome, provider }) => [provider, outcome]),
      [
        ["akbank", "NotSent"],
        ["isbank", "Accepted"]
      ]
    )
    assert.include(text, "It was sent to akbank first: no rule of the organization applied")
    assert.include(text, "acquires from abroad")
    assert.notMatch(text, /costBasisPoints|successRate|decidedBy|411111|fingerprint|AuthCode/u)
  })

  it("tells the sums of a payment, its operations, and why it was declined", async () => {
    const { body } = await call("list_payments", { status: ["DECLINED"] }, owner)
    const [declined] = itemsOf({ body })
    const { body: told } = await call("get_payment", { id: declined?.id }, owner)
    assert.deepStrictEqual(told.error, { code: "CARD_DECLINED", detail: "The card was declined." })
    const partly = itemsOf(await call("list_payments", { status: ["PARTIALLY_CAPTURED"] }, owner))
    const { body: captured } = await call("get_payment", { id: partly[0]?.id }, owner)
    assert.deepInclude(captured.captured, { amount_minor: "6000", currency: "EUR", formatted: "60.00 EUR" })
    assert.deepInclude(captured.capturable, { amount_minor: "4000" })
    const operations = captured.operations as ReadonlyArray<Readonly<Record<string, unknown>>>
    assert.deepInclude(operations[0], { type: "CAPTURE", status: "SUCCEEDED", reference: "sandbox_client-part-1" })
  })
})
