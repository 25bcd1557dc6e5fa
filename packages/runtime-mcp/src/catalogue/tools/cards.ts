import { type Card, cardBrands } from "@sarraf/domain/cards/Card"
import { cardStatuses } from "@sarraf/domain/cards/CardStatus"
import { Cards } from "@sarraf/domain/cards/Cards"
import { type CardTransaction, cardTransactionStatuses, declineReasons } from "@sarraf/domain/cards/CardTransaction"
import { Names } from "@sarraf/domain/organizations/Names"
import { Effect, Schema } from "effect"
import { makeListTool, pageFields } from "../listTool.ts"
import {
  amountIn,
  anyOfTexts,
  cut,
  cutOrNull,
  date,
  dateIn,
  dateOrNull,
  flag,
  idIn,
  money,
  moneyOf,
  moneyOfOrNull,
  moneyOrNull,
  object,
  oneOf,
  optional,
  person,
  personOf,
  someOf,
  text,
  textIn,
  textOrNull,
  time,
  timeOf,
  timeOrNull
} from "../shapes.ts"
import { makeTool } from "../tool.ts"

/** A card may allow or block many merchants: these are shown. */
const namesMax = 50

const cardFields = {
  id: text("card_…: pass it to get_card or list_card_transactions"),
  status: oneOf(cardStatuses, "Where it stands"),
  name: text("What it is for: text that a person entered"),
  holder: person("Who holds it"),
  brand: oneOf(cardBrands, "Its scheme"),
  last4: text("The last four digits of its number"),
  currency: text("ISO 4217: what its limits and what it spent are in"),
  limits: object(
    {
      per_transaction: moneyOrNull("Null: no limit"),
      per_day: moneyOrNull("Null: no limit"),
      per_month: moneyOrNull("Null: no limit"),
      total: moneyOrNull("Null: no limit")
    },
    "What it may pay at most"
  ),
  spent: object(
    { today: money("Today"), month: money("This month"), total: money("Since it was issued") },
    "What it paid, and what is held for it"
  ),
  valid_until: dateOrNull("Its last day; null: until it is closed"),
  frozen_reason: textOrNull("Why it is frozen: text that a person or a rule wrote")
}

const limitOf = (currency: string, minor: bigint | null) => (minor === null ? null : moneyOf(currency, minor))

const shownCard = (card: Card, names: ReadonlyMap<string, string>) => ({
  id: card.id,
  status: card.status,
  name: cut(card.name, 200),
  holder: personOf(card.userId, names),
  brand: card.brand,
  last4: card.last4.slice(-4),
  currency: card.currency,
  limits: {
    per_transaction: limitOf(card.currency, card.limits.perTransaction),
    per_day: limitOf(card.currency, card.limits.perDay),
    per_month: limitOf(card.currency, card.limits.perMonth),
    total: limitOf(card.currency, card.limits.total)
  },
  spent: {
    today: moneyOf(card.currency, card.spend.today),
    month: moneyOf(card.currency, card.spend.month),
    total: moneyOf(card.currency, card.spend.total)
  },
  valid_until: card.validUntil,
  frozen_reason: cutOrNull(card.frozenReason, 300)
})

const holdersOf = (cards: ReadonlyArray<{ readonly userId: string }>) =>
  Effect.flatMap(Names, (names) => names.of([...new Set(cards.map(({ userId }) => userId))], []))

/** `list_cards`. */
export const listCards = Effect.gen(function* () {
  const cards = yield* Cards
  return yield* makeListTool({
    name: "list_cards",
    title: "List cards",
    description:
      "Lists the virtual cards that the organization issued, newest first, with limits and what they spent. A MEMBER or an APPROVER sees the cards they hold. No card number is known here beyond its last four digits.",
    input: Schema.Struct({
      status: optional(someOf(cardStatuses, "Only in one of these states")),
      user_id: optional(idIn("usr", "Only those that this person holds")),
      ...pageFields
    }),
    item: Schema.Struct(cardFields),
    list: ({ status, user_id }, page) =>
      cards.list(
        {
          ...(status === undefined ? {} : { statuses: status }),
          ...(user_id === undefined ? {} : { userId: user_id })
        },
        page
      ),
    keyOf: ({ id }) => id,
    show: (found) => Effect.map(holdersOf(found), (names) => found.map((card) => shownCard(card, names)))
  })
})

const someTexts = (description: string) =>
  Schema.Array(Schema.String).annotate({ description: `${description}; ${namesMax} at most are shown` })

