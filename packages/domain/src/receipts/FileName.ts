import type { ReceiptMediaType } from "./MediaType.ts"

/** Characters of a kept file name. */
const lengthMax = 200

/** For files without a name, and for readers that do not know a name outside ASCII. */
const extensions: Readonly<Record<ReceiptMediaType, string>> = {
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp"
}

/** `receipt.pdf`. */
export const plainFileName = (type: ReceiptMediaType): string => `receipt.${extensions[type]}`

/** Control characters, line and paragraph separators, and what turns the direction of text around: `gpj.exe` would be read as `exe.jpg`. */
const unseen = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/**
 * A name as a person gave it, for showing and for nothing else: without folders, without characters that are not seen, 200
 * characters at most. No file is ever stored under it.
 */
export const fileNameOf = (given: string, type: ReceiptMediaType): string => {
  const [last = ""] = given.toWellFormed().split(/[/\\]/u).slice(-1)
  const name = Array.from(last.replace(unseen, "").trim()).slice(0, lengthMax).join("").trim()
  return /^\.*$/u.test(name) ? plainFileName(type) : name
}
