import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { authorized, problemOf, transactionOf } from "./support/answers.ts"
import type { SignedRequest } from "./support/Client.ts"
import { authorizePath, makeClient, pathOf, sandbox, signRequest, withHeaders } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)
const minute = 60_000

const signed = () => client.sign("POST", authorizePath, order())

/** Refused, and without a payment left behind. */
const refusedAs = async (request: SignedRequest, code = "INVALID_SIGNATURE") =>
  problemOf(await client.send(request), 401, code)

describe("A signature", () => {
  it("is demanded with all its headers", async () => {
    for (const name of ["x-client-id", "x-timestamp", "x-signature"]) {
      const answer = await client.send(withHeaders(signed(), { [name]: undefined }))
      assert.strictEqual(answer.status, 401, `${name}: ${answer.text}`)
      const { code } = answer.json as { code: string }
      assert.include(["INVALID_SIGNATURE", "UNAUTHENTICATED"], code)
    }
    const bare = await client.send({ ...signed(), headers: { "content-type": "application/json" } })
    assert.strictEqual(bare.status, 401)
  })

  it("is made with the client's own secret", async () => {
    const wrong = { clientId: "sandbox_client", secret: "sandbox_secret_2" }
    await refusedAs(signRequest(wrong, "POST", authorizePath, order()))
  })

  it("of an unknown client is answered like a wrong one", async () => {
    const unknown = { clientId: "no_such_client", secret: "sandbox_secret" }
    const wrong = { ...sandbox, secret: "wrong" }
    const [first, second] = [
      await refusedAs(signRequest(unknown, "POST", authorizePath, order())),
      await refusedAs(signRequest(wrong, "POST", authorizePath, order()))
    ]
    assert.deepStrictEqual({ ...first, requestId: "" }, { ...second, requestId: "" })
  })

  it("is lowercase hexadecimal of full length and nothing else", async () => {
    const request = signed()
    const signature = request.headers["x-signature"] ?? ""
    const spoilt = [
      signature.toUpperCase(),
      signature.slice(1),
      `${signature}0`,
      `0x${signature}`,
      Buffer.from(signature, "hex").toString("base64"),
      "",
      "0".repeat(64),
      "z".repeat(64)
    ]
    for (const wrong of spoilt) {
      const answer = await client.send(withHeaders(request, { "x-signature": wrong }))
      assert.strictEqual(answer.status, 401, wrong)
    }
    await refusedAs(withHeaders(request, { "x-signature": signature.toUpperCase() }))
    assert.strictEqual(transactionOf(await client.send(request)).status, "AUTHORIZED")
  })

  it("covers every byte of the body", async () => {
    const request = signed()
    const text = new TextDecoder().decode(request.body)
    for (const changed of [text.replace("149.9", "149.8"), `${text} `, ` ${text}`, text.slice(0, -1), ""]) {
      await refusedAs({ ...request, body: new TextEncoder().encode(changed) })
    }
  })

  it("covers the timestamp as it is written", async () => {
    const request = signed()
    const timestamp = Number(request.headers["x-timestamp"])
    await refusedAs(withHeaders(request, { "x-timestamp": String(timestamp + 1) }))
    const answer = await client.send(withHeaders(request, { "x-timestamp": `0${timestamp}` }))
    assert.strictEqual(answer.status, 401)
  })

  it("may be over a body in any layout, since bytes are signed and not values", async () => {
    const text = JSON.stringify(order(), null, 4)
    assert.strictEqual(transactionOf(await client.authorize(text)).status, "AUTHORIZED")
  })

  it("of nothing does not pass for a body", async () => {
    const { headers } = client.sign("POST", authorizePath)
    const body = new TextEncoder().encode(JSON.stringify(order()))
    await refusedAs({
      method: "POST",
      path: authorizePath,
      headers: { ...headers, "content-type": "application/json" },
      body
    })
  })
})

describe("A timestamp", () => {
  const at = (timestamp: number | string) => client.sign("POST", authorizePath, order(), { timestamp })

  it("may be almost five minutes old", async () => {
    assert.strictEqual(transactionOf(await client.send(at(Date.now() - 4.9 * minute))).status, "AUTHORIZED")
  })

  it("may not be older than five minutes", async () => {
    for (const age of [5 * minute + 1, 6 * minute, 365 * 24 * 60 * minute]) {
      await refusedAs(at(Date.now() - age), "TIMESTAMP_EXPIRED")
    }
    await refusedAs(at(0), "TIMESTAMP_EXPIRED")
  })

  it("may not be far in the future", async () => {
    for (const ahead of [10 * minute, 60 * minute]) {
      await refusedAs(at(Date.now() + ahead), "TIMESTAMP_EXPIRED")
    }
  })

  it("is Unix time in milliseconds, as digits", async () => {
    const now = Date.now()
    const spellings = [
      Math.floor(now / 1000),
      `${now}.0`,
      `+${now}`,
      `${now}abc`,
      "",
      "now",
      new Date().toISOString(),
      "1e12"
    ]
    for (const spelling of spellings) {
      const answer = await client.send(at(spelling))
      assert.strictEqual(answer.status, 401, String(spelling))
    }
  })
})

