import { CardTransactionLookup } from "@sarraf/domain/cards/CardTransactionLookup"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

/** Card transactions in memory, for the expenses that name them. */
export const layer = Layer.effect(
  CardTransactionLookup,
  Effect.map(ExpenseSideMemory, (memory) =>
    CardTransactionLookup.of({
      exists: (id, reach) =>
        memory.within(
          Effect.map(Caller, ({ organizationId, userId }) => {
            const transaction = memory.cardTransactions.get(organizationId, id)
            return transaction !== undefined && (reach === "all" || transaction.userId === userId)
          })
        )
    })
  )
)
