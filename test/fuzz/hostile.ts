import type { Random } from "./Random.ts"

/** What no honest client would send. JSON texts, so that they can say what no JavaScript value can. */

/** Numbers that exist nowhere else, so that any trace of them in a log is one of these. */
export const cardNumber = "4539578763621486"
export const amexNumber = "371449635398431"
export const cardCvc = "8362"

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

const numbers = [
  "0",
  "-0",
  "-1",
  "0.001",
  "1e2",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740993",
  "9223372036854775808",
  "99999999999999999999999999999999999999",
  `1${"0".repeat(5_000)}`,
  `0.${"1".repeat(5_000)}`,
  "2147483648",
  "1.7976931348623157e308"
] as const

const texts = [
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\uFEFF"',
  '"\\u202e"',
  '"İıŞş"',
  '"\' OR 1=1 --"',
  '"%s%n$1{{7*7}}"',
  '"../../../../etc/passwd"',
  '"__proto__"',
  '"constructor"',
  '"hasOwnProperty"',
  '"0x10"',
  '"NaN"',
  '"1e309"',
  '"2026-02-30"',
  '"-271821-04-20"',
  '"+275760-09-13T00:00:00.001Z"',
  '"9999-12-31T23:59:60.999Z"',
  '"0000-00-00"',
  '"10000-01-01"',
  `"${"a".repeat(300)}"`,
  `"${"ü".repeat(20_000)}"`,
  `"${"\\u0001".repeat(2_000)}"`,
  `"${cardNumber}"`
] as const

const structures = [
  "null",
  "true",
  "[]",
  "{}",
  "[null]",
  "[[]]",
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"":""}',
  '{"toString":1,"valueOf":2}',
  '{"length":4294967295}',
  `[${"0,".repeat(3_000)}0]`,
  `[${'"a",'.repeat(3_000)}"a"]`,
  `[${"{},".repeat(3_000)}{}]`,
  nested(40, "[", "]"),
  nested(2_000, "[", "]"),
  nested(40, '{"a":', "}").replace("}", "1}"),
  nested(60, '{"not":', "}").replace("}", "{}}"),
  nested(30, '{"all":[', "]}")
] as const

/** Any JSON value that is not meant. */
export const hostileJson = (random: Random): string =>
  random.pick<string>(random.pick<readonly [string, ...Array<string>]>([[...numbers], [...texts], [...structures]]))

/** Texts for a path, a query or a header, as they go over the wire after `encode`. */
export const hostileText = (random: Random): string =>
  random.pick([
    "",
    " ",
    "0",
    "-1",
    "1e9",
    "99999999999999999999",
    "NaN",
    "null",
    "undefined",
    "true",
    "__proto__",
    "constructor",
    "..",
    "a/b",
    "a\u0000b",
    "\u0000",
    "ü",
    "\ufeff",
    "💳",
    "'",
    '"',
    "' OR '1'='1",
    "%",
    "\\",
    "*",
    "(?:",
    "a".repeat(300),
    "a".repeat(7_000),
    "2026-02-30",
    "2026-11-21",
    "2026-11-21T00:00:00.000Z",
    "eyJpZCI6ICJ4In0",
    "W10",
    "txn_00000000000000000000000000",
    "txn_7zzzzzzzzzzzzzzzzzzzzzzzzz",
    "exp_zzzzzzzzzzzzzzzzzzzzzzzzzz",
    '"1"',
    'W/"1"',
    "*/*",
    ",,,",
    "\t"
  ])

/** Percent-encoded parts that decode to nothing good. */
export const hostileSegment = (random: Random): string =>
  random.chance(0.4)
    ? random.pick(["%", "%zz", "%ff", "%c0%af", "%00", "%2e%2e", "%2f", "%ed%a0%80", "..;", "a%0d%0ab", "", ".", "*"])
    : encodeURIComponent(hostileText(random))

/** Spoils a JSON text as a whole. */
export const spoil = (text: string, random: Random): Buffer => {
  const at = random.below(text.length + 1)
  switch (random.below(9)) {
    case 0:
      return Buffer.from(text.slice(0, at))
    case 1:
      return Buffer.from(`${text}${random.pick(["}", ",", "\u0000", "{}", "//", "\n\n"])}`)
    case 2:
      return Buffer.from(`\ufeff${text}`)
    case 3:
      return Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
        Buffer.from(text.slice(at))
      ])
    case 4:
      return Buffer.from(text.replace("{", '{"__proto__":{"polluted":1},'))
    case 5:
      return Buffer.from(text.replace(/"(\w+)":/, (key) => `${key}null,${key}`))
    case 6:
      return Buffer.from(text, "utf16le")
    case 7:
      return Buffer.from(`${" ".repeat(random.below(40_000))}${text}`)
    default:
      return Buffer.from(text.slice(0, at) + text.slice(at + 1 + random.below(5)))
  }
}
