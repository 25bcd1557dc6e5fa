import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Reach } from "../organizations/Permissions.ts"

/** Driven port: what an expense needs to know of the card transaction that it names. */
export class CardTransactionLookup extends Context.Service<
  CardTransactionLookup,
  {
    /** Whether the caller's organization has it, within reach: `own` is what the caller's own cards were used for. */
    exists(id: string, reach: Reach): Effect.Effect<boolean, Unavailable, Caller>
  }
>()("@sarraf/domain/cards/CardTransactionLookup") {}
