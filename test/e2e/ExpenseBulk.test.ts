import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { faultPaths, problemOf, replayed } from "./support/answers.ts"
import { bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { commandExpense, createExpenses, type ExpenseAnswer, expensesPath } from "./support/expenses.ts"
import { useService } from "./support/Service.ts"

/** Several expenses at once: decisions and exports (specification 4.2, contract section 6). */

const service = useService()
const client = makeClient(service)
const send = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")
const bulk = (body: unknown, headers = {}, as = send) => as("POST", `${expensesPath}/bulk`, body, headers)

interface Results {
  readonly results: ReadonlyArray<{
    readonly id: string
    readonly ok: boolean
    readonly expense?: ExpenseAnswer
    readonly error?: Readonly<Record<string, unknown>>
  }>
  readonly succeeded: number
  readonly failed: number
  readonly warnings?: ReadonlyArray<{ readonly path: string }>
}
interface Manifest {
  readonly format: string
  readonly query: Readonly<Record<string, unknown>>
  readonly rows: number
  readonly sums: ReadonlyArray<{ readonly currency: string; readonly amount: number }>
  readonly sha256: string
  readonly audit_head: { readonly sequence: number; readonly hash: string }
  readonly missing?: ReadonlyArray<string>
}
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const several = (count: number, changes: Readonly<Record<string, unknown>> = {}) => createExpenses(send, count, changes)

describe("Bulk decisions", () => {
  it("are each made by themselves, in the order asked, a repeated id once", async () => {
    const [draft, waiting, done] = await several(3)
    const ids = [waiting?.id ?? "", "exp_nobody", done?.id ?? "", draft?.id ?? ""]
    await commandExpense(send, waiting?.id ?? "", "submit")
    await commandExpense(send, done?.id ?? "", "reject")
    const answer = await bulk({ action: "approve", ids: [...ids, ...ids], colour: "red" })
    const { failed, results, succeeded, warnings } = bodyOf<Results>(answer)
    assert.deepStrictEqual(
      results.map(({ error, expense, id, ok }) => [id, ok, expense?.status ?? error?.code]),
      [
        [ids[0], true, "APPROVED"],
        [ids[1], false, "NOT_FOUND"],
        [ids[2], false, "INVALID_STATE"],
        [ids[3], true, "APPROVED"]
      ]
    )
    assert.deepStrictEqual([succeeded, failed, warnings?.map(({ path }) => path)], [2, 2, ["colour"]])
    const alone = problemOf(await send("POST", `${expensesPath}/${ids[2]}/approve`), 409, "INVALID_STATE")
    assert.deepStrictEqual(
      { ...results[2]?.error, instance: "", requestId: "" },
      { ...alone, instance: "", requestId: "" }
    )
    assert.strictEqual(results[2]?.error?.requestId, answer.headers.get("x-request-id"))
    const read = bodyOf(await send("GET", `${expensesPath}/${ids[0]}`))
    assert.deepStrictEqual(results[0]?.expense, read)
  })

  it("take ids under both names, and a reason", async () => {
    const [one] = await several(1)
    const { results } = bodyOf<Results>(await bulk({ action: "reject", expense_ids: [one?.id], reason: "Private" }))
    assert.deepInclude(results[0]?.expense, { status: "REJECTED", rejection_reason: "Private" })
  })

  it("cannot reach another organization's", async () => {
    const [mine] = await several(1)
    const { results } = bodyOf<Results>(await bulk({ action: "approve", ids: [mine?.id] }, {}, other))
    assert.strictEqual(results[0]?.error?.code, "NOT_FOUND")
    assert.deepStrictEqual(bodyOf(await send("GET", `${expensesPath}/${mine?.id}`)), mine)
  })

  it("are refused as a whole for a body that cannot be", async () => {
    const tooMany = Array.from({ length: 501 }, (_, index) => `exp_${index}`)
    for (const [body, paths] of [
      [{}, ["action"]],
      [{ action: "approve" }, ["ids"]],
      [{ action: "approve", ids: ["a"], expense_ids: ["a"] }, ["expense_ids"]],
      [{ action: "approve", ids: [] }, ["ids"]],
      [{ action: "approve", ids: tooMany }, ["ids"]],
      [{ action: "delete", ids: [3], format: "pdf" }, ["action", "format", "ids[0]"]]
    ] as const) {
      assert.deepStrictEqual(faultPaths(await bulk(body)), [...paths], JSON.stringify(body).slice(0, 80))
    }
  })

  it("are given again under the same Idempotency-Key", async () => {
    const [one] = await several(1)
    const key = { "idempotency-key": `bulk ${one?.id}` }
    const first = await bulk({ action: "approve", ids: [one?.id] }, key)
    const again = await bulk({ action: "approve", ids: [one?.id] }, key)
    assert.deepStrictEqual([replayed(first), replayed(again), again.text], [false, true, first.text])
    problemOf(await bulk({ action: "reject", ids: [one?.id] }, key), 422, "IDEMPOTENCY_CONFLICT")
  })

  it("of 500 at once are made, and two such at the same time decide each expense once", async () => {
    const made = await createExpenses(send, 60)
    const ids = made.map(({ id }) => id)
    const unknown = Array.from({ length: 440 }, (_, index) => `exp_${index}`)
    const answers = await Promise.all([
      bulk({ action: "approve", ids: [...ids, ...unknown] }),
      bulk({ action: "reject", ids: ids.toReversed() })
    ])
    const [one, other] = answers.map((answer) => bodyOf<Results>(answer))
    assert.strictEqual((one?.succeeded ?? 0) + (other?.succeeded ?? 0), 60)
    assert.deepStrictEqual([one?.results.length, other?.results.length], [500, 60])
  })
})

describe("An export", () => {
  const formula = '=HYPERLINK("http://evil.example")'

  it("of ids is a CSV file that no spreadsheet takes for formulas, with its manifest", async () => {
    const [one, two] = await several(2, { amount: 12.5, description: formula, merchant: 'Ali, "Veli"\nGıda' })
    const answer = await bulk({ action: "export", ids: [two?.id, "exp_nobody", one?.id, two?.id] })
    assert.strictEqual(answer.status, 200)
    assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/)
    assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename=/)
    const manifest = JSON.parse(answer.headers.get("x-export-manifest") ?? "") as Manifest
    assert.deepInclude(manifest, {
      format: "csv",
      rows: 2,
      sums: [{ currency: "TRY", amount: 25 }],
      sha256: sha256(answer.text),
      missing: ["exp_nobody"]
    })
    assert.match(manifest.audit_head.hash, /^[0-9a-f]{64}$/)
    const [head, row, ...rest] = answer.text.split("\r\n")
    assert.match(head ?? "", /^id,status,date,merchant,/)
    assert.isTrue(row?.startsWith(`${two?.id},DRAFT,`))
    assert.include(row ?? "", `"Ali, ""Veli""\nGıda"`)
    assert.include(row ?? "", `"'=HYPERLINK(""http://evil.example"")"`)
    assert.include(row ?? "", ",12.50,TRY,12.50,TRY,")
    assert.deepStrictEqual([rest.length, rest.at(-1)], [2, ""])
  })

  it("of ids as JSON holds what the API shows, and the digest of its data", async () => {
    const [one] = await several(1)
    const answer = await bulk({ action: "export", ids: [one?.id], format: "json" })
    const { data, manifest } = bodyOf<{ data: ReadonlyArray<unknown>; manifest: Manifest }>(answer)
    assert.deepStrictEqual(data, [one])
    assert.deepInclude(manifest, { rows: 1, query: { ids: [one?.id] }, missing: [] })
    assert.strictEqual(
      manifest.sha256,
      sha256(answer.text.slice('{"data":'.length, answer.text.indexOf(',"manifest":')))
    )
  })

  it("by filters streams every page, in both forms, and is remembered by the audit trail", async () => {
    await createExpenses(send, 510, { category: "Streamed", amount: 0.1 })
    const query = "category=Streamed"
    const answer = await send("GET", `${expensesPath}/export?format=json&${query}`)
    const { data, manifest } = bodyOf<{ data: ReadonlyArray<ExpenseAnswer>; manifest: Manifest }>(answer)
    assert.strictEqual(new Set(data.map(({ id }) => id)).size, 510)
    assert.deepInclude(manifest, {
      rows: 510,
      sums: [{ currency: "TRY", amount: 51 }],
      query: { category: ["Streamed"] }
    })
    assert.strictEqual(
      manifest.sha256,
      sha256(answer.text.slice('{"data":'.length, answer.text.lastIndexOf(',"manifest":')))
    )
    const csv = await send("GET", `${expensesPath}/export?${query}`)
    assert.strictEqual(csv.text.split("\r\n").length, 512)
    const told = bodyOf<Manifest>(await send("GET", `${expensesPath}/export/manifest?${query}`))
    assert.deepInclude(told, { format: "csv", rows: 510, sha256: sha256(csv.text) })
    const entries = rowsOf<{ readonly detail: unknown }>(
      await send("GET", "/api/audit?action=expense.exported&limit=2")
    )
    assert.deepStrictEqual(
      entries.map(({ detail }) => detail),
      [
        { format: "csv", query: { category: ["Streamed"] }, rows: 510, sha256: sha256(csv.text) },
        { format: "json", query: { category: ["Streamed"] }, rows: 510, sha256: manifest.sha256 }
      ]
    )
  })

  it("of nothing is a file all the same, and a wrong filter is refused", async () => {
    const csv = await send("GET", `${expensesPath}/export?category=Nothing`)
    assert.match(csv.text, /^id,[^\r]*\r\n$/)
    const json = bodyOf<{ data: unknown }>(await send("GET", `${expensesPath}/export?category=Nothing&format=json`))
    assert.deepStrictEqual(json.data, [])
    assert.deepStrictEqual(faultPaths(await send("GET", `${expensesPath}/export?format=pdf&colour=red`)), [
      "colour",
      "format"
    ])
    assert.deepStrictEqual(faultPaths(await send("GET", `${expensesPath}/export?min_amount=1.001`)), ["min_amount"])
  })
})
