import { assert, layer } from "@effect/vitest"
import * as PgCardStore from "@sarraf/adapters/postgres/cards/PgCardStore"
import { makeDemoRandom } from "@sarraf/adapters/postgres/demo/DemoRandom"
import * as PgExpenseStore from "@sarraf/adapters/postgres/expenses/PgExpenseStore"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { cardStatuses } from "@sarraf/domain/cards/CardStatus"
import { type CardFilter, CardStore, type CardTransactionFilter } from "@sarraf/domain/cards/CardStore"
import { type CardTransaction, cardTransactionStatuses, spendingStatuses } from "@sarraf/domain/cards/CardTransaction"
import { CardTransactionLookup } from "@sarraf/domain/cards/CardTransactionLookup"
import { ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Money } from "@sarraf/domain/money/Money"
import { Effect, Layer, Schema } from "effect"
import {
  as,
  callerOf,
  cardIn,
  noon,
  sampleCard,
  sampleTransaction,
  transactionIn
} from "../../../domain/cards/support/SampleProcurement.ts"
import { sampleExpense } from "../../../domain/expenses/support/SampleExpense.ts"
import * as Database from "../../../support/Database.ts"
import { layerPostgres } from "../support/Arrangement.ts"
import { drawn, everyId, idsWhere, insertProcurement, organization } from "../support/Procurement.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgExpenseStore.layer, PgCardStore.layer, layerPostgres).pipe(
  Layer.provideMerge(Database.layer)
)

const hourMillis = 3_600_000
const since = { day: noon - 12 * hourMillis, month: noon - 13 * 24 * hourMillis }
const minorAt = (step: number) => BigInt(step) * 500n
const timeAt = (step: number) => noon - step * 12 * hourMillis

const users = ["usr_a", "usr_b", "usr_c"] as const
const merchants = ["Pegasus", "PEGASUS HAVA", "100% Kahve", "100 Kahve", "A_B", "AXB"] as const
const categories = ["Travel", "Meals", null] as const
const random = makeDemoRandom(71)

const cards = Array.from({ length: 12 }, (_, number) =>
  sampleCard({
    ...cardIn[drawn(random, cardStatuses)],
    id: `card_${String(number).padStart(4, "0")}`,
    userId: random.one(users)
  })
)

const transactions: ReadonlyArray<CardTransaction> = Array.from({ length: 160 }, (_, number) => {
  const card = cards[random.between(0, cards.length - 2)] ?? sampleCard()
  const minor = minorAt(random.between(0, 40))
  return sampleTransaction({
    ...transactionIn[drawn(random, cardTransactionStatuses)],
    id: `ctx_${String(number).padStart(4, "0")}`,
    cardId: card.id,
    userId: card.userId,
    merchant: random.one(merchants),
    category: random.one(categories),
    at: timeAt(random.between(0, 40)),
    billed: new Money({ currency: "TRY", minor }),
    base: random.chance(10) ? null : new Money({ currency: "TRY", minor })
  })
})

/** Expenses that name transactions: some with a receipt, some twice. */
const expenses = transactions.flatMap(({ id }, number) => {
  if (number % 3 === 0) return []
  const receiptUrl = number % 2 === 0 ? "https://example.com/r" : null
  const one = sampleExpense({ id: `exp_${id}_1`, cardTransactionId: id, receiptUrl: null })
  return [one, sampleExpense({ id: `exp_${id}_2`, cardTransactionId: id, receiptUrl })]
})

const hasReceipt = ({ id }: CardTransaction) =>
  expenses.some(({ cardTransactionId, receiptUrl }) => cardTransactionId === id && receiptUrl !== null)

const isMissing = (transaction: CardTransaction) =>
  spendingStatuses.includes(transaction.status) && !hasReceipt(transaction)

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())

