import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { signatureHeaders } from "@sarraf/adapters/webhooks/Signatures"
import { Redacted, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { former, present } from "./receivers.ts"

const at = 1_767_225_600_123
const id = "evt_01kd8z0000e0080000000000e1"
const body = '{"merchant":"Çiğdem"}'
const alone = { current: present, former: null }
const rotated = (until: number) => ({ current: present, former: { secret: former, until } })

const Text = Schema.String.check(Schema.isMaxLength(2_000))
const Bytes = Schema.Uint8Array.check(Schema.isMinLength(32)).check(Schema.isMaxLength(32))
const At = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))

const secretOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString("base64")}`

describe("a delivery is signed", () => {
  it("so that the vectors, which were made by another program, are met", () => {
    // printf '%s' "$t.$body" | openssl dgst -sha256 -hmac "$secret"; and with -mac HMAC -macopt hexkey:0101…
    assert.deepStrictEqual(signatureHeaders({ at, body, id, secrets: alone }), {
      "x-service-signature": "t=1767225600123,v1=5cba62ad951368c59e82283e572978200fd9222b41545053327a61defe12c198",
      "webhook-id": id,
      "webhook-timestamp": "1767225600",
      "webhook-signature": "v1,ZPx2I+6Ek13zJys0243KsbAcM3vrbTh6L3MH2/WWb+4="
    })
  })

  it.prop("as the library of Standard Webhooks signs", [Bytes, Text, At], ([bytes, text, instant]) => {
    const secret = secretOf(bytes)
    const secrets = { current: Redacted.make(secret), former: null }
    const headers = signatureHeaders({ at: instant, body: text.toWellFormed(), id, secrets })
    const expected = new Webhook(secret).sign(id, new Date(instant), text.toWellFormed())
    assert.strictEqual(headers["webhook-signature"], expected)
    assert.strictEqual(headers["webhook-timestamp"], String(Math.floor(instant / 1_000)))
  })

  it.prop("with the secret's whole text over time and body in the service's own header", [Bytes, Text, At], (drawn) => {
    const [bytes, text, instant] = drawn
    const secret = secretOf(bytes)
    const secrets = { current: Redacted.make(secret), former: null }
    const headers = signatureHeaders({ at: instant, body: text.toWellFormed(), id, secrets })
    const expected = createHmac("sha256", secret).update(`${instant}.`).update(Buffer.from(text)).digest("hex")
    assert.strictEqual(headers["x-service-signature"], `t=${instant},v1=${expected}`)
  })
})

describe("after a rotation", () => {
  const own = (secrets: Parameters<typeof signatureHeaders>[0]["secrets"]) =>
    signatureHeaders({ at, body, id, secrets })
  const byPresent = own(alone)
  const byFormer = own({ current: former, former: null })

  it("both secrets sign while the former one is valid, the present one first", () => {
    const headers = own(rotated(at + 1))
    const [, formerEntry] = byFormer["x-service-signature"].split(",")
    assert.strictEqual(headers["x-service-signature"], `${byPresent["x-service-signature"]},${formerEntry}`)
    assert.strictEqual(
      headers["webhook-signature"],
      `${byPresent["webhook-signature"]} ${byFormer["webhook-signature"]}`
    )
  })

  it("the former one signs no more from the moment on at which it ends", () => {
    assert.deepStrictEqual(own(rotated(at)), byPresent)
  })
})
