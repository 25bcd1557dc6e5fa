import type { Card } from "@sarraf/domain/cards/Card"
import { type CardTransaction, type DeclineReason, spendingStatuses } from "@sarraf/domain/cards/CardTransaction"
import { fromDecimal, type Money } from "@sarraf/domain/money/Money"
import type { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Result } from "effect"
import type { DemoCalendar } from "./DemoCalendar.ts"
import { blockedMccs, type DemoCard, misuses } from "./DemoCards.ts"
import { demoId } from "./DemoId.ts"
import type { DemoMerchant } from "./DemoMerchants.ts"
import { boughtOn, type DemoPurchase, drawPurchase } from "./DemoPurchase.ts"
import { type DemoRandom, makeDemoRandom } from "./DemoRandom.ts"

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis
/** A payment is cleared after a day at the soonest, and after three. */
const clearingHoursMin = 20
const clearingHoursMax = 72
/** So many payments are made in the last hours: all of them less than `clearingHoursMin` ago. */
const latestMax = 6

/** By what is bought (ISO 18245). */
const mccOf: Readonly<Record<string, string>> = {
  Meals: "5812",
  Taxi: "4121",
  Transport: "4111",
  Fuel: "5541",
  "Office supplies": "5943",
  Hardware: "5732",
  Telecom: "4814",
  Training: "5942",
  Travel: "4511",
  Hotel: "7011",
  Software: "5734",
  Marketing: "7311"
}

/** In the currency at the rate of the day; undefined where there is none. */
export type DemoConversion = (money: Money, currency: string, date: CalendarDate) => Money | undefined

/** What cards are used for in an organization's year. */
export interface DemoCardPlan {
  readonly seed: number
  readonly baseCurrency: string
  readonly cards: ReadonlyArray<DemoCard>
  readonly purchases: ReadonlyArray<DemoPurchase>
  readonly merchants: ReadonlyArray<DemoMerchant>
  /** So many that no card was meant for. */
  readonly misuses: number
}

/** Somebody holds out a card. */
interface Attempt extends Pick<CardTransaction, "amount" | "merchant" | "mcc" | "category"> {
  readonly card: DemoCard
  readonly at: Instant
  /** The purchase that an expense is entered for. */
  readonly purchase: DemoPurchase | undefined
  /** It is given back. */
  readonly isReversed: boolean
}

const moneyOf = (currency: string, decimal: string): Money => Result.getOrThrow(fromDecimal(currency, decimal))

const wholeUnits = (currency: string, units: number): bigint => moneyOf(currency, String(units)).minor

const isMeantFor = (card: DemoCard, { category, name }: DemoMerchant): boolean =>
  (card.merchants.length === 0 || card.merchants.includes(name)) && !card.blockedCategories.includes(category)

const isThere = (calendar: DemoCalendar, { end, issuedOn }: DemoCard, at: Instant): boolean =>
  at >= calendar.startOf(issuedOn) && (end?.status !== "CLOSED" || at < calendar.startOf(end.on))

/** Most of what holders buy, they pay with the first of their cards that is meant for it. */
const attemptsOfPurchases = (
  { cards, purchases }: DemoCardPlan,
  calendar: DemoCalendar,
  random: DemoRandom
): ReadonlyArray<Attempt> =>
  purchases.flatMap((purchase) => {
    const { amount, enteredAfterHours, merchant, userId } = purchase
    const isPaidByCard = random.chance(86)
    const minutes = random.between(0, 59)
    const hours = Math.min(random.between(8, 20), enteredAfterHours - 1)
    const at = boughtOn(calendar, purchase) + hours * hourMillis + minutes * 60_000
    const card = cards.find((one) => one.userId === userId && isMeantFor(one, merchant) && isThere(calendar, one, at))
    if (card === undefined || !isPaidByCard) return []
    const category = merchant.category
    const mcc = mccOf[category] ?? "5999"
    const paid = moneyOf(merchant.currency, amount)
    return [{ card, at, amount: paid, merchant: merchant.name, mcc, category, purchase, isReversed: false }]
  })

/** What nobody entered an expense for; a part of it is given back. */
const forgottenAttempts = (
  { cards, merchants }: DemoCardPlan,
  calendar: DemoCalendar,
  random: DemoRandom
): ReadonlyArray<Attempt> =>
  cards.flatMap((card) => {
    const [first, ...others] = merchants.filter(
      (merchant) => isMeantFor(card, merchant) && merchant.currency === card.currency && merchant.weight > 0
    )
    if (first === undefined) return []
    return Array.from({ length: card.forgotten }, () => {
      const last = card.end?.on.month ?? 11
      const month = Math.min(random.between(card.issuedOn.month, last), random.between(card.issuedOn.month, 11))
      const merchant = random.one([first, ...others])
      const purchase = drawPurchase(
        { userId: card.userId, merchant, on: { month, day: random.between(1, 28) } },
        random
      )
      const at = boughtOn(calendar, purchase) + random.between(8, 20) * hourMillis + random.between(0, 3_599) * 1_000
      return {
        card,
        at,
        amount: moneyOf(merchant.currency, purchase.amount),
        merchant: merchant.name,
        mcc: mccOf[merchant.category] ?? "5999",
        category: merchant.category,
        purchase: undefined,
        isReversed: random.chance(24)
      }
    })
  })

