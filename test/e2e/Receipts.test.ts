import { createHash } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { joined, jpeg, pdf, png, webp } from "../support/SampleFiles.ts"
import { faultPaths, instant, problemOf, replayed } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { useService } from "./support/Service.ts"

/** Receipts over HTTP: what is taken, who reads it, and how it is handed out. */

const service = useService()
const client = makeClient(service)
const path = "/api/receipts"

interface Receipt {
  readonly id: string
  readonly receipt_url: string
  readonly file_name: string
  readonly media_type: string
  readonly bytes: number
  readonly sha256: string
  readonly created_at: string
  readonly uploaded_by: string
}

/** Credentials by whose they are. */
const bearer: Record<string, string> = { key: "key_test_sandbox", other: "key_test_other" }

beforeAll(async () => {
  for (const name of ["admin", "approver", "member", "auditor"]) {
    bearer[name] = await signIn(client, `${name}@sandbox.test`)
  }
})

const authorization = (who: string) => ({ authorization: `Bearer ${bearer[who]}` })

const send = (who: string, method: string, to: string, body?: unknown) =>
  client.send({
    method,
    path: to,
    headers: { ...authorization(who), "content-type": "application/json" },
    body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  })

interface Part {
  readonly content: Uint8Array | string
  readonly name?: string
  readonly field?: string
  readonly type?: string
}

const boundary = "----sarraf-test-boundary"

/** A form as RFC 7578 and browsers have it; a part without a name is a plain field. */
const formOf = (parts: ReadonlyArray<Part>) =>
  joined(
    ...parts.flatMap(({ content, field = "file", name, type = "application/octet-stream" }) => [
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"`,
      ...(name === undefined
        ? []
        : ['; filename="', new TextEncoder().encode(name.replaceAll('"', "%22")), `"\r\nContent-Type: ${type}`]),
      "\r\n\r\n",
      typeof content === "string" ? new TextEncoder().encode(content) : content,
      "\r\n"
    ]),
    `--${boundary}--\r\n`
  )

const upload = (who: string, parts: ReadonlyArray<Part>, headers: Readonly<Record<string, string>> = {}) =>
  client.send({
    method: "POST",
    path,
    headers: { ...authorization(who), "content-type": `multipart/form-data; boundary=${boundary}`, ...headers },
    body: formOf(parts)
  })

const uploaded = async (who: string, content: Uint8Array, name = "lunch.pdf") => {
  const answer = await upload(who, [{ content, name }])
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.json as Receipt
}

/** The bytes of an address, with a credential where one is named. */
const fetched = async (to: string, who?: string) => {
  const response = await fetch(new URL(to, service().url), { headers: who === undefined ? {} : authorization(who) })
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
}

