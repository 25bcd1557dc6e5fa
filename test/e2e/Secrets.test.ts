import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type Answer, authorizePath, makeClient, otherSandbox, sandbox, withHeaders } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

/** What a collector of traces, logs and metrics is sent. */
const exported: Array<string> = []
const collector = createServer((request, response) => {
  request
    .setEncoding("utf8")
    .on("data", (piece: string) => exported.push(piece))
    .on("end", () => response.end("{}"))
})
await once(collector.listen(0, "127.0.0.1"), "listening")
const { port: collectorPort } = collector.address() as AddressInfo

const service = useService({
  LOG_LEVEL: "debug",
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`
})
afterAll(() => void collector.close())
const client = makeClient(service)
const other = makeClient(service, otherSandbox)

/** Three digits would be found everywhere by chance: a card with four, which nothing else here contains. */
const cvc = "7391"
const numbers = [...Object.values(cards), "4111111111111112"]
const spaced = "4111 1111 1111 1111"
const secrets = [sandbox.secret, otherSandbox.secret]

/** The texts of all answers. */
const told: Array<string> = []
const kept = async (answer: Promise<Answer>) => {
  const { headers, status, text } = await answer
  told.push(`${status} ${JSON.stringify([...headers])} ${text}`)
  return answer
}

const opened = async (currency: string) => {
  const { transactionId } = (await client.authorize(order({ currency }))).json as { readonly transactionId?: string }
  return String(transactionId)
}

/** Every kind of request, good and bad, so that whatever writes something has had its occasion. */
const fullRun = async () => {
  for (const currency of ["USD", "TRY", "AED"]) {
    for (const cardNumber of [...numbers, spaced]) await kept(client.authorize(order({ cardNumber, currency })))
    await kept(client.authorize(order({ cardNumber: cards.amex, cardCvc: cvc, currency })))
    const [taken, voided] = [await opened(currency), await opened(currency)]
    await kept(client.capture(taken))
    await kept(client.refund(taken, { amount: 1 }))
    await kept(client.refund(taken, { amount: 1_000_000 }))
    await kept(client.find(taken))
    await kept(client.cancel(voided))
  }
  await kept(other.authorize(order()))
  await kept(client.authorize(order({ cardNumber: cards.amex, cardCvc: cvc, is3DS: true })))
  await kept(client.authorize(order({ cardCvc: Number(cvc), cardNumber: Number(cards.visa) })))
  await kept(client.authorize(order({ surprise: cards.visa, buyer: cards.mastercard })))
  await kept(client.authorize(JSON.stringify(order({ cardCvc: cvc })).slice(0, -2)))
  await kept(client.authorize(order({ cardNumber: cards.amex, cardCvc: cvc }), { idempotencyKey: "first" }))
  await kept(client.authorize(order({ cardNumber: cards.amex, cardCvc: cvc }), { idempotencyKey: "first" }))
  const forged = withHeaders(client.sign("POST", authorizePath, order()), { "x-signature": "0".repeat(64) })
  await kept(client.send(forged))
  await kept(client.list("?limit=100"))
  await kept(client.visit("/metrics"))
}

/** Where a number, CVC or secret stands in a text, with what is around it. */
const findings = (text: string) => {
  const patterns = [
    ...[...numbers, spaced].map((number) => new RegExp(`(?<!\\d)${number}(?!\\d)`, "g")),
    ...secrets.map((secret) => new RegExp(`${secret}(?!_)\\b`, "g")),
    new RegExp(`(?<![0-9A-Za-z.])${cvc}(?![0-9A-Za-z])`, "g"),
    /cvc"?\s*[:=]\s*"?\d{3,4}\b/gi
  ]
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index }) => text.slice(Math.max(0, index - 60), index + 60))
  )
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Every row of every table of the service's own PostgreSQL, as PostgreSQL writes it. */
const dump = async (folder: string) => {
  const pidFile = (await filesIn(folder)).find((path) => path.endsWith("postmaster.pid"))
  if (pidFile === undefined) throw new Error("The data folder has no postmaster.pid.")
  const [, , , port, socketFolder] = (await readFile(pidFile, "utf8")).split("\n")
  const rows: Array<string> = []
  const connect = (database: string) =>
    postgres({ host: socketFolder ?? "", port: Number(port), user: "sarraf", database, max: 1, onnotice: () => {} })
  const names = connect("postgres")
  const databases = await names<Array<{ datname: string }>>`SELECT datname FROM pg_database WHERE datallowconn`
  await names.end()
  for (const { datname } of databases) {
    const sql = connect(datname)
    const tables = await sql<Array<{ name: string }>>`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
    for (const { name } of tables) {
      const found = await sql.unsafe<Array<{ row: string }>>(`SELECT t::text AS row FROM ${name} t`)
      rows.push(...found.map(({ row }) => `${name} ${row}`))
    }
    await sql.end()
  }
  return rows
}