/** What was paid in the last hours, which is not cleared yet: one payment each with some of the cards in use. */
const latestAttempts = ({ cards, merchants }: DemoCardPlan, now: Instant, random: DemoRandom): ReadonlyArray<Attempt> =>
  cards
    .filter(({ end, merchants: allowed }) => end === undefined && allowed.length === 0)
    .slice(0, latestMax)
    .flatMap((card, index) => {
      const merchant = merchants.find(
        (one) => one.weight > 0 && one.currency === card.currency && isMeantFor(card, one)
      )
      if (merchant === undefined) return []
      const amount = moneyOf(merchant.currency, String(random.between(merchant.least, merchant.most)))
      const { category, name } = merchant
      const at = now - (2 + 3 * index) * hourMillis - random.between(0, 3_599) * 1_000
      const mcc = mccOf[category] ?? "5999"
      return [{ card, at, amount, merchant: name, mcc, category, purchase: undefined, isReversed: false }]
    })

const misusedAttempts = (
  { cards, misuses: count }: DemoCardPlan,
  calendar: DemoCalendar,
  random: DemoRandom
): ReadonlyArray<Attempt> => {
  const [first, ...others] = cards
  if (first === undefined) return []
  return Array.from({ length: count }, () => {
    const { amount, currency, ...rest } = random.one(misuses)
    const card = random.one([first, ...others])
    const day = { month: random.between(card.issuedOn.month, 11), day: random.between(1, 28) }
    const at = calendar.startOf(day) + random.between(9, 23) * hourMillis + random.between(0, 3_599) * 1_000
    return { ...rest, card, at, amount: moneyOf(currency, String(amount)), purchase: undefined, isReversed: false }
  })
}

/** What a card has paid, by the bounds that count it. */
interface Paid {
  day: bigint
  month: bigint
  total: bigint
  date: CalendarDate
}

const exceeds = (card: DemoCard, paid: bigint, limit: number | null): boolean =>
  limit !== null && paid > wholeUnits(card.currency, limit)

const declineReason = (
  { at, card, category, mcc, merchant }: Attempt,
  billed: bigint,
  paid: Paid,
  calendar: DemoCalendar
): DeclineReason | null => {
  const [perTransaction, perDay, perMonth, total] = card.limits
  if (card.end !== undefined && at >= calendar.startOf(card.end.on)) {
    return card.end.status === "FROZEN" ? "CARD_FROZEN" : "CARD_CLOSED"
  }
  if (card.merchants.length > 0 && !card.merchants.includes(merchant)) return "MERCHANT_NOT_ALLOWED"
  if ((blockedMccs as ReadonlyArray<string>).includes(mcc)) return "CATEGORY_BLOCKED"
  if (category !== null && card.blockedCategories.includes(category)) return "CATEGORY_BLOCKED"
  if (exceeds(card, billed, perTransaction)) return "LIMIT_PER_TRANSACTION"
  if (exceeds(card, paid.day + billed, perDay)) return "LIMIT_PER_DAY"
  if (exceeds(card, paid.month + billed, perMonth)) return "LIMIT_PER_MONTH"
  return exceeds(card, paid.total + billed, total) ? "LIMIT_TOTAL" : null
}

/** What the card has paid, as the new day and the new month begin with nothing. */
const turned = (paid: Paid | undefined, date: CalendarDate): Paid => ({
  day: paid?.date === date ? paid.day : 0n,
  month: paid?.date.slice(0, 7) === date.slice(0, 7) ? paid.month : 0n,
  total: paid?.total ?? 0n,
  date
})

/** The attempt with its transaction's id, and when it is settled if it is let through. */
const numbered = (random: DemoRandom) => (attempt: Attempt) => ({
  ...attempt,
  id: demoId("ctx", attempt.at, random),
  settledAt: attempt.at + random.between(clearingHoursMin, clearingHoursMax) * hourMillis
})

export interface DemoCardUse {
  readonly transactions: ReadonlyArray<CardTransaction>
  /** The purchases that a card paid, and the transaction's id. */
  readonly paidBy: ReadonlyMap<DemoPurchase, string>
}

