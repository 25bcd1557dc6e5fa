import { crc32, deflateSync } from "node:zlib"
import type { DemoMerchant } from "./DemoMerchants.ts"

/** A file as a person would send it. */
export interface DemoFile {
  readonly name: string
  readonly content: Uint8Array
}

/** Letters that the standard fonts of a PDF have: others lose their marks. */
const plain = (text: string): string =>
  text
    .replaceAll("ı", "i")
    .normalize("NFD")
    .replace(/[^\x20-\x7e]/gu, "")
    .replace(/[\\()]/gu, "\\$&")

/** A PDF of one page (ISO 32000-1): a catalogue, a page, its text and the table of where each of them is. */
const pdf = (lines: ReadonlyArray<string>): Uint8Array => {
  const text = lines.map((line, index) => `${index === 0 ? "" : "0 -22 Td "}(${plain(line)}) Tj`).join(" ")
  const stream = `BT /F1 13 Tf 36 360 Td ${text} ET`
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
  ]
  let body = "%PDF-1.4\n"
  const places = objects.map((object, index) => {
    const place = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, "0")} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return new TextEncoder().encode(`${body}${table}${trailer}`)
}

/** A chunk of a PNG (third edition, 5.3): length, type, data, checksum. */
const chunk = (type: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

const width = 120
const height = 200

/** A till receipt seen from afar, in shades of grey: bars for the lines of text, of lengths that the name decides. */
const png = (name: string): Uint8Array => {
  const rows = Buffer.alloc((width + 1) * height, 0xff)
  const letters = [...name]
  for (let y = 0; y < height; y++) {
    rows[y * (width + 1)] = 0
    const line = Math.floor(y / 10)
    const letter = letters[line % letters.length]?.codePointAt(0) ?? 0
    if (y % 10 >= 4 || line === 0 || line > 18) continue
    rows.fill(line % 6 === 0 ? 0x22 : 0x77, y * (width + 1) + 12, y * (width + 1) + 40 + ((letter * 7 + line) % 68))
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits a sample, grey.
  header.set([8, 0, 0, 0, 0], 8)
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array())
  ])
}

const fileName = (name: string): string =>
  plain(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")

/** One file a merchant: what is bought at a counter as an image, what is booked or subscribed to as a PDF. */
export const demoReceipt = ({ category, name, place }: DemoMerchant): DemoFile =>
  ["Meals", "Taxi", "Fuel", "Office supplies", "Transport"].includes(category)
    ? { name: `${fileName(name)}.png`, content: png(`${name} ${place}`) }
    : {
        name: `${fileName(name)}.pdf`,
        content: pdf([name, place === "web" ? "Invoice" : place, category, "A sample for the sandbox."])
      }