const fits = (filter: CardTransactionFilter) => (row: CardTransaction) =>
  (filter.cardId === undefined || row.cardId === filter.cardId) &&
  (filter.userId === undefined || row.userId === filter.userId) &&
  (filter.statuses === undefined || filter.statuses.includes(row.status)) &&
  (filter.merchant === undefined || contains(row.merchant, filter.merchant)) &&
  (filter.categories === undefined || (row.category !== null && filter.categories.includes(row.category))) &&
  (filter.from === undefined || row.at >= filter.from) &&
  (filter.before === undefined || row.at < filter.before) &&
  (filter.minBaseMinor === undefined || (row.base !== null && row.base.minor >= filter.minBaseMinor)) &&
  (filter.maxBaseMinor === undefined || (row.base !== null && row.base.minor <= filter.maxBaseMinor)) &&
  (filter.missingReceipt === undefined || isMissing(row) === filter.missingReceipt)

/** Bounds lie where rows do, so that it counts whether they are included. */
const Step = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
const TransactionFilter = Schema.Struct({
  cardId: Schema.optionalKey(Schema.Literals(["card_0000", "card_0001", "card_0011", "card_x"])),
  userId: Schema.optionalKey(Schema.Literals(users)),
  statuses: Schema.optionalKey(Schema.Array(Schema.Literals(cardTransactionStatuses))),
  merchant: Schema.optionalKey(Schema.Literals(["pegasus", "0%", "A_B", "kahve"])),
  categories: Schema.optionalKey(Schema.Array(Schema.Literals(["Travel", "Meals", "None"]))),
  fromStep: Schema.optionalKey(Step),
  beforeStep: Schema.optionalKey(Step),
  minStep: Schema.optionalKey(Step),
  maxStep: Schema.optionalKey(Step),
  missingReceipt: Schema.optionalKey(Schema.Boolean)
})

const filterOf = ({
  beforeStep,
  fromStep,
  maxStep,
  minStep,
  ...rest
}: typeof TransactionFilter.Type): CardTransactionFilter => ({
  ...rest,
  ...(fromStep === undefined ? {} : { from: timeAt(fromStep) }),
  ...(beforeStep === undefined ? {} : { before: timeAt(beforeStep) }),
  ...(minStep === undefined ? {} : { minBaseMinor: minorAt(minStep) }),
  ...(maxStep === undefined ? {} : { maxBaseMinor: minorAt(maxStep) })
})

const sumOf = (some: ReadonlyArray<CardTransaction>) => some.reduce((sum, { billed }) => sum + billed.minor, 0n)

