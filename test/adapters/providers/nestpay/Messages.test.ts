import { assert, describe, it } from "@effect/vitest"
import { decodeResponse, extraOf } from "@sarraf/adapters/providers/nestpay/Messages"
import { Effect, Result, Schema } from "effect"
import { authorizeCall, shopAnswering, xmlAnswer } from "./Sample.ts"

const approval = (top: string, extra = "") =>
  `<?xml version="1.0" encoding="ISO-8859-9"?>
<CC5Response>
<OrderId>SRF00000000000000001</OrderId><Response>Approved</Response><ProcReturnCode>00</ProcReturnCode>
<TransId>26015ABCD00000001</TransId>${top}
<Extra>${extra}</Extra>
</CC5Response>`

const authorizeWith = (response: Parameters<typeof decodeResponse>[0]) =>
  shopAnswering(Effect.succeed(response)).shop.authorize(authorizeCall())

describe("readable answers", () => {
  const documents: Readonly<Record<string, string>> = {
    "as it is": approval(""),
    "with elements that nobody knows": approval(
      "<GroupId>1</GroupId><X><Y>1</Y></X>",
      "<PCBID>1</PCBID><PCBID>2</PCBID>"
    ),
    "with an empty Extra": approval("", ""),
    "with text in CDATA": approval("<ErrMsg><![CDATA[a < b & c]]></ErrMsg>"),
    "with a comment and attributes": approval("<!-- Sarraf --><AuthCode type='x'>P1</AuthCode>"),
    "with the five predefined entities": approval("<ErrMsg>&amp;&lt;&gt;&quot;&apos;</ErrMsg>")
  }
  for (const [name, document] of Object.entries(documents)) {
    it.effect(`take an approval ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* authorizeWith(xmlAnswer(document)))._tag, "Accepted")
      })
    )
  }

  it("resolve character references and nothing else", () => {
    const text = "Z&#x130;RAAT &#304;&#350; &lt; &amp;lt; &#0; &#xD800; &#x110000; &nbsp;"
    const message = Result.getOrThrow(decodeResponse(xmlAnswer(approval("", `<CARDISSUER>${text}</CARDISSUER>`))))
    assert.strictEqual(extraOf(message).CARDISSUER, "ZİRAAT İŞ < &lt; &#0; &#xD800; &#x110000; &nbsp;")
  })

  it("are taken under each name of the character set, and without one", () => {
    for (const type of ["text/xml;charset=ISO-8859-9", 'text/xml; charset="iso-8859-9"', "text/xml", ""]) {
      assert(Result.isSuccess(decodeResponse(xmlAnswer(approval(""), { headers: { "content-type": type } }))))
    }
  })
})

const entities = Array.from({ length: 12 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`).join(
  ""
)

/** Everything here would be an approval if it were read leniently. */
const attacks: Readonly<Record<string, Uint8Array | string>> = {
  "an entity bomb": approval("<ErrMsg>&e12;</ErrMsg>").replace(
    "<CC5Response>",
    `<!DOCTYPE CC5Response [<!ENTITY e0 "lol">${entities}]><CC5Response>`
  ),
  "one entity repeated a million times": approval(`<ErrMsg>${"&e;".repeat(80_000)}</ErrMsg>`).replace(
    "<CC5Response>",
    `<!DOCTYPE CC5Response [<!ENTITY e "${"x".repeat(1000)}">]><CC5Response>`
  ),
  "an external entity": approval("<ErrMsg>&file;</ErrMsg>").replace(
    "<CC5Response>",
    '<!DOCTYPE CC5Response [<!ENTITY file SYSTEM "file:///etc/hostname">]><CC5Response>'
  ),
  "an external document type": approval("").replace(
    "<CC5Response>",
    '<!DOCTYPE CC5Response SYSTEM "https://attacker.example/x.dtd"><CC5Response>'
  ),
  "an empty document type": approval("").replace("<CC5Response>", "<!DOCTYPE CC5Response><CC5Response>"),
  "nesting a hundred thousand deep": approval(`${"<a>".repeat(100_000)}${"</a>".repeat(100_000)}`),
  "nesting nine deep": approval(`${"<a>".repeat(9)}${"</a>".repeat(9)}`),
  "a hundred thousand tags that are never closed": approval("<a>".repeat(60_000)),
  "ten megabytes of text": approval(`<ErrMsg>${"x".repeat(10_000_000)}</ErrMsg>`),
  "ten megabytes of elements": approval("<a/>".repeat(2_500_000)),
  "an attribute without an end": approval(`<a b="${"x".repeat(200_000)}`),
  "a name of JavaScript's own": approval("<__proto__>1</__proto__>"),
  "a document that is cut off": approval("").slice(0, -1),
  "a document that is cut off inside Extra": approval("").slice(0, -24),
  "text after the document": `${approval("")}x`,
  "a second document": approval("") + approval("").slice(44),
  "an element beside the document": approval("").replace("<CC5Response>", "<B/><CC5Response>"),
  "an element that is read and comes twice": approval("<Response>Approved</Response>"),
  "a code that comes twice": approval("", "<ERRORCODE></ERRORCODE><ERRORCODE>CORE-2507</ERRORCODE>"),
  "an element that should be text": approval("").replace("Approved", "<a>Approved</a>"),
  "a bare ampersand": approval("<ErrMsg>a & b</ErrMsg>"),
  "tags that do not match": approval("<AuthCode>1</HostRefNum>"),
  "another root": approval("").replaceAll("CC5Response", "CC5Request"),
  HTML: `<html><body>${approval("").slice(44)}</body></html>`,
  JSON: '{"CC5Response":{"Response":"Approved","ProcReturnCode":"00"}}',
  nothing: "",
  "UTF-16": Uint8Array.from(Buffer.from(approval(""), "utf16le"))
}

describe("unreadable answers", () => {
  for (const [name, document] of Object.entries(attacks)) {
    it.effect(`settle nothing: ${name}`, () =>
      Effect.gen(function* () {
        const response = xmlAnswer(document)
        // An expanded bomb would outlast the test.
        assert.strictEqual((yield* authorizeWith(response))._tag, "Unknown")
      })
    )
  }

  it.effect("settle nothing under another status or character set", () =>
    Effect.gen(function* () {
      const document = approval("")
      for (const status of [201, 302, 400, 401, 404, 408, 429, 500, 502, 503, 504]) {
        assert.strictEqual((yield* authorizeWith(xmlAnswer(document, { status })))._tag, "Unknown")
      }
      for (const charset of ["utf-8", "UTF-16", "ISO-8859-1", "x"]) {
        const headers = { "content-type": `text/xml;charset=${charset}` }
        assert.strictEqual((yield* authorizeWith(xmlAnswer(document, { headers })))._tag, "Unknown")
      }
      const declared = document.replace("ISO-8859-9", "UTF-8")
      assert.strictEqual((yield* authorizeWith(xmlAnswer(declared, { headers: {} })))._tag, "Unknown")
    })
  )

  const cut = approval("<AuthCode>P1</AuthCode>", "<NUMCODE>00</NUMCODE>")
  it.prop(
    "settle nothing wherever they are cut off",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: cut.length - 1 }))],
    ([length]) => {
      assert(Result.isFailure(decodeResponse(xmlAnswer(cut.slice(0, length)))))
    }
  )

  it.prop(
    "settle nothing whatever their bytes",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([bytes]) => {
      assert(Result.isFailure(decodeResponse(xmlAnswer(Uint8Array.from(bytes)))))
    }
  )
})
