import { isAscii } from "node:buffer"

/** The six letters in which ISO-8859-9 differs from ISO-8859-1, and the byte that carries each (ISO/IEC 8859-9:1999). */
const turkish: ReadonlyMap<number, number> = new Map(
  (
    [
      ["Ğ", 0xd0],
      ["İ", 0xdd],
      ["Ş", 0xde],
      ["ğ", 0xf0],
      ["ı", 0xfd],
      ["ş", 0xfe]
    ] as const
  ).map(([letter, byte]) => [letter.charCodeAt(0), byte])
)
/** Ð, Ý, Þ, ð, ý and þ of ISO-8859-1. */
const replaced: ReadonlySet<number> = new Set(turkish.values())

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
const byteOf = (code: number): number | undefined => {
  if (code >= 0x20 && code < 0x7f) return code
  if (code <= 0x7f) return 0x20
  return code >= 0xa0 && code <= 0xff && !replaced.has(code) ? code : turkish.get(code)
}

const isLetter = (character: string): boolean => character.length === 1 && byteOf(character.charCodeAt(0)) !== undefined

/** A fixed spelling, else the letter without its accents, else `?`. */
const substitute = (character: string): string => {
  const spelling = nearest[character]
  if (spelling !== undefined) return spelling
  const base = [...character.normalize("NFKD")].filter(isLetter).join("")
  return base === "" ? "?" : base
}

const isFitting = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    if (byteOf(text.charCodeAt(index)) === undefined) return false
  }
  return true
}

/**
 * Text in letters of ISO-8859-9 alone: `Łódź` becomes `Lódz`, `東` becomes `?`. Text for people is never refused for a
 * letter, and nothing that identifies a payment has such letters. It comes before escaping, since a full-width `＜`
 * becomes a `<`.
 */
export const transliterate = (text: string): string => {
  if (isFitting(text)) return text
  let fitting = ""
  for (const character of text.normalize("NFC")) {
    fitting += isLetter(character) ? character : substitute(character)
  }
  return fitting
}

/** Transliterated text → ISO-8859-9 (Latin-5): `İŞ` is `DD DE`. A letter that has no byte becomes `?`. */
export const encode = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    bytes[index] = byteOf(text.charCodeAt(index)) ?? 0x3f
  }
  return bytes
}

/** WHATWG reads the label as windows-1254, which equals ISO-8859-9 in every byte that is a letter. */
const decoder = new TextDecoder("iso-8859-9")

/** ISO-8859-9 → text. Every byte has a meaning, so that this never fails. */
export const decode = (bytes: Uint8Array): string =>
  isAscii(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
    : decoder.decode(bytes)
