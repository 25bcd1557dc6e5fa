/** Small whole files of the kinds that receipts have, built here by their specifications. */

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

export const joined = (...parts: ReadonlyArray<Uint8Array | string | ReadonlyArray<number>>): Uint8Array => {
  const all = parts.map((part) => (typeof part === "string" ? ascii(part) : Uint8Array.from(part)))
  const whole = new Uint8Array(all.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of all) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const bigEndian = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** (bytes - 1 - index)) % 256)
const littleEndian = (value: number, bytes: number) => bigEndian(value, bytes).reverse()

/** `note` makes one differ from another. */
export const pdf = (note = "receipt") => joined(`%PDF-1.7\n% ${note}\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n`)

const pngChunk = (type: string, data: ReadonlyArray<number>) =>
  joined(bigEndian(data.length, 4), type, data, [0, 0, 0, 0])

export const png = (width = 3, height = 2, note = 0) =>
  joined(
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    pngChunk("IHDR", [...bigEndian(width, 4), ...bigEndian(height, 4), 8, 2, 0, 0, 0]),
    pngChunk("IDAT", [note, 1, 2, 3]),
    pngChunk("IEND", [])
  )

export const jpeg = (width = 3, height = 2) =>
  joined(
    [0xff, 0xd8, 0xff, 0xe0, 0, 16],
    "JFIF\0",
    [1, 1, 0, 0, 1, 0, 1, 0, 0],
    [0xff, 0xc4, 0, 4, 0, 0],
    [0xff, 0xff, 0xc0, 0, 11, 8, ...bigEndian(height, 2), ...bigEndian(width, 2), 1, 1, 0x11, 0],
    [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0],
    [0x12, 0x34, 0xff, 0x00, 0x56],
    [0xff, 0xd9]
  )

const riff = (chunk: Uint8Array) => joined("RIFF", littleEndian(chunk.length + 4, 4), "WEBP", chunk)

export const webp = {
  lossy: (width = 3, height = 2) =>
    riff(
      joined(
        "VP8 ",
        littleEndian(12, 4),
        [0, 0, 0, 0x9d, 0x01, 0x2a],
        littleEndian(width, 2),
        littleEndian(height, 2),
        [0, 0]
      )
    ),
  lossless: (width = 3, height = 2) =>
    riff(
      joined("VP8L", littleEndian(10, 4), [0x2f], littleEndian((width - 1) | ((height - 1) << 14), 4), [0, 0, 0, 0, 0])
    ),
  extended: (width = 3, height = 2) =>
    riff(joined("VP8X", littleEndian(10, 4), [0, 0, 0, 0], littleEndian(width - 1, 3), littleEndian(height - 1, 3)))
}