describe("An upload", () => {
  it.each([
    ["PDF", pdf(), "application/pdf"],
    ["PNG", png(), "image/png"],
    ["JPEG", jpeg(), "image/jpeg"],
    ["WebP", webp.lossy(), "image/webp"]
  ])("of a %s is known by its content, whatever it says of itself", async (_, content, type) => {
    const answer = await upload("member", [
      { content, name: "../öğle yemeği.html", type: "text/html", field: "upload" }
    ])
    assert.strictEqual(answer.status, 201, answer.text)
    const receipt = answer.json as Receipt
    assert.match(receipt.id, /^rcp_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    assert.match(receipt.created_at, instant)
    assert.deepInclude(receipt, {
      receipt_url: `${service().url}/api/receipts/${receipt.id}`,
      file_name: "öğle yemeği.html",
      media_type: type,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
      uploaded_by: "user:usr_01kd8z0000e0080000000000p4"
    })
    assert.strictEqual(answer.headers.get("location"), `/api/receipts/${receipt.id}`)
    assert.deepStrictEqual((await send("member", "GET", `${path}/${receipt.id}/metadata`)).json, receipt)
  })

  it("of the same content is another receipt, and one file for each organization", async () => {
    const content = pdf("the same")
    const [one, again, theirs] = [
      await uploaded("member", content),
      await uploaded("key", content, "again.pdf"),
      await uploaded("other", content)
    ]
    assert.strictEqual(new Set([one.id, again.id, theirs.id]).size, 3)
    const names = await readdir(join(service().folder, "receipts"), { recursive: true })
    assert.strictEqual(names.filter((name) => name.endsWith(one.sha256)).length, 2)
  })

  it("is done once under one Idempotency-Key", async () => {
    const parts = [{ content: pdf("once"), name: "once.pdf" }]
    const headers = { "idempotency-key": "receipt-1" }
    const first = await upload("key", parts, headers)
    const again = await upload("key", parts, headers)
    assert.strictEqual(first.status, 201, first.text)
    assert.isTrue(replayed(again))
    assert.deepStrictEqual([again.status, again.json], [201, first.json])
    problemOf(await upload("key", [{ content: pdf("twice"), name: "once.pdf" }], headers), 422, "IDEMPOTENCY_CONFLICT")
  })

  it("of anything else is refused, and says what was found; its key is not used up", async () => {
    const headers = { "idempotency-key": "receipt-2" }
    for (const [content, found] of [
      [joined("<script>alert(1)</script>"), "HTML, XML or SVG"],
      [joined("GIF89a\x01\x00"), "a GIF image"],
      [joined("MZ\x90\0", pdf()), "a program"],
      [pdf().subarray(0, 30), "a PDF that is damaged or cut off"]
    ] as const) {
      const answer = await upload("member", [{ content, name: "lunch.pdf", type: "application/pdf" }], headers)
      assert.include(problemOf(answer, 415, "UNSUPPORTED_MEDIA_TYPE").detail, found)
    }
    assert.strictEqual((await upload("member", [{ content: pdf(), name: "a.pdf" }], headers)).status, 201)
  })

  it("has 10 MiB at most", async () => {
    const largest = joined(pdf(), new Uint8Array(10 * 1_048_576 - 2 * pdf().length), pdf())
    assert.strictEqual((await uploaded("member", largest)).bytes, 10 * 1_048_576)
    const tooLarge = [{ content: joined(largest, [0]), name: "a.pdf" }]
    problemOf(await upload("member", tooLarge), 413, "PAYLOAD_TOO_LARGE")
    const farTooLarge = [{ content: new Uint8Array(11 * 1_048_576), name: "a.pdf" }]
    problemOf(await upload("member", farTooLarge), 413, "PAYLOAD_TOO_LARGE")
  })

  it("is a form with one file that is not empty", async () => {
    const file = { content: pdf(), name: "a.pdf" }
    assert.deepStrictEqual(faultPaths(await upload("member", [])), ["file"])
    assert.deepStrictEqual(faultPaths(await upload("member", [{ content: "text" }])), ["file"])
    assert.deepStrictEqual(faultPaths(await upload("member", [file, { ...file, field: "second" }])), ["file"])
    assert.deepStrictEqual(faultPaths(await upload("member", [{ content: "", name: "a.pdf" }])), ["file"])
    assert.strictEqual((await upload("member", [{ content: "a note", field: "note" }, file])).status, 201)
    const asJson = await upload("member", [file], { "content-type": "application/json" })
    problemOf(asJson, 415, "UNSUPPORTED_MEDIA_TYPE")
    problemOf(await upload("member", [file], { "content-type": "application/pdf" }), 415, "UNSUPPORTED_MEDIA_TYPE")
    const unbounded = await upload("member", [file], { "content-type": "multipart/form-data; boundary=another" })
    problemOf(unbounded, 400, "INVALID_REQUEST")
    problemOf(await send("member", "POST", path), 415, "UNSUPPORTED_MEDIA_TYPE")
  })

  it("takes a credential that writes", async () => {
    const answer = await client.send({
      method: "POST",
      path,
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      body: formOf([{ content: pdf(), name: "a.pdf" }])
    })
    problemOf(answer, 401, "UNAUTHENTICATED")
    problemOf(await upload("auditor", [{ content: pdf(), name: "a.pdf" }]), 403, "FORBIDDEN")
  })
})

describe("A receipt", () => {
  it("is handed out as it came in, and so that a browser runs nothing of it", async () => {
    const content = pdf("shown")
    const { receipt_url } = await uploaded("member", content, 'Fiş "1" (öğle).pdf')
    const { bytes, headers, status } = await fetched(receipt_url, "member")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(bytes, content)
    const expected = {
      "content-type": "application/pdf",
      "content-length": String(content.length),
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, no-store"
    }
    for (const [name, value] of Object.entries(expected)) assert.strictEqual(headers.get(name), value, name)
    const disposition = headers.get("content-disposition") ?? ""
    assert.match(disposition, /^inline; filename="receipt\.pdf"; filename\*=UTF-8''[\w.%-]+$/u)
    const [, name = ""] = /filename\*=UTF-8''(.*)$/u.exec(disposition) ?? []
    assert.include(decodeURIComponent(name), "(öğle).pdf")
  })

  it("is read by who uploaded it and who sees all, and is not there for anybody else", async () => {
    const { id, receipt_url } = await uploaded("member", pdf("private"))
    for (const [who, status] of [
      ["member", 200],
      ["admin", 200],
      ["auditor", 200],
      ["key", 200],
      ["approver", 404],
      ["other", 404]
    ] as const) {
      assert.strictEqual((await fetched(receipt_url, who)).status, status, who)
      assert.strictEqual((await send(who, "GET", `${path}/${id}/metadata`)).status, status, who)
    }
    assert.strictEqual((await fetched(receipt_url)).status, 401)
    problemOf(await send("other", "POST", `${path}/${id}/link`), 404, "NOT_FOUND")
    problemOf(await send("other", "DELETE", `${path}/${id}`), 404, "NOT_FOUND")
    problemOf(await send("approver", "DELETE", `${path}/${id}`), 404, "NOT_FOUND")
    problemOf(await send("member", "GET", `${path}/nobody`), 404, "NOT_FOUND")
    problemOf(await send("member", "PUT", `${path}/${id}`), 405, "METHOD_NOT_ALLOWED")
  })

  it("of an expense is read by whoever decides it, and stays as long as the expense names it", async () => {
    const { id, receipt_url } = await uploaded("member", pdf("of an expense"))
    const body = {
      amount: 45,
      currency: "TRY",
      merchant: "Cafe",
      category: "meals",
      date: "2026-01-15",
      receipt_url,
      submit: true
    }
    const created = await send("member", "POST", "/api/expenses", body)
    assert.strictEqual(created.status, 201, created.text)
    const expense = created.json as { readonly id: string }
    assert.strictEqual((await fetched(receipt_url, "approver")).status, 200)
    const { detail } = problemOf(await send("member", "DELETE", `${path}/${id}`), 409, "INVALID_STATE")
    assert.include(detail, "An expense names it")
    const changed = await send("member", "PATCH", `/api/expenses/${expense.id}`, {
      receipt_url: "https://files.example.com/1.pdf"
    })
    assert.strictEqual(changed.status, 200, changed.text)
    assert.strictEqual((await fetched(receipt_url, "approver")).status, 404)
    assert.strictEqual((await send("member", "DELETE", `${path}/${id}`)).status, 204)
    problemOf(await send("member", "GET", `${path}/${id}/metadata`), 404, "NOT_FOUND")
  })
})

describe("A link", () => {
  it("opens a receipt without a credential, and is shown once", async () => {
    const content = jpeg(7, 7)
    const { id } = await uploaded("member", content)
    const headers = { ...authorization("member"), "idempotency-key": "link-1" }
    const make = () => client.send({ method: "POST", path: `${path}/${id}/link`, headers, body: undefined })
    const answer = await make()
    assert.strictEqual(answer.status, 201, answer.text)
    const { expires_at, url } = answer.json as { readonly url: string; readonly expires_at: string }
    assert.approximately(Date.parse(expires_at) - Date.now(), 300_000, 30_000)
    assert.isTrue(url.startsWith(`${service().url}/receipts/`))
    const opened = await fetched(url)
    assert.deepStrictEqual([opened.status, opened.headers.get("content-type")], [200, "image/jpeg"])
    assert.deepStrictEqual(opened.bytes, content)
    assert.strictEqual(opened.headers.get("x-content-type-options"), "nosniff")
    const again = await make()
    assert.isTrue(replayed(again))
    assert.deepStrictEqual(again.json, { expires_at })
    assert.notInclude(service().output, url)
    assert.strictEqual((await send("member", "DELETE", `${path}/${id}`)).status, 204)
    problemOf(await client.visit(new URL(url).pathname), 404, "NOT_FOUND")
  })

  it("that nobody made opens nothing", async () => {
    for (const token of ["a", "a.b", "..%2f..%2fetc", "x".repeat(2000)]) {
      problemOf(await client.visit(`/receipts/${token}`), 404, "NOT_FOUND")
    }
    problemOf(
      await client.send({ method: "POST", path: "/receipts/a", headers: {}, body: undefined }),
      405,
      "METHOD_NOT_ALLOWED"
    )
  })
})

describe("The documents", () => {
  for (const document of ["/openapi.json", "/openapi-3.1.json"]) {
    it(`describe the form and the file at ${document}`, async () => {
      const { json } = await client.visit(document)
      const { paths } = json as { readonly paths: Record<string, Record<string, unknown>> }
      assert.include(JSON.stringify(paths[path]?.post), '"multipart/form-data"')
      assert.include(JSON.stringify(paths[`${path}/{id}`]?.get), '"image/webp"')
    })
  }
})
