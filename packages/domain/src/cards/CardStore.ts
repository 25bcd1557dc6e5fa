import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Reach } from "../organizations/Permissions.ts"
import type { Instant } from "../time/Instant.ts"
import type { Card } from "./Card.ts"
import type { CardStatus } from "./CardStatus.ts"
import type { CardTransaction, CardTransactionStatus } from "./CardTransaction.ts"

/** Every condition that is given must hold. */
export interface CardFilter {
  readonly userId?: string
  readonly statuses?: ReadonlyArray<CardStatus>
}

/** When the present day and month began where the organization is: what `Card.spend` counts from. */
export interface SpendSince {
  readonly day: Instant
  readonly month: Instant
}

/** Every condition that is given must hold. */
export interface CardTransactionFilter {
  readonly cardId?: string
  readonly userId?: string
  readonly statuses?: ReadonlyArray<CardTransactionStatus>
  /** A part of the name, any case. */
  readonly merchant?: string
  readonly categories?: ReadonlyArray<string>
  /** Used at or after this, and before that. */
  readonly from?: Instant
  readonly before?: Instant
  /** Minor units of the base currency, both included; what has no amount in it is left out. */
  readonly minBaseMinor?: bigint
  readonly maxBaseMinor?: bigint
  /** True: what was paid, or is held, without a receipt. False: everything else. */
  readonly missingReceipt?: boolean
}

/** Driven port, for reading: issued cards and what was done with them, in the caller's organization. `own`: what the caller holds. */
export class CardStore extends Context.Service<
  CardStore,
  {
    /** Undefined for what is not there or not within reach. */
    find(id: string, since: SpendSince, reach: Reach): Effect.Effect<Card | undefined, Unavailable, Caller>
    list(
      filter: CardFilter,
      since: SpendSince,
      reach: Reach,
      page: PageRequest
    ): Effect.Effect<Page<Card>, Unavailable, Caller>
    findTransaction(id: string, reach: Reach): Effect.Effect<CardTransaction | undefined, Unavailable, Caller>
    transactions(
      filter: CardTransactionFilter,
      reach: Reach,
      page: PageRequest
    ): Effect.Effect<Page<CardTransaction>, Unavailable, Caller>
  }
>()("@sarraf/domain/cards/CardStore") {}
