import { assert, describe, it } from "@effect/vitest"
import * as Iso88599 from "@sarraf/adapters/providers/nestpay/Iso88599"
import { decodeResponse, encodeRequest } from "@sarraf/adapters/providers/nestpay/Messages"
import { Result, Schema } from "effect"
import { answerWith, postedDocument } from "./Sample.ts"

/** Control characters are written as spaces. */
const printable = (text: string) =>
  [...text].map((character) => (character < " " || character === "\u007f" ? " " : character)).join("")

describe("ISO-8859-9", () => {
  const latin5Text = Schema.String.check(Schema.isPattern(/^[ -~¡-ÏÑ-ÜßĞİŞà-ïñ-üÿğış]*$/u))
  it.prop("every letter that it has comes back", [latin5Text], ([text]) => {
    assert.strictEqual(Iso88599.decode(Iso88599.encode(text)), text)
  })

  it.prop("every text becomes one that comes back", [Schema.String], ([text]) => {
    const fitting = Iso88599.transliterate(text)
    assert.strictEqual(Iso88599.decode(Iso88599.encode(fitting)), printable(fitting))
  })

  const table = [
    ["İıŞşĞğÇçÖöÜü", "İıŞşĞğÇçÖöÜü"],
    ["I\u0307s\u0327", "İş"],
    ["Łódź Đăk Ẽ", "Lódz Dak E"],
    ["ÐÞýœ", "DThyoe"],
    ["“a” – €5…", '"a" - EUR5...'],
    ["東京 😀", "?? ?"]
  ] as const
  for (const [text, fitting] of table) {
    it(`writes ${text} as ${fitting}`, () => assert.strictEqual(Iso88599.transliterate(text), fitting))
  }

  it("writes the six Turkish letters with their bytes of the standard", () => {
    assert.deepStrictEqual([...Iso88599.encode("ĞİŞğış")], [0xd0, 0xdd, 0xde, 0xf0, 0xfd, 0xfe])
  })

  it("takes Turkish letters through a request and an answer unchanged", () => {
    const text = "Şişli İğdır Çöğüş ığıl"
    const body = encodeRequest({
      Name: "A",
      Password: "B",
      ClientId: "1",
      BillTo: { Name: text, Street1: text, City: text }
    })
    assert.include(postedDocument({ provider: "isbank", method: "POST", url: "", headers: {}, body }), text)
    const answer = decodeResponse(
      answerWith({ Response: "Declined", ErrMsg: text, Extra: { CARDISSUER: "Z&#x130;RAAT" } })
    )
    assert.strictEqual(Result.getOrThrow(answer).ErrMsg, text)
  })
})
