import { Result } from "effect"

/** What a receipt may be (contract section 6), by its content. */
export const receiptMediaTypes = ["application/pdf", "image/png", "image/jpeg", "image/webp"] as const
export type ReceiptMediaType = (typeof receiptMediaTypes)[number]

/** More than any camera or scanner makes; an image of more would cost whoever opens it a gigabyte of memory. */
const pixelsMax = 100_000_000
/** WebP's own limit, and far above a receipt's; JPEG and PNG could say more. */
const sideMax = 20_000
/** Where a reader looks for the header and the end of a PDF (ISO 32000-1, annex H.3, notes 13 and 18). */
const pdfMargin = 1024

type Recognised = Result.Result<ReceiptMediaType, string>

const textAt = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length))

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const damaged = (kind: string) => Result.fail(`a ${kind} that is damaged or cut off`)

const sized = (type: ReceiptMediaType, kind: string, width: number, height: number): Recognised => {
  if (width === 0 || height === 0) return damaged(kind)
  return width <= sideMax && height <= sideMax && width * height <= pixelsMax
    ? Result.succeed(type)
    : Result.fail(
        `a ${kind} of ${width} × ${height} pixels, which is more than ${sideMax} a side or ${pixelsMax} in all`
      )
}

/** ISO 32000-1, 7.5: a header, and `%%EOF` at the end. Only white space and a byte order mark may come before. */
const readPdf = (bytes: Uint8Array): Recognised => {
  const end = textAt(bytes, Math.max(0, bytes.length - pdfMargin), pdfMargin)
  return end.includes("%%EOF") ? Result.succeed("application/pdf") : damaged("PDF")
}

/** PNG (third edition), 5.2 to 5.6: the signature, then chunks of length, type, data and checksum, IHDR first, IEND last. */
const readPng = (bytes: Uint8Array): Recognised => {
  const view = viewOf(bytes)
  let at = 8
  let size: readonly [number, number] | undefined
  while (at + 12 <= bytes.length) {
    const length = view.getUint32(at)
    const type = textAt(bytes, at + 4, 4)
    if (size === undefined && (type !== "IHDR" || length !== 13 || at + 25 > bytes.length)) break
    if (type === "IEND") return size === undefined ? damaged("PNG image") : sized("image/png", "PNG image", ...size)
    if (type === "IHDR") size = [view.getUint32(at + 8), view.getUint32(at + 12)]
    at += 12 + length
  }
  return damaged("PNG image")
}

/** Markers of a frame, SOF0 to SOF15, without DHT, JPG and DAC which lie among them (ITU-T T.81, table B.1). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Whether EOI follows; some cameras put data of their own behind it. */
const hasEndAfter = (bytes: Uint8Array, from: number): boolean => {
  for (let at = bytes.length - 2; at >= from; at--) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true
  return false
}

/** ITU-T T.81, annex B: SOI, segments of marker and length, a frame with the size, the scan, and EOI. */
const readJpeg = (bytes: Uint8Array): Recognised => {
  const view = viewOf(bytes)
  let at = 2
  let size: readonly [number, number] | undefined
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    // Fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    const length = view.getUint16(at + 2)
    if (length < 2) break
    if (isFrame(marker) && length >= 8 && at + 9 <= bytes.length)
      size = [view.getUint16(at + 7), view.getUint16(at + 5)]
    at += 2 + length
    if (marker === 0xda) {
      return size !== undefined && hasEndAfter(bytes, at)
        ? sized("image/jpeg", "JPEG image", ...size)
        : damaged("JPEG image")
    }
  }
  return damaged("JPEG image")
}

const uint24 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)

/** Width and height by the first chunk: lossy (RFC 6386, 9.1), lossless (RFC 9649, 3.4) or extended (RFC 9649, 2.7). */
const webpSize = (bytes: Uint8Array): readonly [number, number] | undefined => {
  const view = viewOf(bytes)
  const chunk = textAt(bytes, 12, 4)
  if (chunk === "VP8X") return [uint24(bytes, 24) + 1, uint24(bytes, 27) + 1]
  if (chunk === "VP8L" && bytes[20] === 0x2f) {
    const bits = view.getUint32(21, true)
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
  }
  if (chunk === "VP8 " && bytes[23] === 0x9d && bytes[24] === 0x01 && bytes[25] === 0x2a) {
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff]
  }
  return undefined
}

/** RFC 9649, 2.4: `RIFF`, the size of what follows, `WEBP`. */
const readWebp = (bytes: Uint8Array): Recognised => {
  if (bytes.length < 30 || viewOf(bytes).getUint32(4, true) + 8 > bytes.length) return damaged("WebP image")
  const size = webpSize(bytes)
  return size === undefined ? damaged("WebP image") : sized("image/webp", "WebP image", ...size)
}

interface Signature {
  readonly kind: string
  readonly matches: (head: string) => boolean
}

const begins = (start: string) => (head: string) => head.startsWith(start)

/** What is not a receipt and is often sent as one, so that the answer can say what it is. */
const others: ReadonlyArray<Signature> = [
  { kind: "a GIF image", matches: begins("GIF8") },
  {
    kind: "a HEIC image, which has to be converted to JPEG",
    matches: (head) => /^.{4}ftyp(?:hei|hev|mif|msf)/su.test(head)
  },
  { kind: "an AVIF image", matches: (head) => /^.{4}ftypavi/su.test(head) },
  { kind: "a video", matches: (head) => /^.{4}ftyp/su.test(head) },
  { kind: "a TIFF image", matches: (head) => head.startsWith("II*\0") || head.startsWith("MM\0*") },
  { kind: "a BMP image", matches: begins("BM") },
  { kind: "a ZIP archive or an office document", matches: begins("PK\x03\x04") },
  { kind: "an old office document", matches: begins("\xd0\xcf\x11\xe0") },
  {
    kind: "a program",
    matches: (head) => head.startsWith("MZ") || head.startsWith("\x7fELF") || head.startsWith("#!")
  },
  { kind: "HTML, XML or SVG", matches: (head) => /^(?:\xef\xbb\xbf)?\s*</u.test(head) },
  { kind: "text", matches: (head) => /^(?:\xef\xbb\xbf)?[\t\n\r\x20-\x7e\x80-\xff]+$/u.test(head) }
]

const pdfHeader = /^(?:\xef\xbb\xbf)?[\0\t\n\f\r ]*%PDF-[12]\.\d/u

/**
 * What a file is by its content, whatever its name and its sender say; the failure tells what was found instead: "a GIF
 * image". A file that begins as one of the four and is cut off, or an image beyond all bounds, is refused too.
 */
export const recognise = (bytes: Uint8Array): Recognised => {
  const head = textAt(bytes, 0, pdfMargin)
  if (pdfHeader.test(head)) return readPdf(bytes)
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return readPng(bytes)
  if (head.startsWith("\xff\xd8\xff")) return readJpeg(bytes)
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return readWebp(bytes)
  return Result.fail(others.find(({ matches }) => matches(head))?.kind ?? "content of an unknown kind")
}
