import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, beforeAll, describe, it } from "vitest"
import { faultPaths, problemOf, replayed } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { useService } from "./support/Service.ts"

/** Exchange rates of an organization: what is added, listed, imported, and what an amount is by them. */

// Without the demo year: what is there is what these tests made.
const service = useService()
const client = makeClient(service)
const path = "/api/exchange-rates"

interface Rate {
  readonly date: string
  readonly base: string
  readonly quote: string
  readonly rate: string
  readonly source: string
  readonly origin: string
}
interface RateList {
  readonly data: ReadonlyArray<Rate>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

interface Sending {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

const sendText = (
  method: string,
  to: string,
  text: string | undefined,
  { headers = {}, key = "key_test_sandbox" }: Sending = {}
) =>
  client.send({
    method,
    path: to,
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: text === undefined ? undefined : new TextEncoder().encode(text)
  })

const read = (query: string, key?: string) =>
  sendText("GET", `${path}${query}`, undefined, key === undefined ? {} : { key })

const change = (body: unknown, { headers, key }: Sending = {}) =>
  sendText("POST", path, JSON.stringify(body), {
    headers: { "content-type": "application/json", ...headers },
    ...(key === undefined ? {} : { key })
  })

const importCsv = (text: string, sending: Sending = {}) =>
  sendText("POST", `${path}/import`, text, { headers: { "content-type": "text/csv", ...sending.headers } })

const listed = async (query: string, key?: string) => {
  const answer = await read(query, key)
  assert.strictEqual(answer.status, 200, answer.text)
  return (answer.json as RateList).data.map(({ base, date, origin, quote, rate }) => [date, base, quote, rate, origin])
}

describe("Rates that are added", () => {
  it("are texts or numbers, take the place of earlier ones, and belong to their organization", async () => {
    const day = "?date=2026-01-30"
    const first = await change({
      rates: [{ date: "2026-01-30", base: "USD", quote: "TRY", rate: "41.2350" }],
      colour: 1
    })
    assert.strictEqual(first.status, 200, first.text)
    assert.deepInclude(first.json, { read: 1, written: 1, from: "2026-01-30", to: "2026-01-30", skipped: [] })
    assert.include(first.text, '"path":"colour"')
    const second = await change({
      rates: [
        { date: "2026-01-30", base: "USD", quote: "TRY", rate: 42 },
        { date: "2026-01-30", base: "JPY", quote: "BHD", rate: 1e-7 }
      ]
    })
    assert.deepInclude(second.json, { read: 2, written: 2 })
    assert.deepStrictEqual(await listed(day), [
      ["2026-01-30", "JPY", "BHD", "0.0000001", "api"],
      ["2026-01-30", "USD", "TRY", "42", "api"]
    ])
    assert.deepStrictEqual(await listed(`${day}&base=JPY`), [["2026-01-30", "JPY", "BHD", "0.0000001", "api"]])
    assert.deepStrictEqual(await listed(day, "key_test_other"), [])
  })

  it("are refused together, with every fault at its path", async () => {
    const rate = { date: "2026-03-02", base: "USD", quote: "TRY", rate: "41" }
    const answer = await change({
      rates: [rate, { ...rate, rate: "0" }, { ...rate, base: "EUR", rate: "1,5" }, { ...rate, base: "TRY" }, rate]
    })
    assert.deepStrictEqual(faultPaths(answer), [
      "rates[1]",
      "rates[1].rate",
      "rates[2].rate",
      "rates[3].quote",
      "rates[4]"
    ])
    assert.deepStrictEqual(faultPaths(await change({ rates: [{ ...rate, date: "2026-02-30", base: "XXX" }] })), [
      "rates[0].base",
      "rates[0].date"
    ])
    assert.deepStrictEqual(faultPaths(await change({ rates: [] })), ["rates"])
    assert.deepStrictEqual(faultPaths(await change({ rates: Array.from({ length: 1001 }, () => rate) })), ["rates"])
    assert.deepStrictEqual(await listed("?date=2026-03-02"), [])
  })

  it("are added once under one Idempotency-Key", async () => {
    const headers = { "idempotency-key": "rates-1" }
    const body = { rates: [{ date: "2026-03-03", base: "USD", quote: "TRY", rate: "41" }] }
    const [first, again] = [await change(body, { headers }), await change(body, { headers })]
    assert.deepInclude(first.json, { written: 1 })
    assert.deepStrictEqual(again.json, first.json)
    assert.isTrue(replayed(again))
  })
})

describe("A file of rates", () => {
  it("may be the European Central Bank's", async () => {
    const answer = await importCsv("Date,USD,CYP,TRY,\n2025-12-30,1.25,N/A,50,\n2025-12-31,1.2,0.58,48,\n")
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual(answer.json, { read: 4, written: 4, from: "2025-12-30", to: "2025-12-31", skipped: ["CYP"] })
    assert.deepStrictEqual(await listed("?date=2025-12-31&quote=TRY"), [["2025-12-31", "EUR", "TRY", "48", "ecb"]])
  })

  it("may have a line for each rate", async () => {
    const answer = await importCsv("date,base,quote,rate\r\n2025-11-03,KWD,TRY,137.5\r\n", {
      headers: { "content-type": "text/csv; charset=utf-8" }
    })
    assert.deepInclude(answer.json, { read: 1, written: 1 })
    assert.deepStrictEqual(await listed("?date=2025-11-03"), [["2025-11-03", "KWD", "TRY", "137.5", "csv"]])
  })

  it("with faults changes nothing and tells each with its line", async () => {
    const rows = ["date,base,quote,rate", "2025-11-04,USD,TRY,41", "2025-11-04,USD,DEM,1", "soon,USD,TRY,41"]
    assert.deepStrictEqual(faultPaths(await importCsv(rows.join("\n"))), ["line 3, quote", "line 4, date"])
    assert.deepStrictEqual(await listed("?date=2025-11-04"), [])
    assert.deepStrictEqual(faultPaths(await importCsv("")), ["line 1"])
  })

  it("says that it is one, is UTF-8 and is not too long", async () => {
    const headers = { "content-type": "application/json", "idempotency-key": "file-1" }
    problemOf(await importCsv("{}", { headers }), 415, "UNSUPPORTED_MEDIA_TYPE")
    const text = "date,base,quote,rate\n2025-10-01,USD,TRY,41"
    const sent = await importCsv(text, { headers: { "idempotency-key": "file-1" } })
    assert.strictEqual(sent.status, 200, "the key of what was refused is free")
    problemOf(await importCsv("x".repeat(10 * 1_048_576 + 1)), 413, "PAYLOAD_TOO_LARGE")
    const binary = await client.send({
      method: "POST",
      path: `${path}/import`,
      headers: { authorization: "Bearer key_test_sandbox", "content-type": "text/csv" },
      body: Uint8Array.of(0xff, 0xfe, 0)
    })
    problemOf(binary, 400, "INVALID_REQUEST")
  })
})

describe("The list", () => {
  it("is read page by page and refuses other filters and cursors", async () => {
    await importCsv("Date,USD,TRY,JPY,\n2024-01-02,1.1,33,160,\n2024-01-03,1.2,34,161,\n")
    const first = (await read("?base=EUR&limit=1&date=2024-01-03")).json as RateList
    assert.deepStrictEqual([first.data[0]?.quote, first.has_more], ["JPY", true])
    const second = await read(`?base=EUR&limit=2&date=2024-01-03&cursor=${first.next_cursor}`)
    assert.deepStrictEqual(
      (second.json as RateList).data.map(({ quote }) => quote),
      ["TRY", "USD"]
    )
    assert.deepStrictEqual(faultPaths(await read(`?limit=1&cursor=${first.next_cursor}`)), ["cursor"])
    assert.deepStrictEqual(faultPaths(await read("?colour=blue")), ["colour"])
    assert.deepStrictEqual(faultPaths(await read("?base=euro")), ["base"])
  })
})

describe("A conversion", () => {
  beforeAll(async () => {
    await importCsv("Date,USD,TRY,JPY,KWD,\n2023-05-05,1.25,25,150,0.3125,\n")
  })
  const convert = (query: string) => read(`/convert?${query}`)

  it("tells the amount, the rate, its day and whose it is", async () => {
    assert.deepStrictEqual((await convert("amount=149.90&from=EUR&to=TRY&date=2023-05-07")).json, {
      amount: 149.9,
      from: "EUR",
      to: "TRY",
      date: "2023-05-07",
      converted_amount: 3747.5,
      rate: "25",
      rate_date: "2023-05-05",
      source: "organization",
      via: null
    })
    const crossed = await convert("amount=1.001&from=KWD&to=JPY&date=2023-05-05")
    assert.deepInclude(crossed.json, { converted_amount: 480, rate: "480", via: "EUR" })
    const same = await convert("amount=5&from=TRY&to=TRY&date=1999-01-01")
    assert.deepInclude(same.json, { converted_amount: 5, rate: "1", source: null, rate_date: "1999-01-01" })
  })

  it("says what is wrong with the question, and where there is no rate", async () => {
    assert.deepStrictEqual(faultPaths(await convert("amount=1&from=EUR&to=TRY&date=2023-05-16")), ["from"])
    assert.deepStrictEqual(faultPaths(await convert("amount=1.5&from=JPY&to=TRY&date=2023-05-05")), ["amount"])
    assert.deepStrictEqual(faultPaths(await convert("amount=0&from=JPY&to=TRY&date=2023-05-05")), ["amount"])
    const huge = `amount=90071992547409.91&from=EUR&to=TRY&date=2023-05-05`
    assert.strictEqual((await convert(huge)).status, 200)
    const tooLarge = `amount=92233720368547758.07&from=EUR&to=TRY&date=2023-05-05`
    assert.deepStrictEqual(faultPaths(await convert(tooLarge)), ["amount"])
    assert.deepStrictEqual(faultPaths(await convert("")), ["amount", "date", "from", "to"])
  })
})

describe("The operator's rates", () => {
  const command = fileURLToPath(new URL("../../packages/runtime-http/src/rates.ts", import.meta.url))
  const run = (...args: ReadonlyArray<string>) =>
    promisify(execFile)(process.execPath, [command, ...args], {
      env: { PATH: process.env.PATH ?? "", SARRAF_DATA_DIR: service().folder, LOG_LEVEL: "error" }
    }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr })
    )