layer(stores)("Cards in PostgreSQL", (it) => {
  const owner = as(callerOf("org_cards", "usr_a"))

  it.effect("are read as they were written, with what their transactions add up to", () =>
    Effect.gen(function* () {
      yield* organization("cards")
      yield* insertProcurement("org_cards", { cards, transactions })
      const expenseStore = yield* ExpenseStore
      yield* owner(Effect.forEach(expenses, (expense) => expenseStore.insert(expense), { discard: true }))
      const store = yield* CardStore
      for (const card of cards) {
        const counted = transactions.filter(
          ({ cardId, status }) => cardId === card.id && spendingStatuses.includes(status)
        )
        const spend = {
          today: sumOf(counted.filter(({ at }) => at >= since.day)),
          month: sumOf(counted.filter(({ at }) => at >= since.month)),
          total: sumOf(counted)
        }
        assert.deepStrictEqual(yield* owner(store.find(card.id, since, "all")), { ...card, spend })
      }
      for (const transaction of transactions) {
        const named = expenses.filter(({ cardTransactionId }) => cardTransactionId === transaction.id)
        assert.deepStrictEqual(yield* owner(store.findTransaction(transaction.id, "all")), {
          ...transaction,
          expenseId: named[0]?.id ?? null,
          hasReceipt: hasReceipt(transaction)
        })
      }
      assert.isUndefined(yield* owner(store.find("card_x", since, "all")))
      assert.isUndefined(yield* owner(store.findTransaction("ctx_x", "all")))
    })
  )

  it.effect.prop(
    "are listed by every filter as a reader of all of them would list them",
    [TransactionFilter],
    ([asked]) =>
      Effect.gen(function* () {
        const store = yield* CardStore
        const filter = filterOf(asked)
        const ids = yield* owner(everyId((page) => store.transactions(filter, "all", page), 50))
        assert.deepStrictEqual(ids, idsWhere(transactions, fits(filter)))
      })
  )

  it.effect("are listed by holder and state", () =>
    Effect.gen(function* () {
      const store = yield* CardStore
      const filters: ReadonlyArray<CardFilter> = [
        {},
        { userId: "usr_b" },
        { userId: "usr_x" },
        { statuses: [] },
        { statuses: ["FROZEN", "CLOSED"] },
        { statuses: ["ACTIVE"], userId: "usr_a" }
      ]
      for (const filter of filters) {
        const ids = yield* owner(everyId((page) => store.list(filter, since, "all", page), 50))
        const fitting = idsWhere(
          cards,
          ({ status, userId }) =>
            (filter.userId ?? userId) === userId && (filter.statuses === undefined || filter.statuses.includes(status))
        )
        assert.deepStrictEqual(ids, fitting)
      }
    })
  )

  it.effect("are their holder's alone where no more is within reach, and a key holds none", () =>
    Effect.gen(function* () {
      const [store, lookup] = [yield* CardStore, yield* CardTransactionLookup]
      for (const userId of [...users, null]) {
        const reader = as(callerOf("org_cards", userId, "MEMBER"))
        const ownCards = idsWhere(cards, (card) => card.userId === userId)
        const own = idsWhere(transactions, (transaction) => transaction.userId === userId)
        assert.deepStrictEqual(yield* reader(everyId((page) => store.list({}, since, "own", page))), ownCards)
        assert.deepStrictEqual(yield* reader(everyId((page) => store.transactions({}, "own", page))), own)
        for (const { id } of transactions.slice(0, 20)) {
          assert.strictEqual(yield* reader(lookup.exists(id, "own")), own.includes(id))
          assert.strictEqual(
            (yield* reader(store.findTransaction(id, "own")))?.id,
            own.find((one) => one === id)
          )
        }
        for (const { id } of cards) {
          assert.strictEqual(
            (yield* reader(store.find(id, since, "own")))?.id,
            ownCards.find((one) => one === id)
          )
        }
      }
      assert.isTrue(yield* owner(lookup.exists("ctx_0001", "all")))
      assert.isFalse(yield* owner(lookup.exists("ctx_x", "all")))
    })
  )

  it.effect("keep their place in a list to which rows are added meanwhile", () =>
    Effect.gen(function* () {
      const id = yield* organization("growing")
      const reader = as(callerOf(id, "usr_a"))
      const store = yield* CardStore
      const numbered = (number: number) => sampleTransaction({ id: `ctx_${number}` })
      yield* insertProcurement(id, { cards: [sampleCard()], transactions: [11, 12, 13, 14].map(numbered) })
      const first = yield* reader(store.transactions({}, "all", { limit: 2, after: undefined }))
      assert.deepStrictEqual([first.items.map((one) => one.id), first.hasMore], [["ctx_14", "ctx_13"], true])
      yield* insertProcurement(id, { transactions: [15, 16].map(numbered) })
      const second = yield* reader(store.transactions({}, "all", { limit: 2, after: "ctx_13" }))
      assert.deepStrictEqual([second.items.map((one) => one.id), second.hasMore], [["ctx_12", "ctx_11"], false])
    })
  )

  it.effect("belong to one organization: another one finds none of them", () =>
    Effect.gen(function* () {
      const id = yield* organization("stranger")
      const [store, lookup] = [yield* CardStore, yield* CardTransactionLookup]
      const stranger = as(callerOf(id, "usr_a"))
      assert.deepStrictEqual(yield* stranger(everyId((page) => store.list({}, since, "all", page))), [])
      assert.deepStrictEqual(yield* stranger(everyId((page) => store.transactions({}, "all", page))), [])
      assert.isUndefined(yield* stranger(store.find("card_0001", since, "all")))
      assert.isUndefined(yield* stranger(store.findTransaction("ctx_0001", "all")))
      assert.isFalse(yield* stranger(lookup.exists("ctx_0001", "all")))
    })
  )
})
