import { plainFileName } from "@sarraf/domain/receipts/FileName"
import type { OpenedReceipt } from "@sarraf/domain/receipts/Receipts"
import { HttpServerResponse } from "effect/http"

/** A name for a header: RFC 8187, section 3.2. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/gu, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * The file of a receipt as it is handed out. Somebody else may have made it, so that a browser shows it and does nothing
 * more: it does not guess another type, and runs nothing of it under our address.
 */
export const receiptResponse = ({ content, receipt }: OpenedReceipt): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(content, {
    contentType: receipt.mediaType,
    headers: {
      "content-disposition": `inline; filename="${plainFileName(receipt.mediaType)}"; filename*=UTF-8''${encoded(receipt.fileName)}`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, no-store",
      "referrer-policy": "no-referrer"
    }
  })
