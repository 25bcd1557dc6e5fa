import { assert, describe, it } from "@effect/vitest"
import { receiptMediaTypes, recognise } from "@sarraf/domain/receipts/MediaType"
import { Result, Schema } from "effect"
import { joined, jpeg, pdf, png, webp } from "../../support/SampleFiles.ts"

const found = (bytes: Uint8Array) => Result.merge(recognise(bytes))

const whole: ReadonlyArray<readonly [string, Uint8Array, string]> = [
  ["PDF", pdf(), "application/pdf"],
  ["PNG", png(), "image/png"],
  ["JPEG", jpeg(), "image/jpeg"],
  ["lossy WebP", webp.lossy(), "image/webp"],
  ["lossless WebP", webp.lossless(), "image/webp"],
  ["extended WebP", webp.extended(), "image/webp"]
]

describe("recognise", () => {
  it.each(whole)("knows a %s", (_, bytes, type) => {
    assert.strictEqual(found(bytes), type)
  })

  it.each(whole)("refuses a %s that is cut off anywhere", (_, bytes) => {
    for (let length = 0; length < bytes.length - 1; length++) {
      const cut = bytes.subarray(0, length)
      // A line's end may be missing after the end of a PDF.
      if (joined(cut).toString() !== bytes.subarray(0, -1).toString()) {
        assert.notInclude(receiptMediaTypes, found(cut), `${length} of ${bytes.length}`)
      }
    }
  })

  it("looks at a part of a larger buffer alone", () => {
    const bytes = png()
    const larger = joined([1, 2, 3], bytes, [4])
    assert.strictEqual(found(larger.subarray(3, 3 + bytes.length)), "image/png")
  })

  it("lets a PDF begin with white space or a byte order mark, and with nothing else", () => {
    assert.strictEqual(found(joined([0xef, 0xbb, 0xbf], "\r\n", pdf())), "application/pdf")
    assert.strictEqual(found(joined("<html><script>", pdf())), "HTML, XML or SVG")
    assert.strictEqual(found(joined("MZ", pdf())), "a program")
  })

  it("lets a camera put data behind the end of a JPEG", () => {
    assert.strictEqual(found(joined(jpeg(), "SEFT of a camera")), "image/jpeg")
  })

  it("refuses images beyond all bounds, and empty ones", () => {
    for (const image of [png(20_001, 1), jpeg(1, 20_001), png(10_001, 10_000)])
      assert.match(found(image), /which is more than/u)
    for (const image of [png(10_000, 10_000), jpeg(20_000, 1), webp.extended(16_383, 2), webp.lossless(16_384, 1)]) {
      assert.match(found(image), /^image\//u)
    }
    for (const image of [png(0, 5), jpeg(5, 0), webp.lossy(0, 1)]) assert.match(found(image), /damaged/u)
    assert.match(found(webp.extended(16_777_216, 1)), /16777216 × 1 pixels/u)
  })

  it.each([
    ["GIF89a\x01\x00\x01\x00", "a GIF image"],
    ["\0\0\0\x18ftypheic", "a HEIC image, which has to be converted to JPEG"],
    ["\0\0\0\x18ftypisom", "a video"],
    ["PK\x03\x04\x14", "a ZIP archive or an office document"],
    ["MZ\x90\0", "a program"],
    ["#!/bin/sh\n", "a program"],
    ["<!doctype html><p>receipt</p>", "HTML, XML or SVG"],
    ["  <svg xmlns='http://www.w3.org/2000/svg'/>", "HTML, XML or SVG"],
    ["Coffee 45 TRY\n", "text"],
    ["\x00\x01\x02", "content of an unknown kind"],
    ["%PDF-1.7\nno end", "a PDF that is damaged or cut off"]
  ])("says of %j that it is %s", (text, kind) => {
    assert.strictEqual(found(joined(text)), kind)
  })

  it.prop(
    "never fails, whatever it is given",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([bytes]) => {
      for (const start of ["", "%PDF-1.4", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "RIFF\x20\0\0\0WEBPVP8X"]) {
        assert.isString(found(joined(start, bytes)))
      }
    }
  )
})
