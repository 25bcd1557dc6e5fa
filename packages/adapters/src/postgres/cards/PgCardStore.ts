import { type CardFilter, CardStore, type CardTransactionFilter, type SpendSince } from "@sarraf/domain/cards/CardStore"
import { CardTransactionLookup } from "@sarraf/domain/cards/CardTransactionLookup"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Reach } from "@sarraf/domain/organizations/Permissions"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { containing, when } from "../filterConditions.ts"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import {
  type CardRow,
  type CardTransactionRow,
  cardColumns,
  cardOf,
  cardTransactionColumns,
  cardTransactionOf
} from "./CardRows.ts"

/** What every read begins with. Of those who reach their own alone, a key holds no card. */
const makeScope = Effect.map(
  SqlClient.SqlClient,
  (sql) => (reach: Reach) =>
    Effect.map(Caller, ({ organizationId, userId }) => [
      sql`organization_id = ${organizationId}`,
      ...(reach === "all" ? [] : [userId === null ? sql`false` : sql`user_id = ${userId}`])
    ])
)

/** What a card has spent is added up when it is read. */
const store = Layer.effect(
  CardStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const scope = yield* makeScope

    const cards = Effect.fnUntraced(function* (
      conditions: ReadonlyArray<Statement.Fragment>,
      { day, month }: SpendSince,
      limit: number
    ) {
      const { organizationId } = yield* Caller
      const rows = yield* sql<CardRow>`SELECT card.*, spent.* FROM
        (SELECT ${sql.literal(cardColumns)} FROM cards WHERE ${sql.and(conditions)} ORDER BY id DESC LIMIT ${limit}) AS card
        CROSS JOIN LATERAL (SELECT
            coalesce(sum(billed_minor) FILTER (WHERE at >= ${new Date(day)}), 0)::text AS spent_today,
            coalesce(sum(billed_minor) FILTER (WHERE at >= ${new Date(month)}), 0)::text AS spent_month,
            coalesce(sum(billed_minor), 0)::text AS spent_total
          FROM card_transactions WHERE organization_id = ${organizationId} AND card_id = card.id
            AND status IN ('PENDING', 'CLEARED')) AS spent
        ORDER BY id DESC`
      return rows.map(cardOf)
    })

    const transactions = Effect.fnUntraced(function* (conditions: ReadonlyArray<Statement.Fragment>, limit: number) {
      const { organizationId } = yield* Caller
      const rows =
        yield* sql<CardTransactionRow>`SELECT used.*, named.expense_id, coalesce(named.has_receipt, false) AS has_receipt
        FROM (SELECT ${sql.literal(cardTransactionColumns)} FROM card_transactions WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${limit}) AS used
        CROSS JOIN LATERAL (SELECT min(expenses.id) AS expense_id, bool_or(receipt_url IS NOT NULL) AS has_receipt
          FROM expenses WHERE organization_id = ${organizationId} AND card_transaction_id = used.id) AS named
        ORDER BY id DESC`
      return rows.map(cardTransactionOf)
    })

    const ofCards = ({ statuses, userId }: CardFilter): ReadonlyArray<Statement.Fragment> => [
      ...when(userId, (id) => sql`user_id = ${id}`),
      ...when(statuses, (some) => sql`status = ANY (${[...some]}::text[])`)
    ]

    /** What was declined or given back needs no receipt. */
    const missingReceipt = sql`(status IN ('PENDING', 'CLEARED') AND NOT EXISTS (SELECT FROM expenses AS named
      WHERE named.organization_id = card_transactions.organization_id
        AND named.card_transaction_id = card_transactions.id AND named.receipt_url IS NOT NULL))`

    const ofTransactions = (filter: CardTransactionFilter): ReadonlyArray<Statement.Fragment> => [
      ...when(filter.cardId, (id) => sql`card_id = ${id}`),
      ...when(filter.userId, (id) => sql`user_id = ${id}`),
      ...when(filter.statuses, (some) => sql`status = ANY (${[...some]}::text[])`),
      ...when(filter.merchant, (merchant) => sql`merchant ILIKE ${containing(merchant)}`),
      ...when(
        filter.categories,
        (some) => sql`lower(category) IN (SELECT lower(named) FROM unnest(${[...some]}::text[]) AS named)`
      ),
      ...when(filter.from, (from) => sql`at >= ${new Date(from)}`),
      ...when(filter.before, (before) => sql`at < ${new Date(before)}`),
      ...when(filter.minBaseMinor, (minor) => sql`base_minor >= ${minor}`),
      ...when(filter.maxBaseMinor, (minor) => sql`base_minor <= ${minor}`),
      ...when(filter.missingReceipt, (isMissing) => (isMissing ? missingReceipt : sql`NOT ${missingReceipt}`))
    ]

    return CardStore.of({
      find: Effect.fn("PgCardStore.find")(function* (id, since, reach) {
        const [card] = yield* cards([...(yield* scope(reach)), sql`id = ${id}`], since, 1)
        return card
      }, within),
      list: Effect.fn("PgCardStore.list")(function* (filter, since, reach, page) {
        const after = when(page.after, (id) => sql`id < ${id}`)
        const conditions = [...(yield* scope(reach)), ...ofCards(filter), ...after]
        return pageOf(yield* cards(conditions, since, page.limit + 1), page)
      }, within),
      findTransaction: Effect.fn("PgCardStore.findTransaction")(function* (id, reach) {
        const [transaction] = yield* transactions([...(yield* scope(reach)), sql`id = ${id}`], 1)
        return transaction
      }, within),
      transactions: Effect.fn("PgCardStore.transactions")(function* (filter, reach, page) {
        const after = when(page.after, (id) => sql`id < ${id}`)
        const conditions = [...(yield* scope(reach)), ...ofTransactions(filter), ...after]
        return pageOf(yield* transactions(conditions, page.limit + 1), page)
      }, within)
    })
  })
)

const lookup = Layer.effect(
  CardTransactionLookup,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const scope = yield* makeScope
    return CardTransactionLookup.of({
      exists: Effect.fn("PgCardStore.exists")(function* (id, reach) {
        const conditions = [...(yield* scope(reach)), sql`id = ${id}`]
        const found = yield* sql`SELECT FROM card_transactions WHERE ${sql.and(conditions)}`
        return found.length === 1
      }, within)
    })
  })
)

/** Issued cards and their transactions in PostgreSQL. */
export const layer = Layer.merge(store, lookup)