/** `get_card`. */
export const getCard = Effect.gen(function* () {
  const cards = yield* Cards
  return yield* makeTool({
    name: "get_card",
    title: "Get a card",
    description: "Tells everything about one card: limits, what it spent, and what it may and may not pay.",
    input: Schema.Struct({ id: idIn("card", "The card, from list_cards") }),
    output: Schema.Struct({
      ...cardFields,
      allowed_merchants: someTexts("The only merchants that it pays: text that people entered; empty: every one"),
      blocked_categories: someTexts("Categories that it does not pay"),
      blocked_mccs: someTexts("Category codes (ISO 18245) that it does not pay"),
      valid_from: date("Its first day"),
      auto_lock_days: Schema.NullOr(Schema.Int).annotate({
        description: "It is frozen when a receipt has been missing for so many days; null: never"
      }),
      frozen_at: timeOrNull("When it was frozen"),
      closed_at: timeOrNull("When it was closed"),
      created_at: time("When it was issued")
    }),
    read: Effect.fnUntraced(function* ({ id }) {
      const card = yield* cards.get(id)
      const few = (texts: ReadonlyArray<string>) => texts.slice(0, namesMax).map((one) => cut(one, 200))
      return {
        ...shownCard(card, yield* holdersOf([card])),
        allowed_merchants: few(card.allowedMerchants),
        blocked_categories: few(card.blockedCategories),
        blocked_mccs: few(card.blockedMccs),
        valid_from: card.validFrom,
        auto_lock_days: card.autoLockDays,
        frozen_at: card.frozenAt === null ? null : timeOf(card.frozenAt),
        closed_at: card.closedAt === null ? null : timeOf(card.closedAt),
        created_at: timeOf(card.createdAt)
      }
    })
  })
})

const transactionFields = {
  id: text("ctx_…"),
  card_id: text("card_…"),
  holder: person("Who holds the card"),
  status: oneOf(cardTransactionStatuses, "PENDING holds the amount, CLEARED is final"),
  amount: money("As the merchant asked for it"),
  billed: money("In the card's currency"),
  base_amount: moneyOrNull("In the organization's currency; null where no rate is known"),
  merchant: text("Text that the merchant sent"),
  mcc: text("The merchant's category code (ISO 18245)"),
  category: textOrNull("The category that it belongs to"),
  decline_reason: Schema.NullOr(Schema.Literals(declineReasons)).annotate({
    description: "Why it was not let through; null unless DECLINED"
  }),
  expense_id: textOrNull("exp_…: the expense that names it"),
  has_receipt: flag("Whether that expense has a receipt"),
  at: time("When the card was used")
}

const shownTransaction = (transaction: CardTransaction, names: ReadonlyMap<string, string>) => ({
  id: transaction.id,
  card_id: transaction.cardId,
  holder: personOf(transaction.userId, names),
  status: transaction.status,
  amount: moneyOf(transaction.amount.currency, transaction.amount.minor),
  billed: moneyOf(transaction.billed.currency, transaction.billed.minor),
  base_amount: moneyOfOrNull(transaction.base),
  merchant: cut(transaction.merchant, 200),
  mcc: transaction.mcc,
  category: cutOrNull(transaction.category, 100),
  decline_reason: transaction.declineReason,
  expense_id: transaction.expenseId,
  has_receipt: transaction.hasReceipt,
  at: timeOf(transaction.at)
})

/** `list_card_transactions`. */
export const listCardTransactions = Effect.gen(function* () {
  const cards = yield* Cards
  return yield* makeListTool({
    name: "list_card_transactions",
    title: "List card transactions",
    description:
      "Lists payments with the organization's cards, newest first. With missing_receipt: true those that still need a receipt. A MEMBER or an APPROVER sees those of the cards they hold.",
    input: Schema.Struct({
      card_id: optional(idIn("card", "Only with this card")),
      user_id: optional(idIn("usr", "Only of this holder")),
      status: optional(someOf(cardTransactionStatuses, "Only in one of these states")),
      merchant: optional(textIn(200, "A part of the merchant's name, any case")),
      category: optional(anyOfTexts(100, "Only of one of these categories, any case")),
      from: optional(dateIn("First day, included")),
      to: optional(dateIn("Last day, included")),
      min_amount: optional(amountIn("Smallest amount, in the organization's currency")),
      max_amount: optional(amountIn("Largest amount, in the organization's currency")),
      missing_receipt: optional(flag("True: what was paid, or is held, without a receipt; false: everything else")),
      ...pageFields
    }),
    item: Schema.Struct(transactionFields),
    list: (filters, page) =>
      cards.transactions(
        {
          ...(filters.card_id === undefined ? {} : { cardId: filters.card_id }),
          ...(filters.user_id === undefined ? {} : { userId: filters.user_id }),
          ...(filters.status === undefined ? {} : { statuses: filters.status }),
          ...(filters.merchant === undefined ? {} : { merchant: filters.merchant }),
          ...(filters.category === undefined ? {} : { categories: filters.category }),
          ...(filters.from === undefined ? {} : { from: filters.from }),
          ...(filters.to === undefined ? {} : { to: filters.to }),
          ...(filters.min_amount === undefined ? {} : { minAmount: filters.min_amount }),
          ...(filters.max_amount === undefined ? {} : { maxAmount: filters.max_amount }),
          ...(filters.missing_receipt === undefined ? {} : { missingReceipt: filters.missing_receipt })
        },
        page
      ),
    keyOf: ({ id }) => id,
    show: (found) =>
      Effect.map(holdersOf(found), (names) => found.map((transaction) => shownTransaction(transaction, names)))
  })
})
