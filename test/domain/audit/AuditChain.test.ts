import { assert, describe, it } from "@effect/vitest"
import {
  type ChainedRow,
  canonicalJson,
  chainStart,
  faultAfter,
  type SealedRow,
  seal
} from "@sarraf/domain/audit/AuditChain"
import { Schema } from "effect"

/** Stands in for SHA-256: what differs in its text differs in its hash. */
const digest = (text: string) => `of ${text}`

const Row = Schema.Struct({
  organizationId: Schema.String,
  at: Schema.String,
  actor: Schema.String,
  requestId: Schema.String,
  address: Schema.NullOr(Schema.String),
  action: Schema.String,
  subject: Schema.String,
  subjectId: Schema.NullOr(Schema.String)
})

const rowOf = (fields: typeof Row.Type, number: number): ChainedRow => ({
  ...fields,
  before: null,
  after: `{"number": ${number}}`,
  detail: "{}"
})

const sealed = (rows: ReadonlyArray<ChainedRow>): ReadonlyArray<SealedRow> =>
  seal(chainStart, rows, digest).map((link, index) => ({ ...(rows[index] ?? assert.fail("no row")), ...link }))

const firstFault = (rows: ReadonlyArray<SealedRow>): string | undefined => {
  let last: { readonly sequence: number; readonly hash: string } = chainStart
  for (const row of rows) {
    const fault = faultAfter(last, row, digest)
    if (fault !== undefined) return fault
    last = row
  }
  return undefined
}

const Rows = Schema.Array(Row).check(Schema.isMinLength(2), Schema.isMaxLength(6))

describe("canonicalJson", () => {
  it.prop(
    "has one text for a value, however its names are ordered and its text is spaced",
    [Schema.Json],
    ([value]) => {
      const reversed = (item: unknown): unknown => {
        if (Array.isArray(item)) return item.map(reversed)
        if (typeof item !== "object" || item === null) return item
        return Object.fromEntries(
          Object.entries(item)
            .reverse()
            .map(([name, member]) => [name, reversed(member)])
        )
      }
      const text = canonicalJson(JSON.stringify(value))
      assert.strictEqual(canonicalJson(JSON.stringify(reversed(value), undefined, 2)), text)
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
    }
  )

  it("keeps every digit of a number, and tells escapes apart from what they stand for once only", () => {
    assert.strictEqual(
      canonicalJson('{"b": 12345678901234567890.10, "a": [ ]}'),
      '{"a":[],"b":12345678901234567890.10}'
    )
    assert.strictEqual(canonicalJson('{"\\u0061\\"": "\\u00e9{,", "A": {}}'), '{"A":{},"a\\"":"é{,"}')
    assert.strictEqual(canonicalJson(' [1, {"x": null}, true, "]"] '), '[1,{"x":null},true,"]"]')
  })
})

describe("A chain", () => {
  it.prop("fits as it was sealed, in one go or in several", [Rows], ([fields]) => {
    const rows = fields.map(rowOf)
    const whole = sealed(rows)
    assert.isUndefined(firstFault(whole))
    const [first, ...rest] = whole
    const later = seal(first ?? chainStart, rows.slice(1), digest)
    assert.deepStrictEqual(
      later.map(({ hash }) => hash),
      rest.map(({ hash }) => hash)
    )
  })

  it.prop(
    "does not fit with any field of any row changed, with a row removed, or with two exchanged",
    [Rows, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))],
    ([fields, chosen]) => {
      const whole = sealed(fields.map(rowOf))
      const at = chosen % whole.length
      const row = whole[at] ?? assert.fail("no row")
      const changes: ReadonlyArray<Partial<SealedRow>> = [
        ...(["organizationId", "at", "actor", "requestId", "action", "subject", "hash", "previousHash"] as const).map(
          (name) => ({ [name]: `${row[name]}x` })
        ),
        ...(["address", "subjectId"] as const).map((name) => ({ [name]: row[name] === null ? "" : null })),
        { before: "{}" },
        { after: null },
        { after: `{"number": ${at}.0}` },
        { detail: '{"more": 1}' }
      ]
      for (const change of changes) {
        assert.isDefined(firstFault(whole.with(at, { ...row, ...change })), JSON.stringify(change))
      }
      if (at < whole.length - 1) {
        assert.strictEqual(firstFault(whole.toSpliced(at, 1)), `row ${at + 1} is missing: it was removed or renumbered`)
        const next = whole[at + 1] ?? row
        const exchanged = whole
          .with(at, { ...next, sequence: row.sequence })
          .with(at + 1, { ...row, sequence: next.sequence })
        assert.isDefined(firstFault(exchanged))
      }
    }
  )

  it("does not fit with a row that was sealed anew alone", () => {
    const whole = sealed(["a", "b", "c"].map((actor) => rowOf({ ...blank, actor }, 1)))
    const [first, second, third] = whole
    assert.isTrue(first !== undefined && second !== undefined && third !== undefined)
    if (first === undefined || second === undefined || third === undefined) return
    const changed = { ...second, actor: "x" }
    const [link] = seal(first, [changed], digest)
    const forged = { ...changed, ...(link ?? assert.fail("no link")) }
    assert.strictEqual(
      firstFault([first, forged, third]),
      "row 3 does not follow row 2: one of them was inserted, exchanged or sealed anew"
    )
  })
})

const blank = {
  organizationId: "org_1",
  at: "2026-01-31T09:30:00.000000Z",
  actor: "system",
  requestId: "",
  address: null,
  action: "thing.made",
  subject: "thing",
  subjectId: "1"
}
