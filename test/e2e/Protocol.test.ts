import { assert, describe, it } from "vitest"
import { authorized, faultPaths, problemOf, transactionOf } from "./support/answers.ts"
import { authorizePath, makeClient, pathOf, sandbox, signRequest, withHeaders } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"
import { sendOverHttp } from "./support/wire.ts"

const service = useService()
const client = makeClient(service)
const bodyBytesMax = 256 * 1024

describe("An address that is not there", () => {
  for (const id of ["txn_01h455vb4pex5vsknk084sn02q", "txn_", "abc", "op_01h455vb4pex5vsknk084sn02q", "%00", "a%2Fb"]) {
    it(`is NOT_FOUND, as is a payment ${id}`, async () => {
      problemOf(await client.find(id), 404, "NOT_FOUND")
      problemOf(await client.capture(id), 404, "NOT_FOUND")
    })
  }

  it("is NOT_FOUND, whatever it begins with", async () => {
    problemOf(await client.request("GET", "/pf/v1/nothing"), 404, "NOT_FOUND")
    problemOf(await client.request("POST", "/pf/v2/payments/authorize", order()), 404, "NOT_FOUND")
    problemOf(await client.visit("/nothing"), 404, "NOT_FOUND")
  })

  it("is METHOD_NOT_ALLOWED with Allow where only the method is wrong", async () => {
    const { transactionId } = await authorized(client)
    for (const [method, path, allowed] of [
      ["DELETE", pathOf(transactionId), "GET"],
      ["PUT", pathOf(transactionId), "GET"],
      ["GET", pathOf(transactionId, "capture"), "POST"],
      ["PATCH", authorizePath, "POST"],
      ["DELETE", "/pf/v1/payments", "GET"],
      ["POST", "/pf/v1/capabilities", "GET"]
    ] as const) {
      const answer = await client.request(method, path)
      problemOf(answer, 405, "METHOD_NOT_ALLOWED")
      const allow = (answer.headers.get("allow") ?? "").split(/,\s*/)
      assert.include(allow, allowed, `${method} ${path}`)
      assert.notInclude(allow, method)
    }
    assert.strictEqual(transactionOf(await client.find(transactionId)).status, "AUTHORIZED")
  })
})

describe("The size of a body", () => {
  const padded = (length: number) => {
    const text = JSON.stringify(order())
    return text + " ".repeat(length - Buffer.byteLength(text))
  }

  it("may be 256 KiB", async () => {
    assert.strictEqual(transactionOf(await client.authorize(padded(bodyBytesMax))).status, "AUTHORIZED")
  })

  for (const chunked of [false, true]) {
    it(`may not be a byte more, ${chunked ? "when it is not announced" : "when it is announced"}`, async () => {
      const request = client.sign("POST", authorizePath, padded(bodyBytesMax + 1))
      problemOf(await sendOverHttp(service().url, request, { chunked }), 413, "PAYLOAD_TOO_LARGE")
    })
  }

  it("is looked at before anything else", async () => {
    const request = client.sign("POST", authorizePath, " ".repeat(bodyBytesMax + 1), { timestamp: 0 })
    const unsigned = withHeaders(request, { "x-signature": undefined })
    problemOf(await sendOverHttp(service().url, unsigned), 413, "PAYLOAD_TOO_LARGE")
  })
})

describe("The kind of a body", () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml", "json", undefined]) {
    it(`is JSON, or UNSUPPORTED_MEDIA_TYPE: ${type ?? "not said"}`, async () => {
      const request = withHeaders(client.sign("POST", authorizePath, order()), { "content-type": type })
      problemOf(await sendOverHttp(service().url, request), 415, "UNSUPPORTED_MEDIA_TYPE")
    })
  }

  it("may name its character set", async () => {
    for (const type of ["application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"]) {
      const request = withHeaders(client.sign("POST", authorizePath, order()), { "content-type": type })
      assert.strictEqual(transactionOf(await client.send(request)).status, "AUTHORIZED")
    }
  })

  it("is an object", async () => {
    for (const text of ["[]", "null", "7", '"text"', "true", `[${JSON.stringify(order())}]`]) {
      faultPaths(await client.authorize(text))
    }
  })
})

