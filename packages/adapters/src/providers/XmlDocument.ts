import { Option } from "effect"

/** An element without elements in it: its text. */
type XmlValue = string | XmlElements

/** Elements by name, each without its attributes; one that comes several times is a list. Text beside elements is left out. */
interface XmlElements {
  readonly [name: string]: XmlValue | ReadonlyArray<XmlValue>
}

export interface XmlRules {
  /** How many elements may stand inside one another, the root among them. */
  readonly levelsMax: number
  /** `resolved`: the five predefined entities and characters by their number. `kept`: as they are written. */
  readonly references: "resolved" | "kept"
}

interface Element {
  readonly name: string
  text: string
  children: Record<string, XmlValue | Array<XmlValue>> | undefined
}

/** A document that is being read. */
interface Reading {
  readonly document: string
  readonly rules: XmlRules
  /** What `current` stands in, outermost first: the document itself, then the root. */
  readonly above: Array<Element>
  current: Element
  /** Text of `current` since the last markup that was no comment. */
  pending: string
}

const space = String.raw`[ \t\n\r]`
const letter = String.raw`:A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd`
/** XML 1.0, production 5, within the basic multilingual plane. */
const name = String.raw`[${letter}][${letter}\-.\d\u00b7\u0300-\u036f\u203f\u2040]*`

const isName = new RegExp(`^${name}$`, "u")
const nameAt = new RegExp(name, "uy")
const attributeAt = new RegExp(`${space}+(${name})${space}*=${space}*(?:"[^"]*"|'[^']*')`, "uy")
const tagEndAt = new RegExp(`${space}*(/?)>`, "uy")
const closingEndAt = new RegExp(`${space}*>`, "uy")
/** A declaration, or an instruction to nobody here. */
const instructionAt = new RegExp(String.raw`<\?(${name})(?:${space}(?:[^?"']|\?(?!>)|"[^?"]*"|'[^?']*')*)?\?>`, "uy")

/** What XML 1.0 has no room for (production 2). */
const noCharacter = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/u
const isBlank = /^[ \t\n\r]*$/u
const bareAmpersand = /&(?!(?:#\d*|#x[\dA-Fa-f]*|\w{1,20});)/u

/** Names that mean something in every object of JavaScript. */
const reservedNames: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype"])

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"]
])

/** A numeric character reference to a character that XML 1.0 allows; any other reference stays as it is written. */
const characterOf = (whole: string, body: string): string => {
  if (!body.startsWith("#")) return entities.get(body) ?? whole
  const code = body.startsWith("#x") ? Number.parseInt(body.slice(2), 16) : Number.parseInt(body.slice(1), 10)
  const isAllowed = code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isAllowed ? String.fromCodePoint(code) : whole
}

