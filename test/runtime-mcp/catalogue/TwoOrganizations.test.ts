import { foldSpend } from "@sarraf/adapters/postgres/reports/SpendFolder"
import type { Exchange } from "@sarraf/runtime-mcp/catalogue/Catalogue"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { assert, beforeAll, describe, it } from "vitest"
import { type Body, exchangeAs, otherSandbox, people, sandbox, useDemoCatalogue } from "../support/DemoCatalogue.ts"
import type { JsonSchema } from "../support/schemas.ts"

/**
 * Nothing of one organization reaches another: every tool is called with every argument, holding what the other has. What
 * is the other's is answered exactly like what nobody has.
 */

const { call, catalogue, onDatabase } = useDemoCatalogue()

const here = exchangeAs(people.owner)
const there = exchangeAs(people.otherOwner)
const sides = [
  { name: "The sandbox", own: here, foreign: there, foreignId: otherSandbox },
  { name: "The other sandbox", own: there, foreign: here, foreignId: sandbox }
] as const

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

/** Words that stand in every text of one organization and in no other's. */
const markOf = (organizationId: string) => (organizationId === sandbox ? "ONLYHERE" : "ONLYTHERE")

/** Puts its organization's mark into the texts of every row that a tool shows. */
const mark = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What is changed from here on stays beside the sums, so that both tables have rows of both.
  yield* foldSpend(1_000_000)
  const texts: Readonly<Record<string, ReadonlyArray<string>>> = {
    organizations: ["name"],
    members: ["name", "email"],
    departments: ["name"],
    expenses: ["merchant", "category", "description"],
    cards: ["name"],
    card_transactions: ["merchant", "category"],
    vendors: ["name", "legal_name", "category"],
    vendor_contracts: ["title"],
    bills: ["number", "category"],
    approvals: ["summary"],
    policies: ["name", "message"],
    policy_versions: ["name", "message"]
  }
  for (const organizationId of [sandbox, otherSandbox]) {
    for (const [table, columns] of Object.entries(texts)) {
      const key = sql(table === "organizations" ? "id" : "organization_id")
      for (const column of columns) {
        yield* sql`UPDATE ${sql(table)} SET ${sql(column)} = ${`${markOf(organizationId)} `} || coalesce(${sql(column)}, '')
          WHERE ${key} = ${organizationId}`
      }
    }
  }
})

interface Known {
  /** Ids by their prefix. */
  readonly ids: ReadonlyMap<string, ReadonlyArray<string>>
  /** Cursors by the tool that made them, with `limit: 1`. */
  readonly cursors: ReadonlyMap<string, string>
}

