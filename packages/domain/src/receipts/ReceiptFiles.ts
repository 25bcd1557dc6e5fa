import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"

/** Where a content is kept: once for each organization, whatever it was called. */
export interface ReceiptPlace {
  readonly organizationId: string
  /** SHA-256 of the content, lower-case hex. */
  readonly sha256: string
}

/** Driven port: the bytes of receipts. */
export class ReceiptFiles extends Context.Service<
  ReceiptFiles,
  {
    /** SHA-256, lower-case hex. */
    digest(content: Uint8Array): Effect.Effect<string>
    /** Once it has succeeded, the whole content is there and stays, also after a crash. Writing it again changes nothing. */
    write(place: ReceiptPlace, content: Uint8Array): Effect.Effect<void, Unavailable>
    /** Undefined where there is none. */
    read(place: ReceiptPlace): Effect.Effect<Uint8Array | undefined, Unavailable>
    has(place: ReceiptPlace): Effect.Effect<boolean, Unavailable>
    /** Also where there is none. */
    remove(place: ReceiptPlace): Effect.Effect<void, Unavailable>
  }
>()("@sarraf/domain/receipts/ReceiptFiles") {}