  it("are imported by a command beside the running service, for every organization", async () => {
    const file = join(service().folder, "rates.csv")
    await writeFile(file, "Date,USD,TRY,CYP,\n2022-07-01,1.05,17.5,N/A,\n")
    const imported = await run("import", file)
    assert.deepStrictEqual(imported.code, 0, imported.text)
    assert.include(imported.text, "2 rates read, 2 new or changed, 2022-07-01 to 2022-07-01.")
    assert.include(imported.text, "CYP")
    assert.include((await run("list")).text, "operator  EUR in 2 currencies  2 rates  2022-07-01 to 2022-07-01")
    const answer = (await read("/convert?amount=1&from=EUR&to=TRY&date=2022-07-02", "key_test_other")).json
    assert.deepInclude(answer, { converted_amount: 17.5, source: "operator" })
    const own = await run("import", file, "--organization", "org_01kd8z0000e0080000000000s2")
    assert.strictEqual(own.code, 0, own.text)
    const now = (await read("/convert?amount=1&from=EUR&to=TRY&date=2022-07-02", "key_test_other")).json
    assert.deepInclude(now, { converted_amount: 17.5, source: "organization" })
  })

  it("are refused with the line that is wrong, for an unknown organization and an unknown file", async () => {
    const file = join(service().folder, "wrong.csv")
    await writeFile(file, "date,base,quote,rate\n2022-07-01,USD,TRY,much\n")
    const wrong = await run("import", file)
    assert.deepStrictEqual([wrong.code, wrong.text.includes("line 2, rate: must be a decimal number")], [1, true])
    assert.strictEqual((await run("import", `${file}.gone`)).code, 1)
    await writeFile(file, "date,base,quote,rate\n2022-07-01,USD,TRY,17\n")
    assert.include(
      (await run("import", file, "--organization", "org_nobody")).text,
      "There is no organization org_nobody"
    )
    assert.include((await run("export")).text, "npm run rates -- import FILE")
  })
})