const idsIn = (text: string) => [...new Set(text.match(/\b[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/gu) ?? [])]

/** Everything that an organization's owner can find out. */
const learn = async (exchange: Exchange): Promise<Known> => {
  const texts: Array<string> = []
  const cursors = new Map<string, string>()
  for (const name of ["whoami", "get_dashboard_stats", ...lists]) {
    const input = name === "list_approvals" ? { mine: false } : {}
    const isList = lists.includes(name)
    texts.push((await call(name, isList ? { ...input, limit: 100 } : input, exchange)).text)
    if (isList) {
      const { body } = await call(name, { ...input, limit: 1 }, exchange)
      if (typeof body.next_cursor === "string") cursors.set(name, body.next_cursor)
    }
  }
  const ids = new Map<string, Array<string>>()
  for (const id of idsIn(texts.join("\n"))) {
    const [prefix = ""] = id.split("_")
    ids.set(prefix, [...(ids.get(prefix) ?? []), id])
  }
  return { ids, cursors }
}

const knownBy = new Map<Exchange, Known>()
beforeAll(async () => {
  await onDatabase(mark)
  for (const { own } of sides) knownBy.set(own, await learn(own))
}, 120_000)

const knowledge = (exchange: Exchange): Known => {
  const known = knownBy.get(exchange)
  if (known === undefined) throw new Error("Nothing is known yet")
  return known
}

const prefixOf = ({ pattern = "" }: JsonSchema) => /^\^([a-z]+)_/u.exec(pattern)?.[1]

/** Values of an argument: those that the schema lists, and what the other organization has. */
const valuesOf = (name: string, schema: JsonSchema, foreign: Known, foreignMark: string): ReadonlyArray<unknown> => {
  const prefix = prefixOf(schema)
  if (prefix !== undefined) return (foreign.ids.get(prefix) ?? []).slice(0, 5)
  if (schema.enum !== undefined) return schema.enum
  if (schema.type === "array") return valuesOf(name, schema.items ?? {}, foreign, foreignMark).map((value) => [value])
  if (schema.type === "boolean") return [true, false]
  if (schema.type === "integer") return [1, 100]
  if (schema.format === "date") return ["2000-01-01", "2100-01-01"]
  if (name === "cursor") return []
  if (schema.pattern?.includes("[A-Z]{3}") === true) return ["TRY", "EUR", "USD"]
  if (schema.pattern?.includes("\\d") === true) return ["0", "999999999"]
  return [foreignMark, `${foreignMark} `, "sandbox_client-order-1", "sandbox_client_2-order-1", "garanti"]
}

const propertiesOf = (schema: object) => Object.entries((schema as JsonSchema).properties ?? {})

/** What a tool has to be called with, whatever else it is called with. */
const neededBy = (name: string, exchange: Exchange): ReadonlyArray<Body> => {
  const { ids } = knowledge(exchange)
  const [first] = {
    get_expense: "exp",
    explain_expense: "exp",
    get_card: "card",
    get_bill: "bill",
    get_vendor: "vend",
    get_payment: "txn"
  }[name]?.split(" ") ?? [undefined]
  if (first !== undefined) return (ids.get(first) ?? []).slice(0, 10).map((id) => ({ id }))
  return name === "get_spend_report" ? [{ group_by: "merchant" }] : [{}]
}

describe("Each of two organizations", () => {
  it("has something of everything, so that there is something to see", () => {
    for (const { own } of sides) {
      const { cursors, ids } = knowledge(own)
      for (const prefix of ["exp", "card", "ctx", "bill", "vend", "apr", "pol", "txn", "usr"])
        assert.isNotEmpty(ids.get(prefix), prefix)
      assert.isAtLeast(cursors.size, 6)
    }
  })

  for (const { foreign, foreignId, name: side, own } of sides) {
    it(`${side} sees nothing of the other in any answer of any tool with any argument`, async () => {
      const foreignMark = markOf(foreignId)
      const theirs = knowledge(foreign)
      const foreignIds = new Set([...theirs.ids.values()].flat())
      let calls = 0
      for (const tool of catalogue().tools) {
        const { inputSchema, name } = tool.definition
        const needed = neededBy(name, own)
        assert.isNotEmpty(needed)
        const varied = propertiesOf(inputSchema).flatMap(([argument, schema]) =>
          valuesOf(argument, schema, theirs, foreignMark).map((value) => ({ ...needed[0], [argument]: value }))
        )
        for (const input of [...needed, ...varied]) {
          const { text } = await call(name, input, own)
          calls += 1
          const said = `${name} ${JSON.stringify(input)}: ${text.slice(0, 300)}`
          assert.notInclude(text, foreignMark, said)
          assert.notInclude(text, foreignId, said)
          assert.isEmpty(
            idsIn(text).filter((id) => foreignIds.has(id)),
            said
          )
        }
      }
      assert.isAbove(calls, 150)
    })

    it(`${side} is told of the other's ids exactly what is told of an id that nobody has`, async () => {
      const theirs = knowledge(foreign)
      let compared = 0
      for (const tool of catalogue().tools) {
        const { inputSchema, name } = tool.definition
        for (const [argument, schema] of propertiesOf(inputSchema)) {
          const prefix = argument === "subject_id" ? "exp" : prefixOf(schema)
          if (prefix === undefined) continue
          const needed = argument === "id" ? {} : neededBy(name, own)[0]
          const ids = theirs.ids.get(prefix) ?? []
          const nobodys = `${prefix}_01h455vb4pex5vsknk084sn02q`
          const ofNobody = await call(name, { ...needed, [argument]: nobodys }, own)
          for (const id of ids.slice(0, 20)) {
            assert.deepStrictEqual(
              await call(name, { ...needed, [argument]: id }, own),
              ofNobody,
              `${name} ${argument} ${id}`
            )
            compared += 1
          }
        }
      }
      assert.isAbove(compared, 60)
    })

    it(`${side} cannot use the other's cursors, nor a cursor for another tool or other filters, nor one that was altered`, async () => {
      const [invalid] = await Promise.all([call("list_expenses", { limit: 1, cursor: "AAAA" }, own)])
      assert.isTrue(invalid.isError)
      const input = (name: string, cursor: string) => ({
        limit: 1,
        cursor,
        ...(name === "list_approvals" ? { mine: false } : {})
      })
      const { cursors } = knowledge(own)
      for (const [name, cursor] of knowledge(foreign).cursors) {
        assert.deepStrictEqual(await call(name, input(name, cursor), own), invalid, name)
      }
      for (const [name, cursor] of cursors) {
        assert.isFalse((await call(name, input(name, cursor), own)).isError, name)
        for (const other of lists.filter((one) => one !== name)) {
          assert.deepStrictEqual(await call(other, input(other, cursor), own), invalid, `${name} in ${other}`)
        }
        const altered = Array.from(cursor, (character, index) => {
          const another = character === "A" ? "B" : "A"
          return `${cursor.slice(0, index)}${another}${cursor.slice(index + 1)}`
        })
        for (const one of [...altered, `${cursor}A`, cursor.slice(0, -1), `${cursor}=`, ` ${cursor}`, ""]) {
          assert.deepStrictEqual(await call(name, input(name, one), own), invalid, `${name} ${one}`)
        }
      }
      const ofExpenses = cursors.get("list_expenses") ?? ""
      const filtered = { limit: 1, cursor: ofExpenses, status: ["APPROVED"] }
      assert.deepStrictEqual(await call("list_expenses", filtered, own), invalid)
      // The same place is the same with another limit.
      assert.isFalse((await call("list_expenses", { limit: 50, cursor: ofExpenses }, own)).isError)
    })

    it(`${side} reads its own resources, and the same prompts`, async () => {
      const foreignMark = markOf(foreignId)
      const uris = [...catalogue().resources.map(({ definition }) => definition.uri), "sarraf://reports/spend/2026-01"]
      for (const uri of uris) {
        const contents = JSON.stringify(await catalogue().readResource(uri, own))
        if (!uri.includes("/reports/")) assert.include(contents, markOf(own.principal.organizationId), uri)
        assert.notInclude(contents, foreignMark, uri)
        assert.notInclude(contents, foreignId, uri)
        assert.isEmpty(
          idsIn(contents).filter((id) => new Set([...knowledge(foreign).ids.values()].flat()).has(id)),
          uri
        )
      }
      for (const prompt of catalogue().prompts) {
        assert.deepStrictEqual(await prompt.get({}, own), await prompt.get({}, foreign))
      }
    })
  }

  it("holds the other's rows apart in the database too, for every table that is read", async () => {
    const counts = await onDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tables = yield* sql<{ readonly name: string }>`SELECT c.relname AS name FROM pg_class c
          WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
          AND has_any_column_privilege('sarraf_assistant', c.oid, 'SELECT')`
        return yield* Effect.forEach(tables, ({ name }) => {
          const key = sql(name === "organizations" ? "id" : "organization_id")
          return sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT set_config('sarraf.organization', ${sandbox}, true)`
              const [all] = yield* sql<{
                own: number
                others: number
              }>`SELECT count(*) FILTER (WHERE ${key} = ${sandbox})::int AS own,
                count(*) FILTER (WHERE ${key} <> ${sandbox})::int AS others FROM ${sql(name)}`
              yield* sql`SELECT set_config('role', 'sarraf_assistant', true)`
              const [seen] = yield* sql<{
                own: number
                others: number
              }>`SELECT count(*) FILTER (WHERE ${key} = ${sandbox})::int AS own,
                count(*) FILTER (WHERE ${key} <> ${sandbox})::int AS others FROM ${sql(name)}`
              return { name, all, seen }
            })
          )
        })
      })
    )
    assert.isAbove(counts.length, 15)
    for (const { all, name, seen } of counts) {
      assert.strictEqual(seen?.others, 0, name)
      assert.strictEqual(seen?.own, all?.own, name)
      // The views show nothing of others to anybody, and the other sandbox has no delegations.
      const hasOthers = !name.startsWith("assistant_") && name !== "approval_delegations"
      assert.strictEqual((all?.others ?? 0) > 0, hasOthers, name)
    }
  })

  it("is asked for by no tool: the organization comes from the credential alone", () => {
    for (const tool of catalogue().tools) {
      assert.notMatch(JSON.stringify(tool.definition.inputSchema), /organization_id|org_/u)
    }
  })
})
