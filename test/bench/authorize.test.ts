import { createHmac } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { authorize } from "../../bench/scenarios/authorize.ts"

const run = { currency: "TRY", token: "bench-1", payments: [] }

const split = (request = "") => {
  const [head = "", body = ""] = request.split("\r\n\r\n")
  const [line = "", ...fields] = head.split("\r\n")
  return { line, headers: new Map(fields.map((field) => field.split(": ") as [string, string])), body }
}

describe("the authorize scenario", () => {
  it("signs the gateway's request as the specification says: timestamp, then body", () => {
    const { body, headers, line } = split(authorize.subject(run)()?.text)
    const expected = createHmac("sha256", "sandbox_secret")
      .update(`${headers.get("x-timestamp")}${body}`)
      .digest("hex")
    assert.strictEqual(headers.get("x-signature"), expected)
    assert.strictEqual(line, "POST /pf/v1/payments/authorize HTTP/1.1")
    assert.strictEqual(headers.get("content-length"), String(Buffer.byteLength(body)))
  })
  it("sends both servers the same body, and the baseline no signature", () => {
    const subject = split(authorize.subject(run)()?.text)
    const baseline = split(authorize.baseline(run)()?.text)
    assert.strictEqual(baseline.body, subject.body)
    assert.isFalse(baseline.headers.has("x-signature"))
  })
})
