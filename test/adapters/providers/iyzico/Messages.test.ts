import { assert, describe, it } from "@effect/vitest"
import { decodeAnswer, minorOf, parse, trimmed } from "@sarraf/adapters/providers/iyzico/Messages"
import { Option, Schema } from "effect"

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => Option.getOrUndefined(parse(bytes(text)))

describe("a document", () => {
  it("keeps its numbers as they were spelled, also beyond what a number holds", () => {
    const text = '{"a":10.50000000,"b":0E-8,"c":-1,"d":[1,"2"],"e":12345678901234567890,"f":null,"g":true}'
    assert.deepStrictEqual(read(text), {
      a: "10.50000000",
      b: "0E-8",
      c: "-1",
      d: ["1", "2"],
      e: "12345678901234567890",
      f: null,
      g: true
    })
  })

  it("leaves digits within texts and names alone", () => {
    assert.deepStrictEqual(read(String.raw`{"a1":"x 12 \" 3.5 \\","2":"\u00e7 4"}`), {
      a1: 'x 12 " 3.5 \\',
      "2": "ç 4"
    })
  })

  it("is none where it is no JSON or no UTF-8", () => {
    for (const text of ["", "{", "{1:2}", "01", "{'a':1}", "[1,]", "<html>1</html>", '{"a":1} 2']) {
      assert.isUndefined(read(text), text)
    }
    assert.isTrue(Option.isNone(parse(Uint8Array.of(0x22, 0xff, 0x22))))
  })

  it.prop("is what JSON says, but for its numbers", [Schema.Record(Schema.String, Schema.String)], ([record]) => {
    assert.deepStrictEqual(read(JSON.stringify(record)), JSON.parse(JSON.stringify(record)))
  })

  it("is an answer where it says success or failure, and is not spoiled by fields that nobody reads", () => {
    assert.isTrue(Option.isSome(decodeAnswer(read('{"status":"success","itemTransactions":[],"other":{"x":1}}'))))
    for (const text of ["{}", "[]", "null", '"success"', '{"status":"ok"}', '{"status":"success","price":{}}']) {
      assert.isTrue(Option.isNone(decodeAnswer(read(text))), text)
    }
  })
})

describe("an amount", () => {
  const amounts: ReadonlyArray<readonly [string, string, bigint | undefined]> = [
    ["10", "10", 1000n],
    ["10.0", "10", 1000n],
    ["10.5", "10.5", 1050n],
    ["10.50000000", "10.5", 1050n],
    ["10.050", "10.05", 1005n],
    ["100.00", "100", 10000n],
    ["0.01", "0.01", 1n],
    ["0E-8", "0", 0n],
    ["0", "0", 0n],
    ["10.505", "10.505", undefined],
    ["", "", undefined],
    ["-1", "-1", undefined],
    ["1,5", "1,5", undefined],
    ["1.05E+2", "1.05E+2", undefined],
    ["1234567890123456", "1234567890123456", undefined]
  ]
  for (const [text, short, minor] of amounts) {
    it(`${text} is ${short}, in minor units ${minor}`, () => {
      assert.deepStrictEqual([trimmed(text), minorOf(text)], [short, minor])
    })
  }

  it.prop(
    "in minor units comes back whatever zeros follow it",
    [
      Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 15n })),
      Schema.Literals(["", "0", "000000"])
    ],
    ([minor, zeros]) => {
      const digits = `${minor}`.padStart(3, "0")
      assert.strictEqual(minorOf(`${digits.slice(0, -2)}.${digits.slice(-2)}${zeros}`), minor)
    }
  )
})
