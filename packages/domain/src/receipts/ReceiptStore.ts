import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Receipt } from "./Receipt.ts"

/** Driven port: what is known of the receipts of the caller's organization. Their bytes are in `ReceiptFiles`. */
export class ReceiptStore extends Context.Service<
  ReceiptStore,
  {
    find(id: string): Effect.Effect<Receipt | undefined, Unavailable, Caller>
    /**
     * In a unit of work: the same, and until the unit ends nobody removes it (`shared`), or nobody removes it or relies on
     * its being there (`exclusive`).
     */
    lock(id: string, mode: "shared" | "exclusive"): Effect.Effect<Receipt | undefined, Unavailable, Caller>
    /** Expenses whose `receipt_url` names it, the newest first, twenty at most. */
    namedBy(id: string): Effect.Effect<ReadonlyArray<string>, Unavailable, Caller>
    /** In a unit of work: until it ends, the content of this digest is not swept. Before the file is written. */
    claim(content: Pick<Receipt, "sha256" | "bytes">): Effect.Effect<void, Unavailable, Caller>
    /** Of a claimed content. */
    insert(receipt: Receipt): Effect.Effect<void, Unavailable, Caller>
    remove(id: string): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/receipts/ReceiptStore") {}
