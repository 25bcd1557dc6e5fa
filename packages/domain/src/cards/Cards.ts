import { Context, Effect, Layer } from "effect"
import { type InvalidFields, NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import { baseBound } from "../money/BaseBound.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { makePresentDay } from "../organizations/PresentDay.ts"
import { type CalendarDate, startOfDay } from "../time/CalendarDate.ts"
import type { Card } from "./Card.ts"
import { type CardFilter, CardStore, type CardTransactionFilter } from "./CardStore.ts"
import type { CardTransaction } from "./CardTransaction.ts"

type Computed = "from" | "before" | "minBaseMinor" | "maxBaseMinor"

/** What is looked for; days where the organization is, amounts in major units of its currency, as decimals. */
export interface CardTransactionSearch extends Omit<CardTransactionFilter, Computed> {
  /** First and last day, both included. */
  readonly from?: CalendarDate
  readonly to?: CalendarDate
  readonly minAmount?: string
  readonly maxAmount?: string
}

/**
 * Driving port, for reading: the cards that the organization issued, and what was done with them. A MEMBER and an APPROVER
 * see the cards that they hold.
 */
export class Cards extends Context.Service<
  Cards,
  {
    get(id: string): Effect.Effect<Card, NotFound | RoleMissing | Unavailable, Caller>
    list(filter: CardFilter, page: PageRequest): Effect.Effect<Page<Card>, RoleMissing | Unavailable, Caller>
    getTransaction(id: string): Effect.Effect<CardTransaction, NotFound | RoleMissing | Unavailable, Caller>
    /** `InvalidFields` at `min_amount` or `max_amount` where it is no amount of the organization's currency. */
    transactions(
      search: CardTransactionSearch,
      page: PageRequest
    ): Effect.Effect<Page<CardTransaction>, InvalidFields | RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/cards/Cards") {
  static readonly layer: Layer.Layer<Cards, never, CardStore | Organizations> = Layer.effect(
    Cards,
    Effect.gen(function* () {
      const store = yield* CardStore
      const presentDay = yield* makePresentDay

      const since = Effect.map(presentDay, ({ date, organization: { timezone } }) => ({
        day: startOfDay(date, timezone),
        month: startOfDay(`${date.slice(0, 8)}01`, timezone)
      }))

      const filterOf = Effect.fnUntraced(function* ({
        from,
        maxAmount,
        minAmount,
        to,
        ...rest
      }: CardTransactionSearch) {
        const { baseCurrency, timezone } = (yield* presentDay).organization
        const minBaseMinor = yield* baseBound(baseCurrency, minAmount, "min_amount")
        const maxBaseMinor = yield* baseBound(baseCurrency, maxAmount, "max_amount")
        const filter: CardTransactionFilter = {
          ...rest,
          ...(from === undefined ? {} : { from: startOfDay(from, timezone) }),
          ...(to === undefined ? {} : { before: startOfDay(to, timezone, 1) }),
          ...(minBaseMinor === undefined ? {} : { minBaseMinor }),
          ...(maxBaseMinor === undefined ? {} : { maxBaseMinor })
        }
        return filter
      })

      return Cards.of({
        get: Effect.fn("Cards.get")(function* (id) {
          const { reach } = yield* permitted("card.read")
          const card = yield* store.find(id, yield* since, reach)
          return card === undefined ? yield* new NotFound({ resource: "card", id }) : card
        }),
        list: Effect.fn("Cards.list")(function* (filter, page) {
          const { reach } = yield* permitted("card.read")
          return yield* store.list(filter, yield* since, reach, page)
        }),
        getTransaction: Effect.fn("Cards.getTransaction")(function* (id) {
          const { reach } = yield* permitted("card.read")
          const transaction = yield* store.findTransaction(id, reach)
          return transaction === undefined ? yield* new NotFound({ resource: "card transaction", id }) : transaction
        }),
        transactions: Effect.fn("Cards.transactions")(function* (search, page) {
          const { reach } = yield* permitted("card.read")
          return yield* store.transactions(yield* filterOf(search), reach, page)
        })
      })
    })
  )
}