/** Ends a piece of text: the blanks around it are layout. */
const endText = (reading: Reading): void => {
  const text = reading.pending.trim()
  reading.pending = ""
  reading.current.text +=
    reading.rules.references === "resolved" && text.includes("&")
      ? text.replace(/&(#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[a-z]{2,4});/gu, characterOf)
      : text
}

const add = (parent: Element, child: string, value: XmlValue): void => {
  parent.children ??= {}
  const before = parent.children[child]
  if (before === undefined) parent.children[child] = value
  else if (Array.isArray(before)) before.push(value)
  else parent.children[child] = [before, value]
}

// Each of these reads what begins at `at`, and says where the next thing begins: nowhere after what is not well formed.
const nowhere = -1

const readText = (reading: Reading, at: number): number => {
  const next = reading.document.indexOf("<", at)
  const text = reading.document.slice(at, next < 0 ? undefined : next)
  if (reading.above.length === 0 ? !isBlank.test(text) : text.includes("&") && bareAmpersand.test(text)) return nowhere
  reading.pending += text
  return at + text.length
}

const readComment = ({ document }: Reading, at: number): number => {
  const end = document.indexOf("-->", at + "<!--".length)
  return end < 0 ? nowhere : end + "-->".length
}

const readCharacterData = (reading: Reading, at: number): number => {
  const start = at + "<![CDATA[".length
  const end = reading.document.indexOf("]]>", start)
  if (end < 0 || reading.above.length === 0) return nowhere
  endText(reading)
  reading.current.text += reading.document.slice(start, end)
  return end + "]]>".length
}

const readInstruction = (reading: Reading, at: number): number => {
  instructionAt.lastIndex = at
  const target = instructionAt.exec(reading.document)?.[1]
  // A declaration stands at the beginning alone.
  if (target === undefined || (target.toLowerCase() === "xml" && at > 0)) return nowhere
  endText(reading)
  return instructionAt.lastIndex
}

const begin = (reading: Reading, child: string, isEmpty: boolean, next: number): number => {
  const { above, current, rules } = reading
  if (reservedNames.has(child) || (above.length === 0 && current.children !== undefined)) return nowhere
  reading.pending = ""
  if (isEmpty) {
    add(current, child, "")
    return next
  }
  if (above.length >= rules.levelsMax) return nowhere
  above.push(current)
  reading.current = { name: child, text: "", children: undefined }
  return next
}

/** A tag that is more than a name in brackets. An attribute may not come twice; none is kept. */
const readLongTag = (reading: Reading, at: number): number => {
  const { document } = reading
  nameAt.lastIndex = at + 1
  const child = nameAt.exec(document)?.[0]
  if (child === undefined) return nowhere
  const attributes = new Set<string | undefined>()
  let next = nameAt.lastIndex
  for (let count = 0; count === attributes.size; count++) {
    tagEndAt.lastIndex = next
    const end = tagEndAt.exec(document)
    if (end !== null) return begin(reading, child, end[1] === "/", tagEndAt.lastIndex)
    attributeAt.lastIndex = next
    const attribute = attributeAt.exec(document)
    if (attribute === null) return nowhere
    attributes.add(attribute[1])
    next = attributeAt.lastIndex
  }
  return nowhere
}

const readTag = (reading: Reading, at: number): number => {
  const end = reading.document.indexOf(">", at)
  if (end < 0) return nowhere
  const child = reading.document.slice(at + 1, end)
  return isName.test(child) ? begin(reading, child, false, end + 1) : readLongTag(reading, at)
}

const readClosingTag = (reading: Reading, at: number): number => {
  const { current, document } = reading
  const parent = reading.above.pop()
  if (parent === undefined || !document.startsWith(current.name, at + 2)) return nowhere
  closingEndAt.lastIndex = at + 2 + current.name.length
  if (!closingEndAt.test(document)) return nowhere
  endText(reading)
  add(parent, current.name, current.children ?? current.text)
  reading.current = parent
  return closingEndAt.lastIndex
}

const readNext = (reading: Reading, at: number): number => {
  const { document } = reading
  if (!document.startsWith("<", at)) return readText(reading, at)
  if (document.startsWith("/", at + 1)) return readClosingTag(reading, at)
  if (document.startsWith("?", at + 1)) return readInstruction(reading, at)
  if (document.startsWith("!--", at + 1)) return readComment(reading, at)
  if (document.startsWith("![CDATA[", at + 1)) return readCharacterData(reading, at)
  return readTag(reading, at)
}

/**
 * The root of a document that is well formed (XML 1.0), and all that is in it; nothing otherwise. A document type is
 * refused and with it every entity of the document's own, so that what is read is never longer than what was sent.
 * The caller bounds the size and decodes the character set.
 */
export const readXml = (text: string, rules: XmlRules): Option.Option<XmlElements> => {
  if (noCharacter.test(text) || text.includes("<!DOCTYPE")) return Option.none()
  const document = text.includes("\r") ? text.replaceAll(/\r\n?/gu, "\n") : text
  const outermost: Element = { name: "", text: "", children: undefined }
  const reading: Reading = { document, rules, above: [], current: outermost, pending: "" }
  let at = 0
  while (at !== nowhere && at < document.length) at = readNext(reading, at)
  return at === nowhere || reading.current !== outermost ? Option.none() : Option.fromUndefinedOr(outermost.children)
}
