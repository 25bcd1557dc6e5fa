import type { Instant } from "../time/Instant.ts"
import type { ReceiptMediaType } from "./MediaType.ts"

/** A file of 10 MiB (contract section 1). */
export const receiptBytesMax = 10 * 1_048_576

/** What is known of an uploaded receipt; it never changes. */
export interface Receipt {
  readonly id: string
  /** As its sender named it, cleaned: see `fileNameOf`. */
  readonly fileName: string
  readonly mediaType: ReceiptMediaType
  readonly bytes: number
  /** Of its content, lower-case hex. */
  readonly sha256: string
  /** `user:usr_…` or `key:…`. */
  readonly uploadedBy: string
  /** The person who uploaded it; null for a key. */
  readonly userId: string | null
  readonly createdAt: Instant
}

const path = "/api/receipts/"

/** Where a receipt is read: what an expense's `receipt_url` says. */
export const receiptUrl = (baseUrl: string, id: string): string => `${baseUrl}${path}${id}`

/**
 * The receipt that a `receipt_url` names, `rcp_…`; undefined for a file elsewhere. Whatever the host: the address of an
 * installation may change, and a receipt of another organization is not there in any case.
 */
export const receiptIdIn = (url: string): string | undefined =>
  /\/api\/receipts\/(rcp_[0-7][0-9a-hjkmnp-tv-z]{25})$/u.exec(url)?.[1]