describe("The order of the checks", () => {
  const stale = () => client.sign("POST", authorizePath, "not JSON", { timestamp: Date.now() - 6 * minute })

  it("has the timestamp before the signature", async () => {
    await refusedAs(withHeaders(stale(), { "x-signature": "0".repeat(64) }), "TIMESTAMP_EXPIRED")
    const unknown = { clientId: "no_such_client", secret: "x" }
    const old = { timestamp: Date.now() - 6 * minute }
    await refusedAs(signRequest(unknown, "POST", authorizePath, order(), old), "TIMESTAMP_EXPIRED")
  })

  it("has the timestamp before the content", async () => {
    await refusedAs(stale(), "TIMESTAMP_EXPIRED")
  })

  it("has the signature before the content", async () => {
    for (const body of ["not JSON", {}, { amount: -1 }]) {
      const request = client.sign("POST", authorizePath, body)
      await refusedAs(withHeaders(request, { "x-signature": "0".repeat(64) }))
    }
  })

  it("has the signature before the payment", async () => {
    const { transactionId } = await authorized(client)
    for (const id of [transactionId, "txn_01h455vb4pex5vsknk084sn02q"]) {
      await refusedAs(withHeaders(client.sign("GET", pathOf(id)), { "x-signature": "0".repeat(64) }))
    }
  })
})

describe("A signature of version 2", () => {
  const options = { version2: true, idempotencyKey: "version-2" }

  it("is accepted with and without a body, a query and a key", async () => {
    const first = transactionOf(await client.authorize(order(), options))
    const second = transactionOf(await client.authorize(order(), { version2: true }))
    const next = { version2: true, idempotencyKey: "version-2-next" }
    assert.strictEqual(transactionOf(await client.capture(first.transactionId, undefined, next)).status, "CAPTURED")
    assert.strictEqual(
      transactionOf(await client.cancel(second.transactionId, {}, { version2: true })).status,
      "VOIDED"
    )
    for (const path of [
      pathOf(first.transactionId),
      `${pathOf(first.transactionId)}?wait=1`,
      "/pf/v1/payments?limit=1"
    ]) {
      const answer = await client.request("GET", path, undefined, { version2: true })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })

  it("covers method, path, query, body, key and timestamp", async () => {
    const { transactionId } = await authorized(client)
    const refund = client.sign("POST", pathOf(transactionId, "refund"), { amount: 1 }, options)
    const find = client.sign("GET", `${pathOf(transactionId)}?wait=1`, undefined, { version2: true })
    const tampered = [
      { ...refund, path: pathOf(transactionId, "capture") },
      { ...refund, path: `${refund.path}?x=1` },
      { ...refund, body: new TextEncoder().encode('{"amount":2}') },
      withHeaders(refund, { "idempotency-key": "another" }),
      withHeaders(refund, { "idempotency-key": undefined }),
      withHeaders(refund, { "x-timestamp": String(Number(refund.headers["x-timestamp"]) + 1) }),
      withHeaders(refund, { "x-signature-version": undefined }),
      { ...find, path: `${pathOf(transactionId)}?wait=2` },
      { ...find, path: pathOf(transactionId) },
      { ...client.sign("GET", pathOf(transactionId, "void"), undefined, { version2: true }), method: "POST" }
    ]
    for (const request of tampered) await refusedAs(request)
    assert.strictEqual(transactionOf(await client.find(transactionId)).status, "AUTHORIZED")
  })

  it("is not what a signature of version 1 says it is", async () => {
    await refusedAs(withHeaders(signed(), { "x-signature-version": "2" }))
  })

  it("tells two equal requests of one millisecond apart, however late the second is", async () => {
    const timestamp = Date.now() - minute
    const [first, second] = [await authorized(client), await authorized(client)]
    const sent = [first, second].map(({ transactionId }) =>
      client.sign("POST", pathOf(transactionId, "capture"), {}, { version2: true, timestamp })
    )
    assert.notStrictEqual(sent[0]?.headers["x-signature"], sent[1]?.headers["x-signature"])
    for (const request of sent) assert.strictEqual(transactionOf(await client.send(request)).status, "CAPTURED")
  })
})

describe("The test's own signer", () => {
  it("does what the specification says, byte for byte", () => {
    const { headers } = signRequest(sandbox, "POST", authorizePath, '{"amount":1}', { timestamp: 1_700_000_000_000 })
    const expected = createHmac("sha256", "sandbox_secret").update('1700000000000{"amount":1}').digest("hex")
    assert.strictEqual(headers["x-signature"], expected)
  })
})