const asHex = (text: string) => Buffer.from(text).toString("hex")

describe("A card number, a CVC and a client secret", () => {
  let rows: ReadonlyArray<string> = []
  beforeAll(async () => {
    await fullRun()
    rows = await dump(service().folder)
  })

  it("are in nothing that the service writes, at its most talkative", () => {
    const lines = service().output.split("\n")
    // At its start the sandbox tells its two clients with their secrets, which are in the manual as well.
    const announcements = lines.filter((line) => line.includes("Sandbox client: "))
    assert.isAtMost(announcements.length, 2)
    const log = lines.filter((line) => !announcements.includes(line)).join("\n")
    assert.include(log, authorizePath, "the log tells of requests, or this test would prove nothing")
    assert.deepStrictEqual(findings(log), [])
  })

  it("are in no answer, whether the request was good or bad, and in no metric", () => {
    const statuses = new Set(told.map((text) => text.slice(0, 3)))
    for (const status of ["200", "400", "401", "402", "409", "502"]) assert.isTrue(statuses.has(status), status)
    assert.isTrue(told.some((text) => text.includes("sarraf_payments_total")))
    assert.deepStrictEqual(findings(told.join("\n")), [])
  })

  it("are in nothing that is exported to a collector of traces, logs and metrics", async () => {
    // An exporter sends every few seconds.
    await vi.waitUntil(
      () => exported.some((piece) => piece.includes("traceId") && piece.includes(authorizePath)),
      15_000
    )
    // The sandbox's announcement of its clients is a log line like any other.
    assert.deepStrictEqual(findings(exported.join("").replace(/Sandbox client: [^"\\]*/g, "")), [])
  })

  it("are in no row of its database", () => {
    const text = rows.join("\n")
    assert.match(text, /txn_[0-9a-z]{26}/, "the payments are in the dump, or this test would prove nothing")
    assert.deepStrictEqual(findings(text), [])
    for (const secret of [...numbers, ...secrets]) {
      assert.notInclude(text, asHex(secret))
      assert.notInclude(text, Buffer.from(secret).toString("base64").replace(/=+$/, ""))
    }
  })

  it("are in no file of its data folder, write-ahead log included", async () => {
    let bytes = 0
    for (const path of await filesIn(service().folder)) {
      // A file of PostgreSQL may go between listing and reading.
      const content = await readFile(path).catch(() => Buffer.alloc(0))
      bytes += content.length
      for (const secret of [...numbers, spaced, ...secrets]) {
        assert.isFalse(content.includes(secret), `${secret} is in ${path.slice(service().folder.length)}`)
      }
    }
    assert.isAbove(bytes, 1_000_000)
  })

  it("are in no answer about a payment", async () => {
    for (const cardNumber of [cards.amex, cards.declined, cards.providerError]) {
      const answer = await client.authorize(order({ cardNumber, cardCvc: cardNumber === cards.amex ? cvc : "123" }))
      const { transactionId } = answer.json as { transactionId: string }
      const found = await client.find(transactionId)
      assert.deepStrictEqual(findings(`${answer.text}\n${found.text}`), [])
    }
  })
})
