import { assert, describe, it } from "@effect/vitest"
import { requestContent } from "@sarraf/runtime-http/auth/requestContent"
import { Schema } from "effect"

const comparable = (text: string) => requestContent(text).comparable
const inexact = (text: string) => requestContent(text).inexact

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

const Json: Schema.Codec<Json> = Schema.suspend(() =>
  Schema.Union([
    Schema.Null,
    Schema.Boolean,
    Schema.Int,
    Schema.String,
    Schema.Array(Json),
    Schema.Record(Schema.String, Json)
  ])
)

/** The same content with its members the other way round and with spaces wherever they may be. */
const rewritten = (value: Json): string => {
  if (Array.isArray(value)) return `[ ${value.map(rewritten).join(" ,\n")} ]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).reverse()
  return `{\t${members.map(([name, member]) => `${JSON.stringify(name)} : ${rewritten(member)}`).join(" , ")}\r\n}`
}

describe("The comparable form of a body", () => {
  it.prop("does not depend on spacing or on the order of members", [Json], ([value]) => {
    assert.strictEqual(comparable(rewritten(value)), comparable(JSON.stringify(value)))
  })

  it.prop("is JSON of the same content", [Json], ([value]) => {
    const withoutCvc = JSON.parse(JSON.stringify(value), (name, member) => (name === "cardCvc" ? undefined : member))
    assert.deepEqual(JSON.parse(comparable(JSON.stringify(value))), withoutCvc)
  })

  it.each([
    ['{"a":1,"b":2}', '{ "b" : 2, "a" : 1 }'],
    ['{"amount":100}', '{"amount":1e2}'],
    ['{"amount":100}', '{"amount":100.00}'],
    ['{"name":"Ay\\u015fe"}', '{"name":"Ayşe"}'],
    ['{"cardCvc":"123","a":1}', '{"a":1,"cardCvc":"999"}'],
    ['{"cardCvc":"123","a":1}', '{"a":1}'],
    ["", "{}"],
    ["", " { } "]
  ])("is the same for %j and %j", (one, other) => {
    assert.strictEqual(comparable(one), comparable(other))
  })

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":{"b":1}}', '{"a.b":1}'],
    ['{"a":""}', '{"a":" "}'],
    ['{"cardCVC":"123"}', '{"cardCVC":"999"}'],
    ['{"cardNumber":"1"}', '{"cardNumber":"2"}'],
    ["{}", "[]"],
    ["not json", "not  json"]
  ])("tells %j from %j", (one, other) => {
    assert.notStrictEqual(comparable(one), comparable(other))
  })

  it("holds no security code", () => {
    assert.notInclude(comparable('{"cardCvc":"7351","card":{"cardCvc":"7351"},"list":[{"cardCvc":"7351"}]}'), "7351")
  })

  it("keeps a member called __proto__ a member", () => {
    assert.notStrictEqual(comparable('{"__proto__":{"a":1}}'), comparable('{"__proto__":{"a":2}}'))
  })
})

/** Whether a double gives a decimal text back: both as whole numbers of its smallest digit. */
const isExact = (whole: bigint, fraction: string, exponent: number): boolean => {
  const text = `${whole}.${fraction}e${exponent}`
  const [mantissa = "", power = "0"] = String(Number(text)).split("e")
  const [mantissaWhole = "", mantissaFraction = ""] = mantissa.split(".")
  const places = fraction.length - exponent
  const ownPlaces = mantissaFraction.length - Number(power)
  const most = Math.max(places, ownPlaces, 0)
  const own = BigInt(mantissaWhole + mantissaFraction) * 10n ** BigInt(most - ownPlaces)
  return BigInt(whole + fraction) * 10n ** BigInt(most - places) === own
}

const Whole = Schema.Union([
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 1_000n })),
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 25n }))
])
const Fraction = Schema.String.check(Schema.isPattern(/^[0-9]{1,22}$/))
const Exponent = Schema.Int.check(Schema.isBetween({ minimum: -25, maximum: 25 }))

describe("Inexact numbers", () => {
  it.each([
    "100.000000000000001",
    "149.90000000000001",
    "9007199254740993",
    "0.30000000000000001",
    "12345678901234567890",
    "-100.000000000000001",
    "1.00000000000000000001e2",
    "14990.0000000000000001e-2"
  ])("are found: %s", (number) => {
    assert.deepStrictEqual(inexact(`{"amount":${number}}`), ["amount"])
  })

  it.each([
    "149.90",
    "1e2",
    "1E+2",
    "0.10",
    "99999999.99",
    "0",
    "-0",
    "100.0000000000000000000",
    "0.30000000000000000",
    "9007199254740992",
    "100000000000000000000",
    "1.00000000000000000000e2"
  ])("are not %s", (number) => {
    assert.deepStrictEqual(inexact(`{"amount":${number}}`), [])
  })

  it.prop(
    "are exactly those that a double does not give back",
    [Whole, Fraction, Exponent],
    ([whole, fraction, exponent]) => {
      const expected = isExact(whole, fraction, exponent) ? [] : ["amount"]
      assert.deepStrictEqual(inexact(`{"amount":${whole}.${fraction}e${exponent}}`), expected)
      if (exponent !== 0) return
      assert.deepStrictEqual(inexact(`{"amount":${whole}.${fraction}}`), expected)
    },
    { arbitrary: { runs: 1_000 } }
  )

  it("are found without delay among two hundred thousand digits", () => {
    const zeros = "0".repeat(200_000)
    for (const number of [`1.${zeros}1`, `1${zeros}1`, `0.${zeros}1`, `1.${zeros}1e5`]) {
      assert.deepStrictEqual(inexact(`{"amount":${number}}`), ["amount"])
    }
    assert.deepStrictEqual(inexact(`{"amount":1.${zeros}}`), [])
  }, 2_000)

  it("are not looked for in texts", () => {
    assert.deepStrictEqual(inexact('{"cardNumber":"4111111111111111","note":"100.000000000000001","a":1}'), [])
    assert.deepStrictEqual(inexact('{"\\"100.000000000000001":1}'), [])
  })

  it("are found beside texts that end in a backslash or hold quotation marks", () => {
    assert.deepStrictEqual(inexact('{"note":"\\\\","amount":100.000000000000001}'), ["amount"])
    assert.deepStrictEqual(inexact('{"note":"a\\"b","amount":100.000000000000001}'), ["amount"])
  })

  it("are all found", () => {
    assert.deepStrictEqual(inexact('{"a":0.30000000000000001,"b":1,"c":9007199254740993}'), ["a", "c"])
  })
})

describe("Depth", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`

  it("may be 32 levels and no more", () => {
    assert.isFalse(requestContent(nested(32)).tooDeep)
    assert.isTrue(requestContent(nested(33)).tooDeep)
    assert.isTrue(requestContent(`${"[".repeat(33)}${"]".repeat(33)}`).tooDeep)
  })

  it.each(["[", '{"a":[', "[{"])("of two hundred thousand times %s is too deep, and does not overflow", (opening) => {
    const text = opening.repeat(200_000)
    assert.isTrue(requestContent(text).tooDeep)
    assert.strictEqual(requestContent(text).comparable, text)
  })

  it("does not count what is side by side, or in texts", () => {
    assert.isFalse(requestContent(JSON.stringify(Array(100).fill([[]]))).tooDeep)
    assert.isFalse(requestContent(JSON.stringify({ note: "[".repeat(1_000), '{"[': "{" })).tooDeep)
    assert.isFalse(requestContent('{"note":"\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}').tooDeep)
  })

  it("is counted after a text that ends in a backslash", () => {
    assert.isTrue(requestContent(`["\\\\",${"[".repeat(33)}`).tooDeep)
  })

  it("takes a body that is one long text as it is", () => {
    for (const text of ['"', '{"a":"', `"${"\\".repeat(100_000)}`, '"'.repeat(100_001)]) {
      assert.deepStrictEqual(requestContent(text), { comparable: text, inexact: [], tooDeep: false })
    }
  })
})
