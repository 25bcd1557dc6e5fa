import { assert, describe, it } from "@effect/vitest"
import { writeCondition } from "@sarraf/domain/policies/Condition"
import { pathText, readCondition } from "@sarraf/domain/policies/readCondition"
import { Schema } from "effect"
import { read } from "./support/facts.ts"

const faultsOf = (json: unknown) =>
  readCondition(json).faults.map(({ message, path }) => `${pathText(path)}: ${message}`)

const pathsOf = (json: unknown) => readCondition(json).faults.map(({ path }) => pathText(path))

const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce<unknown>((inner) => ({ not: inner }), { field: "amount", op: "gt", value: 1 })

describe("A condition", () => {
  it("is told all its faults at once, each with its path and what is allowed", () => {
    const json = {
      all: [
        { field: "amuont", op: "gt", value: 500 },
        { field: "merchant", op: "gt", value: 5 },
        {
          any: [
            { field: "amount", op: "between", value: [500] },
            { field: "weekday", op: "in", value: ["SUNDAY", "FUNDAY"] }
          ]
        },
        { not: { field: "receipt", op: "eq", value: "no" } },
        { field: "date", op: "gte" }
      ]
    }
    const faults = faultsOf(json)
    assert.deepStrictEqual(
      faults.map((fault) => fault.split(":")[0]),
      ["all[0].field", "all[1].op", "all[2].any[0].value", "all[2].any[1].value[1]", "all[3].not.value", "all[4].value"]
    )
    assert.include(faults[0], "must be one of amount, category")
    assert.strictEqual(
      faults[1],
      "all[1].op: must be one of eq, ne, in, not_in, contains, starts_with, exists for merchant"
    )
    assert.include(faults[2], "a list of two")
    assert.include(faults[3], "MONDAY, TUESDAY")
    assert.strictEqual(faults[4], "all[3].not.value: must be true or false")
  })

  it("takes amounts with at most the decimals of their currency, from nothing on", () => {
    const amount = (value: unknown) => faultsOf({ field: "amount", op: "gt", value })
    for (const value of [
      0,
      500,
      0.1,
      12.3456,
      { amount: 500.25, currency: "EUR" },
      { amount: 1.234, currency: "kwd" }
    ]) {
      assert.deepStrictEqual(amount(value), [], JSON.stringify(value))
    }
    for (const value of [-1, "500", 1e16, 0.000001, 0.12345, Number.NaN, Number.POSITIVE_INFINITY, [1], true]) {
      assert.deepStrictEqual(amount(value).length, 1, String(value))
    }
    assert.deepStrictEqual(amount({ amount: 1.5, currency: "JPY" }), [
      "value.amount: must have at most 0 decimals in JPY"
    ])
    assert.deepStrictEqual(pathsOf({ field: "amount", op: "in", value: [1, { currency: "XYZ" }] }), [
      "value[1].amount",
      "value[1].currency"
    ])
  })

  it("is one of its forms, and not two of them", () => {
    for (const json of [undefined, null, 5, "x", [], {}, { all: [], any: [] }, { all: [], field: "amount" }]) {
      assert.deepStrictEqual(pathsOf(json), [""], JSON.stringify(json))
    }
    assert.deepStrictEqual(pathsOf({ all: {} }), ["all"])
    assert.deepStrictEqual(pathsOf({ not: [] }), ["not"])
    assert.deepStrictEqual(pathsOf({ field: "amount" }), ["op", "value"].slice(0, 1))
    assert.deepStrictEqual(readCondition({ all: [], any: null, note: "x" }).unknown, [["note"]])
  })

  it("is nested 8 deep at most, and has 100 leaves at most", () => {
    assert.deepStrictEqual(pathsOf(nested(8)), [])
    assert.deepStrictEqual(pathsOf(nested(9)), [pathText(Array.from({ length: 8 }, () => "not"))])
    const leaves = (count: number) => ({
      any: Array.from({ length: count }, () => ({ field: "category", op: "exists" }))
    })
    assert.deepStrictEqual(pathsOf({ all: [leaves(50), leaves(50)] }), [])
    assert.deepStrictEqual(pathsOf({ all: [leaves(50), leaves(51)] }), [""])
    assert.deepStrictEqual(pathsOf(leaves(5_000)), [""])
    assert.deepStrictEqual(
      pathsOf({ all: Array.from({ length: 100 }, () => ({ all: Array.from({ length: 99 }, () => ({ any: [] })) })) }),
      [""]
    )
  })

  it("keeps a range in its order, where amounts have one", () => {
    const between = (field: string, value: unknown) => pathsOf({ field, op: "between", value })
    assert.deepStrictEqual(between("amount", [500, 100]), ["value"])
    assert.deepStrictEqual(between("amount", [0.5, 0.25]), ["value"])
    assert.deepStrictEqual(between("date", ["2026-02-01", "2026-01-31"]), ["value"])
    assert.deepStrictEqual(between("vendor_risk", [50, 50]), [])
    assert.deepStrictEqual(between("amount", [{ amount: 500, currency: "EUR" }, 100]), [])
    assert.deepStrictEqual(between("vendor_risk", [0, 101]), ["value[1]"])
    assert.deepStrictEqual(between("date", ["2026-02-30", "2026-03-01"]), ["value[0]"])
  })

  it("is shown as it was written, aliases included, with choices in capitals", () => {
    const json = {
      any: [
        { field: "department", op: "in", value: ["dep_1", "dep_2"] },
        { not: { field: "has_receipt", op: "eq", value: true } },
        { all: [{ field: "amount", op: "gt", value: { amount: 10.5, currency: "EUR" } }] }
      ]
    }
    assert.deepStrictEqual<unknown>(writeCondition(read(json)), json)
    assert.deepStrictEqual<unknown>(writeCondition(read({ field: "currency", op: "eq", value: "eur" })), {
      field: "currency",
      op: "eq",
      value: "EUR"
    })
  })

  it.prop("is read without an end or an exception, whatever JSON it is", [Schema.Json], ([json]) => {
    const { condition, faults } = readCondition(json)
    assert.strictEqual(condition === undefined, faults.length > 0)
  })
})
