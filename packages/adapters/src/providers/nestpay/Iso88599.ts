/** The six letters in which ISO-8859-9 differs from ISO-8859-1, by the byte that carries them (ISO/IEC 8859-9:1999). */
const turkish: ReadonlyMap<string, number> = new Map([
  ["Ğ", 0xd0],
  ["İ", 0xdd],
  ["Ş", 0xde],
  ["ğ", 0xf0],
  ["ı", 0xfd],
  ["ş", 0xfe]
])

/** Letters that have no accent to take off and are common in names of Europe, and signs that word processors put in. */
const nearest: Readonly<Record<string, string>> = {
  Ð: "D",
  Þ: "Th",
  ð: "d",
  þ: "th",
  Ł: "L",
  ł: "l",
  Đ: "D",
  đ: "d",
  Œ: "OE",
  œ: "oe",
  Ə: "E",
  ə: "e",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": "-",
  "—": "-",
  "…": "...",
  "€": "EUR"
}

/** The byte of one character; none where ISO-8859-9 has no such letter. Control characters become a space. */
const byteOf = (character: string): number | undefined => {
  const code = character.charCodeAt(0)
  if (code < 0x20 || code === 0x7f) return 0x20
  if (code < 0x7f) return code
  const letter = turkish.get(character)
  if (letter !== undefined) return letter
  const replaced = code === 0xd0 || code === 0xdd || code === 0xde || code === 0xf0 || code === 0xfd || code === 0xfe
  return character.length === 1 && code >= 0xa0 && code <= 0xff && !replaced ? code : undefined
}

/** A fixed spelling, else the letter without its accents, else `?`. */
const substitute = (character: string): string => {
  const spelling = nearest[character]
  if (spelling !== undefined) return spelling
  const base = [...character.normalize("NFKD")].filter((part) => byteOf(part) !== undefined).join("")
  return base === "" ? "?" : base
}

const isPrintableAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code >= 0x7f) return false
  }
  return true
}

/**
 * Text in letters of ISO-8859-9 alone: `Łódź` becomes `Lódz`, `東` becomes `?`. Text for people is never refused for a
 * letter, and nothing that identifies a payment has such letters. It comes before escaping, since a full-width `＜`
 * becomes a `<`.
 */
export const transliterate = (text: string): string => {
  if (isPrintableAscii(text)) return text
  let fitting = ""
  for (const character of text.normalize("NFC")) {
    fitting += byteOf(character) === undefined ? substitute(character) : character
  }
  return fitting
}

/** Transliterated text → ISO-8859-9 (Latin-5): `İŞ` is `DD DE`. A letter that has no byte becomes `?`. */
export const encode = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    bytes[index] = code >= 0x20 && code < 0x7f ? code : (byteOf(text.charAt(index)) ?? 0x3f)
  }
  return bytes
}

/** WHATWG reads the label as windows-1254, which equals ISO-8859-9 in every byte that is a letter. */
const decoder = new TextDecoder("iso-8859-9")

/** ISO-8859-9 → text. Every byte has a meaning, so that this never fails. */
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes)
