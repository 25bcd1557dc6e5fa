import { Schema, Struct } from "effect"
import { decideBy } from "../states/StateTable.ts"

/** state × command → state (contract section 6). A card that is closed stays closed. */
export const cardTransitions = {
  ACTIVE: { freeze: "FROZEN", close: "CLOSED" },
  FROZEN: { unfreeze: "ACTIVE", close: "CLOSED" },
  CLOSED: {}
} as const

export const cardStatuses = Struct.keys(cardTransitions)
export const CardStatus = Schema.Literals(cardStatuses)
export type CardStatus = typeof CardStatus.Type

/** The card's state after the command; `StateRefused` where the table does not have it. */
export const decideCard = decideBy("card", cardTransitions, Schema.is(CardStatus))