/** The year of an organization's cards until now: each payment is let through or declined by what was paid before it. */
export const useCards = (
  plan: DemoCardPlan,
  calendar: DemoCalendar,
  now: Instant,
  convert: DemoConversion
): DemoCardUse => {
  const random = makeDemoRandom(plan.seed)
  // Drawn before the present counts, so that an earlier start of a month has the beginning of a later one's year.
  const ofYear = [
    ...attemptsOfPurchases(plan, calendar, random),
    ...forgottenAttempts(plan, calendar, random),
    ...misusedAttempts(plan, calendar, random)
  ].map(numbered(random))
  const latest = latestAttempts(plan, now, random).map(numbered(random))
  const attempts = [...ofYear.sort((one, other) => one.at - other.at), ...latest]
  const paidWith = new Map<string, Paid>()
  const paidBy = new Map<DemoPurchase, string>()
  const transactions = attempts.flatMap((attempt): ReadonlyArray<CardTransaction> => {
    const { amount, at, card, category, id, isReversed, mcc, merchant, purchase, settledAt } = attempt
    const date = calendar.dateOf(at)
    const billed = convert(amount, card.currency, date)
    if (at > now || billed === undefined) return []
    const paid = turned(paidWith.get(card.id), date)
    const reason = declineReason(attempt, billed.minor, paid, calendar)
    const isSettled = settledAt <= now
    const status = reason !== null ? "DECLINED" : !isSettled ? "PENDING" : isReversed ? "REVERSED" : "CLEARED"
    if (spendingStatuses.includes(status)) {
      const { day, month, total } = paid
      const sums = { day: day + billed.minor, month: month + billed.minor, total: total + billed.minor, date }
      paidWith.set(card.id, sums)
      if (purchase !== undefined) paidBy.set(purchase, id)
    }
    const changedAt = reason === null && isSettled ? settledAt : at
    return [
      {
        id,
        version: changedAt === at ? 1 : 2,
        cardId: card.id,
        userId: card.userId,
        status,
        amount,
        billed,
        base: convert(amount, plan.baseCurrency, date) ?? null,
        merchant,
        mcc,
        category,
        declineReason: reason,
        expenseId: null,
        hasReceipt: false,
        at,
        clearedAt: status === "CLEARED" ? settledAt : null,
        createdAt: at,
        updatedAt: changedAt
      }
    ]
  })
  return { transactions, paidBy }
}

const minorOrNull = (currency: string, units: number | null): bigint | null =>
  units === null ? null : wholeUnits(currency, units)

/** A card as it is now; what it has spent is what its transactions add up to. */
export const cardNow = (
  card: DemoCard,
  transactions: ReadonlyArray<CardTransaction>,
  calendar: DemoCalendar,
  now: Instant
): Card => {
  const issuedAt = calendar.startOf(card.issuedOn) + 9 * hourMillis
  const endedAt = card.end === undefined ? undefined : calendar.startOf(card.end.on)
  const end = endedAt !== undefined && endedAt <= now ? card.end : undefined
  const today = calendar.dateOf(now)
  const counted = transactions.filter(({ cardId, status }) => cardId === card.id && spendingStatuses.includes(status))
  const sumOf = (prefix: string) =>
    counted
      .filter(({ at }) => calendar.dateOf(at).startsWith(prefix))
      .reduce((sum, { billed }) => sum + billed.minor, 0n)
  const [perTransaction, perDay, perMonth, total] = card.limits.map((limit) => minorOrNull(card.currency, limit))
  return {
    id: card.id,
    version: end === undefined ? 1 : 2,
    status: end?.status ?? "ACTIVE",
    userId: card.userId,
    name: card.name,
    brand: card.brand,
    last4: card.last4,
    currency: card.currency,
    limits: {
      perTransaction: perTransaction ?? null,
      perDay: perDay ?? null,
      perMonth: perMonth ?? null,
      total: total ?? null
    },
    spend: { today: sumOf(today), month: sumOf(today.slice(0, 7)), total: sumOf("") },
    allowedMerchants: card.merchants,
    blockedMccs,
    blockedCategories: card.blockedCategories,
    validFrom: calendar.dateOf(issuedAt),
    validUntil: calendar.dateOf(issuedAt + 3 * 365 * dayMillis),
    autoLockDays: card.autoLockDays,
    frozenReason: end?.status === "FROZEN" ? end.reason : null,
    frozenAt: end?.status === "FROZEN" ? (endedAt ?? null) : null,
    closedAt: end?.status === "CLOSED" ? (endedAt ?? null) : null,
    createdAt: issuedAt,
    updatedAt: end === undefined ? issuedAt : (endedAt ?? issuedAt)
  }
}
