/** Turkish banks still post in ISO-8859-9; of its two names this one leaves no byte without a letter. */
const latin = new TextDecoder("windows-1254")
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Percent-encoding and `+` undone, as bytes (URL standard, application/x-www-form-urlencoded parsing). */
const bytesOf = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll("+", " ")
      .replaceAll(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  )

const pairsOf = (text: string): ReadonlyArray<readonly [Buffer, Buffer]> =>
  text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=")
      return equals < 0
        ? [bytesOf(pair), Buffer.of()]
        : [bytesOf(pair.slice(0, equals)), bytesOf(pair.slice(equals + 1))]
    })

const decoded = (pairs: ReturnType<typeof pairsOf>, decode: (bytes: Buffer) => string) =>
  Object.fromEntries(pairs.map(([name, value]) => [decode(name), decode(value)]))

/**
 * The fields of a form or a query, the last of those with one name. All of them are read as UTF-8, or, where that is not
 * what was sent, as windows-1254, which contains ISO-8859-9.
 */
export const formFields = (body: Uint8Array): Readonly<Record<string, string>> => {
  // Bytes above 127 that were sent bare are kept as the bytes that they are.
  const pairs = pairsOf(Buffer.from(body).toString("latin1"))
  try {
    return decoded(pairs, (bytes) => utf8.decode(bytes))
  } catch {
    return decoded(pairs, (bytes) => latin.decode(bytes))
  }
}
