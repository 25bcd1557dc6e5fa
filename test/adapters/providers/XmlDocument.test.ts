import { assert, describe, it } from "@effect/vitest"
import { readXml, type XmlRules } from "@sarraf/adapters/providers/XmlDocument"
import { Effect, Option, Schema } from "effect"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { recordingsOf } from "./recordings.ts"

const kept: XmlRules = { levelsMax: 9, references: "kept" }
const resolved: XmlRules = { ...kept, references: "resolved" }

/** What is read of a document; nothing where it cannot be read. */
const treeOf = (document: string, rules = kept): unknown => Option.getOrUndefined(readXml(document, rules))

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  jPath: false,
  maxNestedTags: 8,
  parseTagValue: false,
  processEntities: false
})

/** Without the text that stands beside elements. */
const withoutMixedText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMixedText)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, child]) => (name === "#text" ? [] : [[name, withoutMixedText(child)]]))
  )
}

/** The same by another reader, of documents that its validator takes. */
const treeByParser = (document: string): unknown =>
  XMLValidator.validate(document) === true ? withoutMixedText(parser.parse(document)) : undefined

const close = "</>"
const pieces = [
  "<a>",
  "<b>",
  "<CC5Response >",
  '<a x="1 > 2" y:z=\'"\'>',
  "<Şehir.1-a>",
  "<c/>",
  '<c d = "e" />',
  close,
  close,
  close,
  "Approved",
  " 12\t34 ",
  "one\r\ntwo\rthree",
  "\u00a0é]]> ",
  "&amp;",
  "&#x130;&nbsp;",
  "<!-- <a> & -- -->",
  "<![CDATA[ <b> &amp; ]]>",
  "<![CDATA[]]>",
  "<?sort by='1' ? ?>"
] as const
const Pieces = Schema.Array(Schema.Literals(pieces))

/** A document that is well formed: what is open at the end is closed, and nothing is closed that is not open. */
const documentOf = (content: ReadonlyArray<string>): string => {
  const open = ["r"]
  let document = '<?xml version="1.0"?>\n<r>'
  for (const piece of content) {
    if (piece === close) {
      if (open.length > 1) document += `</${open.pop()}>`
    } else {
      const opened = piece.endsWith("/>") ? undefined : /^<([^\s<>!?]+)/u.exec(piece)?.[1]
      if (opened !== undefined && open.length === 8) continue
      if (opened !== undefined) open.push(opened)
      document += piece
    }
  }
  for (const name of open.reverse()) document += `</${name} >`
  return `${document}\n<!-- the end -->`
}

const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))

describe("a document", () => {
  it.prop("that is well formed is read as another reader reads it", [Pieces], ([content]) => {
    const document = documentOf(content)
    const expected = treeByParser(document)
    assert.isDefined(expected, document)
    assert.deepStrictEqual(treeOf(document), expected, document)
  })

  const stray = [
    "",
    "<",
    ">",
    "/",
    "&",
    '"',
    "<a>",
    "</a>",
    "</r>",
    "<r>",
    "<c/>",
    "<!--",
    "<![CDATA[",
    "]]>",
    "<?",
    "\u0001",
    "x"
  ]
  it.prop(
    "that was disturbed is refused, or read as another reader reads it",
    [Pieces, Place, Place, Schema.Literals(stray)],
    ([content, place, length, inserted]) => {
      const whole = documentOf(content)
      const at = Math.floor((place * whole.length) / 1_000)
      const document = whole.slice(0, at) + inserted + whole.slice(at + (length % 4))
      const tree = treeOf(document)
      if (tree !== undefined) assert.deepStrictEqual(tree, treeByParser(document), document)
    }
  )

  it.prop("that is cut off inside its root is refused", [Pieces, Place], ([content, place]) => {
    const document = documentOf(content)
    const root = document.slice(0, document.lastIndexOf(">", document.lastIndexOf("<!--")))
    assert.isUndefined(treeOf(root.slice(0, Math.ceil((place * root.length) / 999))))
  })

  it("has its references resolved, or as they are written", () => {
    const text = "A &amp; B &lt;&gt;&quot;&apos; &#304;&#x15E; &amp;lt; &#0; &#xD800; &#x110000; &nbsp;"
    assert.deepStrictEqual(treeOf(`<a>${text}</a>`), { a: text })
    assert.deepStrictEqual(treeOf(`<a>${text}</a>`, resolved), {
      a: "A & B <>\"' İŞ &lt; &#0; &#xD800; &#x110000; &nbsp;"
    })
  })

  it("keeps blanks in character data alone", () => {
    assert.deepStrictEqual(treeOf("<a> x<!-- y --> z <![CDATA[ & ]]> \r\n</a>", resolved), {
      a: "x z & "
    })
  })
})

