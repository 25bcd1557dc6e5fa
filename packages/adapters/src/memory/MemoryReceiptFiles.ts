import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { Effect, Layer } from "effect"
import { digest, nameOf } from "../receipts/receiptStorage.ts"

/** Receipts in memory. */
export const layer = Layer.sync(ReceiptFiles, () => {
  const contents = new Map<string, Uint8Array>()
  return ReceiptFiles.of({
    digest,
    write: (place, content) => Effect.sync(() => void contents.set(nameOf(place), content.slice())),
    read: (place) => Effect.sync(() => contents.get(nameOf(place))?.slice()),
    has: (place) => Effect.sync(() => contents.has(nameOf(place))),
    remove: (place) => Effect.sync(() => void contents.delete(nameOf(place)))
  })
})
