import { Option } from "effect"

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
