import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Something that is the same for every reader until the program is replaced. */
export interface CachedDocument {
  readonly contentType: string
  readonly text: string
  readonly compressed: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** Below this the gzip header costs more than it saves. */
const compressedFrom = 1024

const digest = (text: string) => createHash("sha256").update(text).digest("base64")

/** A source expression of a content security policy that allows exactly this inline text (CSP 3, section 2.3.1). */
export const contentHash = (text: string) => `'sha256-${digest(text)}'`

export const makeDocument = (
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {}
): CachedDocument => ({
  contentType,
  text,
  compressed: text.length < compressedFrom ? new Uint8Array() : gzipSync(text),
  headers: {
    // Weak: the compressed and the plain form are the same document (RFC 9110, section 8.8.1).
    etag: `W/"${digest(text).slice(0, 22)}"`,
    "cache-control": "no-cache",
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
    ...headers
  }
})

const accepts = (header: string | undefined, coding: string) =>
  (header ?? "").split(",").some((part) => {
    const [name, weight = ""] = part.trim().toLowerCase().split(";")
    return name?.trim() === coding && !/^\s*q=0(\.0*)?$/.test(weight)
  })

const isKnown = (ifNoneMatch: string | undefined, etag: string | undefined) =>
  etag !== undefined && (ifNoneMatch ?? "").split(",").some((tag) => tag.trim() === etag || tag.trim() === "*")

/** The document, compressed for those who can read it, or 304 for those who have it. */
export const serve = (document: CachedDocument) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    if (isKnown(headers["if-none-match"], document.headers.etag)) {
      return HttpServerResponse.empty({ status: 304, headers: document.headers })
    }
    const { contentType } = document
    return document.compressed.length > 0 && accepts(headers["accept-encoding"], "gzip")
      ? HttpServerResponse.uint8Array(document.compressed, {
          contentType,
          headers: { ...document.headers, "content-encoding": "gzip" }
        })
      : HttpServerResponse.text(document.text, { contentType, headers: document.headers })
  })
