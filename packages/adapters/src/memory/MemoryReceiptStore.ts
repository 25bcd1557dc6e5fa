import { Caller } from "@sarraf/domain/organizations/Caller"
import { receiptIdIn } from "@sarraf/domain/receipts/Receipt"
import { ReceiptStore } from "@sarraf/domain/receipts/ReceiptStore"
import { Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

/** A receipt is named by one expense; by more only where somebody entered a purchase twice. */
const namedByMax = 20

/** Receipts in memory. Their contents are never swept there. */
export const layer = Layer.effect(
  ReceiptStore,
  Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory
    const find = (id: string) =>
      memory.within(Effect.map(Caller, ({ organizationId }) => memory.receipts.get(organizationId, id)))
    return ReceiptStore.of({
      find,
      // One unit of work at a time: what is read in it is locked already.
      lock: find,
      namedBy: (id) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) =>
            memory.expenses
              .all(organizationId)
              .filter(({ receiptUrl }) => receiptUrl !== null && receiptIdIn(receiptUrl) === id)
              .map((expense) => expense.id)
              .sort()
              .reverse()
              .slice(0, namedByMax)
          )
        ),
      claim: () => Effect.void,
      insert: (receipt) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => memory.receipts.put(organizationId, receipt.id, receipt))
        ),
      remove: (id) =>
        memory.within(Effect.map(Caller, ({ organizationId }) => memory.receipts.remove(organizationId, id)))
    })
  })
)