describe("A body that is not JSON", () => {
  const whole = JSON.stringify(order())
  const malformed = {
    "cut off": whole.slice(0, -1),
    "with something behind it": `${whole}}`,
    "with a comma too many": whole.replace(/}$/, ",}"),
    "in single quotes": "{'amount': 1}",
    "a bare word": "amount",
    "nothing but spaces": "   "
  }
  for (const [name, text] of Object.entries(malformed)) {
    it(`is INVALID_REQUEST: ${name}`, async () => {
      faultPaths(await client.authorize(text))
    })
  }

  it("is INVALID_REQUEST when it is not UTF-8", async () => {
    const [before = "", after = ""] = JSON.stringify(order({ merchantReference: "here" })).split("here")
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
      faultPaths(await client.authorize(body))
    }
  })

  it("is refused when it is 256 KiB of brackets", async () => {
    for (const text of [
      "[".repeat(bodyBytesMax),
      '{"a":'.repeat(bodyBytesMax / 5),
      "[".repeat(131_072) + "]".repeat(131_072)
    ]) {
      faultPaths(await client.authorize(text))
    }
    const nested = `{"metadata":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    faultPaths(await client.authorize(nested))
  })
})

describe("The request id", () => {
  it("is echoed when it is at most 128 visible characters of ASCII", async () => {
    for (const requestId of ["order-7", "~!@#$%^&*()", "x".repeat(128)]) {
      for (const request of [client.sign("POST", authorizePath, order()), client.sign("GET", "/pf/v1/nothing")]) {
        const answer = await client.send(withHeaders(request, { "x-request-id": requestId }))
        assert.strictEqual(answer.headers.get("x-request-id"), requestId)
        if (answer.status !== 200) problemOf(answer, 404, "NOT_FOUND")
      }
    }
  })

  it("is made where it is missing or not usable, another one each time", async () => {
    const ids = new Set<string>()
    for (const requestId of [undefined, undefined, "", "x".repeat(129), "two words", "çay"]) {
      const request = withHeaders(client.sign("GET", "/pf/v1/capabilities"), { "x-request-id": requestId })
      const made = (await client.send(request)).headers.get("x-request-id") ?? ""
      assert.match(made, /^[\x21-\x7e]{8,128}$/)
      assert.notStrictEqual(made, requestId)
      ids.add(made)
    }
    assert.strictEqual(ids.size, 6)
  })
})

describe("The type of a problem", () => {
  it("is the address of a page about it", async () => {
    const problems = [
      problemOf(await client.authorize({}), 400, "INVALID_REQUEST"),
      problemOf(await client.find("abc"), 404, "NOT_FOUND"),
      problemOf(
        await client.send(withHeaders(client.sign("GET", "/pf/v1/payments"), { "x-signature": "0" })),
        401,
        "INVALID_SIGNATURE"
      )
    ]
    for (const { code, type } of problems) {
      const page = await client.visit(new URL(type, service().url).pathname)
      assert.strictEqual(page.status, 200, type)
      assert.include(page.text, code)
    }
  })

  it("has a page for every code of the contract", async () => {
    const codes =
      `INSUFFICIENT_FUNDS CARD_DECLINED 3DS_FAILED INVALID_CARD PROVIDER_ERROR TIMEOUT INVALID_REQUEST NOT_FOUND
      METHOD_NOT_ALLOWED INVALID_SIGNATURE TIMESTAMP_EXPIRED SIGNATURE_REUSED UNAUTHENTICATED FORBIDDEN
      VERIFICATION_REQUIRED INVALID_STATE OPERATION_IN_PROGRESS IDEMPOTENCY_IN_PROGRESS DUPLICATE_REFERENCE
      VERSION_CONFLICT IDEMPOTENCY_CONFLICT POLICY_BLOCKED PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE RATE_LIMITED
      INTERNAL_ERROR UNAVAILABLE`.split(/\s+/)
    for (const code of codes) {
      const page = await client.visit(`/docs/errors/${code}`)
      assert.deepStrictEqual([code, page.status, page.text.includes(code)], [code, 200, true])
    }
    assert.strictEqual((await client.visit("/docs/errors/NO_SUCH_CODE")).status, 404)
  })
})

describe("Other origins", () => {
  it("are not let into the gateway by a browser", async () => {
    const request = withHeaders(signRequest(sandbox, "GET", "/pf/v1/payments"), { origin: "https://shop.example.com" })
    assert.isNull((await client.send(request)).headers.get("access-control-allow-origin"))
    const preflight = await client.send({
      method: "OPTIONS",
      path: authorizePath,
      headers: { origin: "https://shop.example.com", "access-control-request-method": "POST" },
      body: undefined
    })
    assert.isNull(preflight.headers.get("access-control-allow-origin"))
  })
})
