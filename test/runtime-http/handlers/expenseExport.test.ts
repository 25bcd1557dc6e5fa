import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import type { ExportedExpenses } from "@sarraf/domain/expenses/ReadExpenses"
import { Effect, Layer, Stream } from "effect"
import { makeExports } from "../../../packages/runtime-http/src/handlers/expenseExport.ts"
import { as, key } from "../../domain/expenses/support/ExpenseDesk.ts"
import { sampleExpense } from "../../domain/expenses/support/SampleExpense.ts"

/** Three pages of one expense each; the database is gone before the third where it is told to be. */
const pages = (isLost: boolean) => {
  const exported: Array<ExportedExpenses> = []
  const read: Array<string | undefined> = []
  const layer = Layer.mock(Expenses, {
    list: (_, { after }) =>
      Effect.suspend(() => {
        read.push(after)
        const number = read.length
        if (isLost && number === 3) return Effect.fail(new Unavailable())
        return Effect.succeed({ items: [sampleExpense({ id: `exp_${9 - number}` })], hasMore: number < 3 })
      }),
    auditHead: Effect.succeed({ sequence: 4, hash: "abc", at: null }),
    exported: (what) => Effect.sync(() => void exported.push(what))
  })
  const texts = Effect.gen(function* () {
    const exports = yield* makeExports
    const { body } = yield* exports.all({}, { category: ["Meals"] }, "json")
    assert.strictEqual(body._tag, "Stream")
    return body._tag === "Stream" ? Stream.decodeText(body.stream) : Stream.empty
  }).pipe(Effect.provide(layer), as(key))
  return { exported, read, texts }
}

describe("A streamed export", () => {
  it.effect("reads page after page, each after the last row of the one before, and is remembered with its digest", () =>
    Effect.gen(function* () {
      const { exported, read, texts } = pages(false)
      const { data, manifest } = JSON.parse(yield* Stream.mkString(yield* texts))
      assert.deepStrictEqual(
        data.map(({ id }: { readonly id: string }) => id),
        ["exp_8", "exp_7", "exp_6"]
      )
      assert.deepStrictEqual(read, [undefined, "exp_8", "exp_7"])
      assert.deepStrictEqual(manifest.audit_head, { sequence: 4, hash: "abc", at: null })
      const query = { category: ["Meals"] }
      assert.deepStrictEqual(exported, [{ format: "json", query, rows: 3, sha256: manifest.sha256 }])
    })
  )

  it.effect("is remembered with what was handed out where its reader leaves", () =>
    Effect.gen(function* () {
      const { exported, read, texts } = pages(false)
      const seen = yield* Stream.runCollect(Stream.take(yield* texts, 2))
      assert.include([...seen].join(""), "exp_8")
      assert.strictEqual(read.length, 1)
      assert.deepStrictEqual(
        exported.map(({ rows, sha256 }) => [rows, sha256]),
        [[1, null]]
      )
    })
  )

  it.effect("breaks off where the database is lost, without a manifest that says it is whole", () =>
    Effect.gen(function* () {
      const { exported, texts } = pages(true)
      const sent: Array<string> = []
      const error = yield* Effect.flip(Stream.runForEach(yield* texts, (text) => Effect.sync(() => sent.push(text))))
      assert.deepInclude(error, { _tag: "Unavailable" })
      assert.notInclude(sent.join(""), "manifest")
      assert.deepStrictEqual(
        exported.map(({ rows, sha256 }) => [rows, sha256]),
        [[2, null]]
      )
    })
  )
})
