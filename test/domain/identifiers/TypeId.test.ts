import { assert, describe, it } from "@effect/vitest"
import { encodeBase32, typeId } from "@sarraf/domain/identifiers/TypeId"
import { Schema } from "effect"

const isTransaction = Schema.is(typeId("txn"))

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Bytes = Schema.Array(Byte).check(Schema.isMinLength(16), Schema.isMaxLength(16))

const hexToBytes = (hex: string) => Uint8Array.from(hex.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16))

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

describe("encodeBase32", () => {
  // The examples of the TypeID specification 0.3, valid.yml.
  it.each([
    ["00000000000000000000000000000000", "00000000000000000000000000"],
    ["00000000000000000000000000000001", "00000000000000000000000001"],
    ["0000000000000000000000000000000a", "0000000000000000000000000a"],
    ["00000000000000000000000000000010", "0000000000000000000000000g"],
    ["00000000000000000000000000000020", "00000000000000000000000010"],
    ["ffffffffffffffffffffffffffffffff", "7zzzzzzzzzzzzzzzzzzzzzzzzz"],
    ["0110c8531d0952d8d73e1194e95b5f19", "0123456789abcdefghjkmnpqrs"],
    ["01890a5dac96774bbcceb302099a8057", "01h455vb4pex5vsknk084sn02q"]
  ])("writes %s as %s", (hex, text) => {
    assert.strictEqual(encodeBase32(hexToBytes(hex)), text)
  })

  it.prop("writes 26 characters that the identifier's schema accepts", [Bytes], ([bytes]) => {
    assert.isTrue(isTransaction(`txn_${encodeBase32(Uint8Array.from(bytes))}`))
  })

  it.prop("keeps the order of the bytes", [Bytes, Bytes], ([a, b]) => {
    const [first, second] = [Uint8Array.from(a), Uint8Array.from(b)]
    const byBytes = Math.sign(Buffer.compare(first, second))
    assert.strictEqual(compare(encodeBase32(first), encodeBase32(second)), byBytes)
  })
})

describe("typeId", () => {
  it.each([
    "op_01h455vb4pex5vsknk084sn02q",
    "txn01h455vb4pex5vsknk084sn02q",
    "txn_",
    "txn_01h455vb4pex5vsknk084sn02",
    "txn_01h455vb4pex5vsknk084sn02qq",
    "txn_81h455vb4pex5vsknk084sn02q",
    "txn_01H455VB4PEX5VSKNK084SN02Q",
    "txn_01h455vb4pex5vsknk084sn0iq",
    "txn_01h455vb4pex5vsknk084sn0lq",
    "txn_01h455vb4pex5vsknk084sn0oq",
    "txn_01h455vb4pex5vsknk084sn0uq",
    " txn_01h455vb4pex5vsknk084sn02q",
    "txn_01h455vb4pex5vsknk084sn02q\n",
    ""
  ])("refuses %j", (text) => {
    assert.isFalse(isTransaction(text))
  })
})
