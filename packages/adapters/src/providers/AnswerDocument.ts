import { Option, Result } from "effect"
import { type XMLParser, XMLValidator } from "fast-xml-parser"

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The document of a body that is UTF-8 from its first to its last byte. */
export const readText = (body: Uint8Array): Option.Option<string> => {
  try {
    return Option.some(utf8.decode(body))
  } catch {
    return Option.none()
  }
}

/** The document of a body that is UTF-8 and JSON from its first to its last byte; of a key that comes twice the last. */
export const readJson = (body: Uint8Array): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(utf8.decode(body)))
  } catch {
    return Option.none()
  }
}

/**
 * The only element of a sound document without a document type. The parser alone takes a document that is cut off, and
 * the validator a self-closed element beside the root.
 */
export const readXml = (parser: XMLParser, document: string): Option.Option<object> => {
  if (document.includes("<!DOCTYPE")) return Option.none()
  const parsed = Result.try((): unknown => (XMLValidator.validate(document) === true ? parser.parse(document) : null))
  return Option.filter(
    Result.getSuccess(parsed),
    (root): root is object => typeof root === "object" && root !== null && Object.keys(root).length === 1
  )
}
