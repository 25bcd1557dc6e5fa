import { Context } from "effect"
import type { Instant } from "../time/Instant.ts"

/** What a link opens, and until when. */
export interface LinkedReceipt {
  readonly organizationId: string
  readonly receiptId: string
  readonly expiresAt: Instant
}

/** Driven port: tokens that only this installation can make. */
export class ReceiptLinks extends Context.Service<
  ReceiptLinks,
  {
    /** Of letters, digits, `-`, `_` and `.`, so that it can stand in a path. */
    make(linked: LinkedReceipt): string
    /** Undefined for what was not made here. Whether it is over is the reader's to say. */
    read(token: string): LinkedReceipt | undefined
  }
>()("@sarraf/domain/receipts/ReceiptLinks") {}
