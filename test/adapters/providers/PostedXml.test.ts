import { assert, describe, it } from "@effect/vitest"
import { elementsOf } from "@sarraf/adapters/providers/PostedXml"
import { Schema } from "effect"
import { xmlOf } from "./xml.ts"

const request = (content: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<Request>${content}</Request>\n`
const elements = (document: string) => {
  const found = elementsOf("Request", document)
  return found === undefined ? undefined : Object.fromEntries(found)
}

describe("a posted document", () => {
  it("is read as its elements that hold no others, by their path", () => {
    const content = "\n<Mode> TEST </Mode><Order><ID>1</ID>\n<Note></Note></Order><Total>10.01</Total><Extra></Extra>"
    const expected = { Mode: "TEST", "Order/ID": "1", "Order/Note": "", Total: "10.01", Extra: "" }
    assert.deepStrictEqual(elements(request(content)), expected)
    assert.deepStrictEqual(elements(`<Request>${content}</Request>`), expected)
  })

  it("may be without elements", () => {
    for (const content of ["", "\n", "x"]) assert.deepStrictEqual(elements(request(content)), {})
  })

  it("has the five predefined entities resolved, once", () => {
    assert.deepStrictEqual(elements(request("<A>&lt;&gt;&quot;&apos;&amp;lt; &#65; &b;</A>")), {
      A: "<>\"'&lt; &#65; &b;"
    })
  })

  it.prop("gives back every text", [Schema.String, Schema.String], ([one, other]) => {
    assert.deepStrictEqual(elements(request(xmlOf({ One: one, Both: { Other: other } }))), {
      One: one.trim(),
      "Both/Other": other.trim()
    })
  })

  const refused: Readonly<Record<string, string>> = {
    nothing: "",
    "text alone": "Request",
    "another root": request("").replaceAll("Request", "Other"),
    "two roots": request("") + request(""),
    "a root that ends within": request("</Request><Request>"),
    "text before the root": `x${request("")}`,
    "text after the root": `${request("")}x`,
    "a document type": request("").replace("<Request>", "<!DOCTYPE Request><Request>"),
    "a comment": request("<!-- x -->"),
    "character data": request("<A><![CDATA[x]]></A>"),
    "an attribute": request('<A b="1">x</A>'),
    "an element that comes twice": request("<A>1</A><A>2</A>"),
    "tags that do not match": request("<A>1</B>"),
    "elements that overlap": request("<A><B>1</A></B>"),
    "an element that is not closed": request("<A>1"),
    "a tag that is not closed": request("<A>1</A"),
    "a closing tag that is not closed": request("<A>1</A <B>2</B>"),
    "a name that begins with a digit": request("<1>x</1>"),
    "nine levels": request("<A>".repeat(9) + "</A>".repeat(9))
  }
  for (const [name, document] of Object.entries(refused)) {
    it(`is refused: ${name}`, () => assert.isUndefined(elements(document)))
  }

  it("is refused wherever it is cut off", () => {
    const document = request("<A>1</A><B><C>2</C></B>").trim()
    assert.isDefined(elements(document))
    for (let length = 0; length < document.length; length++) assert.isUndefined(elements(document.slice(0, length)))
  })
})
