import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { foldSpend } from "@sarraf/adapters/postgres/reports/SpendFolder"
import { typeId } from "@sarraf/domain/identifiers/TypeId"
import { Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import { readOptions } from "../../bench/options.ts"
import { fillExpenses } from "../../bench/StoredExpenses.ts"
import * as expenses from "../../bench/scenarios/expenses.ts"
import { walkTo } from "../../bench/walkList.ts"
import { insertOrganization } from "../adapters/postgres/support/Shop.ts"
import * as Database from "../support/Database.ts"

const run = { currency: "TRY", token: "bench-1", payments: [] }

describe("the work of the expense side", () => {
  it("is sent with the organization's key", () => {
    for (const scenario of [expenses.create, expenses.list, expenses.spendBy("month"), expenses.stats]) {
      assert.include(scenario.subject(run)()?.text ?? "", "\r\nauthorization: Bearer key_test_sandbox\r\n")
      assert.isUndefined(scenario.baseline(run)())
    }
  })
  it("makes expenses that differ, in the currency that is asked for", () => {
    const next = expenses.create.subject(run)
    const bodies = [next(), next()].map((request) => JSON.parse(request?.text.split("\r\n\r\n")[1] ?? ""))
    assert.deepStrictEqual(
      bodies.map(({ currency, description }) => [currency, description]),
      [
        ["TRY", "bench-1-1"],
        ["TRY", "bench-1-2"]
      ]
    )
  })
  it("asks for the first page, or for the one at the cursor", () => {
    const lineOf = (cursor?: string) =>
      expenses.list
        .subject({ ...run, cursor })()
        ?.text.split("\r\n")[0]
    assert.strictEqual(lineOf(), "GET /api/expenses?limit=10 HTTP/1.1")
    assert.strictEqual(lineOf("abc"), "GET /api/expenses?limit=10&cursor=abc HTTP/1.1")
  })
  it("is a scenario of its own", () => assert.strictEqual(readOptions(["--scenario", "expenses"]).scenario, "expenses"))
})

describe("the way to a page", () => {
  /** A list of so many pages, of which one repeats a row of the page before. */
  const serve = (pages: number, repeating?: number) =>
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((request, response) => {
          const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("cursor") ?? "1")
          const ids = [`${page === repeating ? page - 1 : page}a`, `${page}b`]
          const body = { data: ids.map((id) => ({ id })), next_cursor: page < pages ? String(page + 1) : null }
          const text = JSON.stringify(body)
          response.writeHead(200, { "content-length": text.length }).end(text)
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
  const walk = (pages: number, to: number, repeating?: number) =>
    Effect.scoped(
      Effect.flatMap(serve(pages, repeating), (server) =>
        walkTo((server.address() as AddressInfo).port, expenses.list, to)
      )
    )

  it.effect("is its cursor", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* walk(9, 5), "5")
      assert.isUndefined(yield* walk(1, 1))
    })
  )
  it.effect("ends where there are not so many pages, or a row comes twice", () =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(walk(3, 5))).message, "page 3 is the last")
      assert.include((yield* Effect.flip(walk(9, 5, 3))).message, "1 rows came twice")
    })
  )
})

layer(Database.layer)("stored expenses", (it) => {
  it.effect("are as many as asked for, in the order of their ids, and have been added to the sums", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insertOrganization("org_01kd8z0000e0080000000000s1", true)
      const [database] = yield* sql<{ name: string }>`SELECT current_database() AS name`
      const target = { host: inject("postgres"), username: "postgres", name: database?.name ?? "" }
      yield* Effect.raceFirst(
        Effect.scoped(fillExpenses(target, 500)),
        TestClock.withLive(Effect.repeat(foldSpend(1_000), Schedule.spaced("20 millis")))
      )
      const rows = yield* sql<{ id: string }>`SELECT id FROM expenses ORDER BY created_at`
      const ids = rows.map(({ id }) => id)
      assert.strictEqual(ids.length, 500)
      assert.deepStrictEqual(ids, ids.toSorted())
      assert.isTrue(ids.every(Schema.is(typeId("exp"))))
      const [sum] = yield* sql<{ expenses: string }>`SELECT sum(expenses)::text AS expenses FROM spend_sums
        WHERE cut = 'total'`
      assert.strictEqual(sum?.expenses, "500")
    })
  )
})