const laughs = Array.from({ length: 9 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`).join("")
const nested = (levels: number) => `${"<a>".repeat(levels)}${"</a>".repeat(levels)}`

const refused: Readonly<Record<string, string>> = {
  nothing: "",
  blanks: " \n",
  "a declaration alone": '<?xml version="1.0"?>',
  "entities that double": `<!DOCTYPE a [<!ENTITY e0 "ha">${laughs}]><a>&e9;</a>`,
  "a document type": "<!DOCTYPE a><a>1</a>",
  "a document type inside the root": "<a><!DOCTYPE a>1</a>",
  "an element declaration": "<a><!ELEMENT a ANY>1</a>",
  "a page": '<!doctype html><html lang="en"><body><br><p>502</body></html>',
  "a page without a document type": "<html><head><meta charset=utf-8></head><body>502<hr></body></html>",
  "a million tags that are never closed": "<a>".repeat(1_000_000),
  "a million tags inside one another": nested(1_000_000),
  "a million brackets": "<".repeat(1_000_000),
  "a million comments that are never closed": `<a>${"<!--".repeat(1_000_000)}</a>`,
  "a million instructions that are never closed": `<a>${"<?b ".repeat(1_000_000)}</a>`,
  "a value without an end": `<a b="${"x".repeat(1_000_000)}>`,
  "a name without an end": `<${"x".repeat(1_000_000)}`,
  "blanks without an end": `<a${" ".repeat(1_000_000)}`,
  "ten elements inside one another": nested(10),
  "two roots": "<a>1</a><b>2</b>",
  "two empty roots": "<a/><a/>",
  "text before the root": "x<a>1</a>",
  "text after the root": "<a>1</a>x",
  "a reference after the root": "<a>1</a>&#32;",
  "character data after the root": "<a>1</a><![CDATA[]]>",
  "a byte order mark": "\ufeff<a>1</a>",
  "a declaration that is not at the beginning": ' <?xml version="1.0"?><a>1</a>',
  "a declaration inside the root": '<a><?xml version="1.0"?>1</a>',
  "tags that do not match": "<a>1</b>",
  "tags that match but for their case": "<a>1</A>",
  "a closing tag that goes on": "<a>1</ab>",
  "a closing tag with an attribute": '<a>1</a b="1">',
  "a closing tag too many": "<a>1</a></a>",
  "elements that overlap": "<a><b>1</a></b>",
  "a blank before a name": "< a>1</a>",
  "a name that begins with a digit": "<1>1</1>",
  "an attribute without a value": "<a b>1</a>",
  "an attribute without quotes": "<a b=1>1</a>",
  "attributes without a blank between them": '<a b="1"c="2">1</a>',
  "an attribute that comes twice": '<a b="1" c="2" b="3">1</a>',
  "a bare ampersand": "<a>1 & 2</a>",
  "a reference without its end": "<a>&amp</a>",
  "a reference with a comment in it": "<a>&am<!-- -->p;</a>",
  "a control character": "<a>\u0001</a>",
  "a control character in an attribute": '<a b="\u0000">1</a>',
  "what is no character": "<a>\uffff</a>",
  "a name of every object's": "<__proto__>1</__proto__>",
  "a function of every object's": "<a><toString>1</toString></a>",
  "a constructor": "<a><constructor/></a>"
}

describe("what is no document", () => {
  for (const [name, document] of Object.entries(refused)) {
    it(`is refused: ${name}`, () => assert.isUndefined(treeOf(document)))
  }

  it("is one element deeper than allowed", () => {
    assert.isDefined(treeOf(nested(9)))
    assert.isUndefined(treeOf(nested(9), { ...kept, levelsMax: 8 }))
  })
})

const decoders = {
  nestpay: new TextDecoder("iso-8859-9"),
  garanti: new TextDecoder()
}

for (const [provider, decoder] of Object.entries(decoders)) {
  const { index, readBytes, recorded } = recordingsOf(provider)
  recorded(`reads the recordings of ${provider} as another reader does, and none that is cut off`, () =>
    Effect.sync(() => {
      const files = index.map(({ file }) => file).filter((file) => file.endsWith(".xml"))
      assert.isNotEmpty(files)
      for (const file of files) {
        // Garanti's have an `&` as it is.
        const document = decoder
          .decode(readBytes(file))
          .trim()
          .replaceAll(/&(?![#\w]+;)/gu, "&amp;")
        assert.isDefined(treeOf(document), file)
        assert.deepStrictEqual(treeOf(document), treeByParser(document), file)
        for (let length = 0; length < document.length; length++) {
          assert.isUndefined(treeOf(document.slice(0, length)), `${file} ${length}`)
        }
      }
    })
  )
}
