import { assert, it } from "@effect/vitest"
import { hashVersion3 } from "@sarraf/adapters/providers/nestpay/Signature"
import { Effect, Redacted, Schema } from "effect"
import { read, recorded } from "./Recording.ts"

const storeKey = Redacted.make("123456")

const form = {
  clientid: "190100000",
  storetype: "3d_pay",
  amount: "100.25",
  oid: "order222",
  okUrl: "https://domain.com/success",
  failUrl: "https://domain.com/fail_url",
  rnd: "rand",
  lang: "tr",
  currency: "949",
  taksit: "",
  islemtipi: "Auth",
  firmaadi: "siparis veren",
  Email: "test@test.com",
  hashAlgorithm: "ver3"
}
const hash = "/uPxhEKWCEGi3NsDOOQ4u8Hu5g71v5GWspOid70WehTWEz97PqxG3IN1Jv5jsbOXOw3Z3Rr/0UtywzEgbqFfdA=="

it("hashes the form of the sheet's vector A", () => {
  assert.strictEqual(hashVersion3(form, storeKey), hash)
})

it("hashes the form of the sheet's vector B", () => {
  const { Email: _, firmaadi: __, ...rest } = form
  assert.strictEqual(
    hashVersion3({ ...rest, storetype: "3d", rnd: "12345" }, storeKey),
    "4aUsG5hqlIFLc9s8PKc5rWb2OLhmxDDewNgKa2XrwoYCIxlyVq8Fjl4IVaZzoqL983CfTseicmnTA0PjZr74xg=="
  )
})

it("leaves out hash, encoding and nationalidno in any case, and takes null for empty", () => {
  const more = { ...form, taksit: null, HASH: "x", encoding: "ISO-8859-9", NationalIdNo: "1" }
  assert.strictEqual(hashVersion3(more, storeKey), hash)
})

it("takes every other field in, so that one more is another hash", () => {
  assert.notStrictEqual(hashVersion3({ ...form, extra: "" }, storeKey), hash)
})

it("keeps a bar inside a value apart from the bar between values", () => {
  const one = hashVersion3({ a: "x|y", b: "z" }, storeKey)
  const other = hashVersion3({ a: "x", b: "y|z" }, storeKey)
  const backslash = hashVersion3({ a: "x\\", b: "y|z" }, storeKey)
  assert.strictEqual(new Set([one, other, backslash]).size, 3)
})

const Vectors = Schema.Struct({
  vectors: Schema.Array(
    Schema.Struct({
      algorithm: Schema.String,
      storeKey: Schema.String,
      hash: Schema.String,
      fixture: Schema.optionalKey(Schema.String),
      fields: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))
    })
  )
})
const Posted = Schema.Record(Schema.String, Schema.NullOr(Schema.String))

recorded("hashes every recorded vector of version 3, the callback among them", () =>
  Effect.sync(() => {
    const { vectors } = Schema.decodeUnknownSync(Vectors)(read("hash-vectors.json"))
    const current = vectors.filter(({ algorithm }) => algorithm.startsWith("ver3"))
    assert.strictEqual(current.length, 3)
    for (const vector of current) {
      const posted = vector.fixture === undefined ? vector.fields : read(vector.fixture)
      const fields = Schema.decodeUnknownSync(Posted)(posted)
      assert.strictEqual(hashVersion3(fields, Redacted.make(vector.storeKey)), vector.hash)
    }
  })
)
