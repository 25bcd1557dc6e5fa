import { assert, describe, it } from "@effect/vitest"
import { formatFaults } from "@sarraf/runtime-http/http/formatFaults"
import { Effect, Schema } from "effect"

/** As the API decodes: JSON, everything at once, nothing unknown. */
const faultsOf = (schema: Schema.Codec<unknown, unknown>, input: unknown) =>
  Effect.map(
    Effect.flip(
      Schema.decodeUnknownEffect(Schema.toCodecJson(schema), { errors: "all", onExcessProperty: "error" })(input)
    ),
    ({ issue }) => formatFaults(issue).map(({ message, path }) => `${path}: ${message}`)
  )

const check = (name: string, schema: Schema.Codec<unknown, unknown>, input: unknown, expected: ReadonlyArray<string>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultsOf(schema, input), expected)
    })
  )

const Address = Schema.Struct({ city: Schema.String, country: Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/u)) })
const Payment = Schema.Struct({
  amount: Schema.Finite.check(Schema.isGreaterThan(0)),
  currency: Schema.Literals(["USD", "EUR", "TRY"]),
  reference: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(40)),
  billingAddress: Schema.optionalKey(Address),
  ids: Schema.Array(Schema.String)
})

describe("formatFaults", () => {
  check(
    "lists every fault of a request at once",
    Payment,
    {
      amount: -1,
      currency: "XAU",
      billingAddress: { city: 1, country: "de", zip: "1" },
      ids: ["a", "b", "c", 4],
      tip: 1
    },
    [
      "tip: is not a known field: remove it",
      "amount: must be greater than 0",
      "currency: must be one of USD, EUR, TRY",
      "reference: is required",
      "billingAddress.zip: is not a known field: remove it",
      "billingAddress.city: must be a string",
      "billingAddress.country: must be a string matching the pattern ^[A-Z]{2}$",
      "ids[3]: must be a string"
    ]
  )
  check(
    "names a missing field of an element",
    Schema.Array(Address),
    [{ city: "Ankara" }],
    ["[0].country: is required"]
  )
  check("says what the whole must be", Payment, "text", [": must be an object"])
  check("says what an absent whole must be", Payment, undefined, [": must be an object"])
  check("offers a single literal by its value", Schema.Struct({ kind: Schema.Literal("card") }), { kind: 1 }, [
    "kind: must be card"
  ])
  check(
    "does not offer null for an optional field",
    Schema.Struct({ note: Schema.NullOr(Schema.String) }),
    { note: 1 },
    ["note: must be a string"]
  )
  check(
    "offers the forms of a union",
    Schema.Struct({ value: Schema.Union([Schema.Boolean, Schema.Literals(["low", "high"])]) }),
    { value: 3 },
    ["value: must be true or false or one of low, high"]
  )
  check(
    "follows the form that the client meant",
    Schema.Union([
      Schema.Struct({ type: Schema.Literal("card"), number: Schema.String }),
      Schema.Struct({ type: Schema.Literal("token"), token: Schema.String, expires: Schema.String })
    ]),
    { type: "token", token: 1, expires: "2026-01-01" },
    ["token: must be a string"]
  )
  check("counts characters of text", Schema.Struct({ a: Schema.String.check(Schema.isMinLength(3)) }), { a: "ab" }, [
    "a: must have at least 3 characters"
  ])
  check(
    "counts items of a list",
    Schema.Struct({ a: Schema.Array(Schema.String).check(Schema.isMaxLength(1)) }),
    { a: ["x", "y"] },
    ["a: must have at most 1 item"]
  )
  check("says that a text must not be empty", Schema.NonEmptyString, "", [": must not be empty"])
  check("names the range of a number", Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 100 })), 101, [
    ": must be between 1 and 100"
  ])
  check("asks for a whole number", Schema.Int, 1.5, [": must be an integer"])
  check(
    "uses the words that a check brings",
    Schema.Struct({
      id: Schema.String.check(Schema.isPattern(/^txn_/u, { message: "must be an identifier like txn_1" }))
    }),
    { id: "op_1" },
    ["id: must be an identifier like txn_1"]
  )
  check(
    "uses the words that a rule of several fields returns, at the field it names",
    Schema.Struct({ from: Schema.Finite, to: Schema.Finite }).check(
      Schema.makeFilter(({ from, to }) => (from <= to ? undefined : { path: ["to"], issue: "must not be before from" }))
    ),
    { from: 2, to: 1 },
    ["to: must not be before from"]
  )
  check("says what a date must look like", Schema.DateTimeUtcFromString, "yesterday", [
    ": must be a time in ISO 8601 such as 2026-01-31T09:30:00.000Z"
  ])
  check("names the keys of a record as they are", Schema.Record(Schema.String, Schema.Finite), { "order 1": "x" }, [
    "order 1: must be a number"
  ])
  check("names the missing place of a tuple", Schema.Tuple([Schema.String, Schema.Finite]), ["a"], ["[1]: is required"])

  it.effect("shows neither values nor long numbers and names of the client", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf(Payment, {
        amount: "4111111111111111",
        currency: "4111111111111111",
        reference: 4111111111111111,
        ids: "4111111111111111",
        "4111111111111111": 1,
        [`x${"y".repeat(500)}`]: 1
      })
      assert.notInclude(faults.join("\n"), "4111")
      assert.isTrue(faults.every((fault) => fault.length < 120))
    })
  )

  it.effect("stops at 200 faults", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOf(
        Schema.Array(Schema.String),
        Array.from({ length: 5000 }, () => 1)
      )
      assert.strictEqual(faults.length, 200)
    })
  )
})
