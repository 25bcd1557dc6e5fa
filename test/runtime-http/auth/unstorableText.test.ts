import { assert, describe, it } from "@effect/vitest"
import { unstorablePath } from "@sarraf/runtime-http/auth/unstorableText"
import { Schema } from "effect"

describe("A text that cannot be stored", () => {
  for (const [json, path] of [
    ['{"a":"\\u0000"}', "a"],
    ['{"lines":[{"note":"x"},{"note":"\\ud800"}]}', "lines[1].note"],
    ['{"a":{"b\\u0000":1}}', "a"],
    ['"\\uDFFF\\uD800"', ""]
  ] as const) {
    it(`is found in ${json}`, () => assert.strictEqual(unstorablePath(json), path))
  }

  it("is neither a pair of surrogates, nor an escaped escape, nor what is no JSON", () => {
    for (const json of ['{"a":"\\ud83d\\udcb3"}', '{"a":"\\\\u0000"}', '{"a":"\\u0000"', "{}", ""]) {
      assert.isUndefined(unstorablePath(json))
    }
  })

  it.prop("is in no text that is well-formed and without U+0000", [Schema.Array(Schema.String)], ([texts]) => {
    const isFine = texts.every((text) => text.isWellFormed() && !text.includes("\u0000"))
    assert.strictEqual(unstorablePath(JSON.stringify({ texts })) === undefined, isFine)
  })
})
