import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { Schema } from "effect"
import { csvCell, makeExportWriter } from "../../../packages/runtime-http/src/handlers/exportFile.ts"
import { sampleExpense } from "../../domain/expenses/support/SampleExpense.ts"

/** Reads CSV as RFC 4180 has it, with nothing of the writer's. */
const parseCsv = (text: string): Array<Array<string>> => {
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  let cell = ""
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text.charAt(index + 1) === '"') {
        cell += '"'
        index++
      } else isQuoted = false
    } else if (character === '"') isQuoted = true
    else if (character === ",") {
      row.push(cell)
      cell = ""
    } else if (character === "\r" && text.charAt(index + 1) === "\n") {
      rows.push([...row, cell])
      row = []
      cell = ""
      index++
    } else cell += character
  }
  return rows
}

const Cell = Schema.String.check(Schema.isMaxLength(30))
const Dangerous = Schema.Literals(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=A1,"x"\r\n', "-"])

describe("A cell of CSV", () => {
  it.prop("is read as it was written, whatever it holds", [Cell, Cell], ([one, other]) => {
    const [[first, second] = []] = parseCsv(`${csvCell(one)},${csvCell(other)}\r\n`)
    const shown = (text: string) => (/^[=+\-@\t\r]/u.test(text) ? `'${text}` : text)
    assert.deepStrictEqual([first, second], [shown(one), shown(other)])
  })

  it.prop("is no formula to a spreadsheet", [Dangerous, Cell], ([danger, rest]) => {
    const [[read] = []] = parseCsv(`${csvCell(danger + rest)}\r\n`)
    assert.strictEqual(read, `'${danger}${rest}`)
  })
})

describe("An export's writer", () => {
  const kwd = sampleExpense({ amount: new Money({ currency: "KWD", minor: 1_050n }), base: null, merchant: "A, B" })
  const pages = [[sampleExpense(), kwd], [], [sampleExpense({ id: "exp_3" })]]

  for (const format of ["csv", "json"] as const) {
    it(`counts, adds up and digests what it has written as ${format}, however it was cut into pages`, () => {
      const write = (cut: typeof pages) => {
        const writer = makeExportWriter(format)
        return { text: [writer.begin(), ...cut.map(writer.write), writer.end()].join(""), content: writer.content() }
      }
      const { content, text } = write(pages)
      assert.deepStrictEqual(content, {
        rows: 3,
        sums: [
          { currency: "KWD", amount: 1.05 },
          { currency: "TRY", amount: 299.8 }
        ],
        sha256: createHash("sha256").update(text).digest("hex")
      })
      assert.deepStrictEqual(write([pages.flat()]).text, text)
      const ids =
        format === "csv"
          ? parseCsv(text)
              .slice(1)
              .map(([id]) => id)
          : JSON.parse(text).map(({ id }: { id: string }) => id)
      assert.deepStrictEqual(ids, ["exp_1", "exp_1", "exp_3"])
    })
  }

  it("writes amounts with the decimals of their currency, and nothing for what there is not", () => {
    const writer = makeExportWriter("csv")
    const [head = [], row = []] = parseCsv(writer.begin() + writer.write([kwd]))
    const cell = (name: string) => row[head.indexOf(name)]
    assert.deepStrictEqual(["amount", "currency", "base_amount", "merchant", "user_id"].map(cell), [
      "1.050",
      "KWD",
      "",
      "A, B",
      ""
    ])
  })
})
