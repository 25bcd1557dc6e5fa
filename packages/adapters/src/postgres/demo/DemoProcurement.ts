import type { Bill } from "@sarraf/domain/bills/Bill"
import { committedStatuses } from "@sarraf/domain/bills/BillStatus"
import { convert } from "@sarraf/domain/money/Conversion"
import type { ExchangeRate } from "@sarraf/domain/money/ExchangeRates"
import { fromDecimal } from "@sarraf/domain/money/Money"
import { ratesOf } from "@sarraf/domain/money/RateLookup"
import type { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import type { Instant } from "@sarraf/domain/time/Instant"
import type { Vendor } from "@sarraf/domain/vendors/Vendor"
import { Result } from "effect"
import type { ExpenseSideMemory } from "../../memory/ExpenseSideMemory.ts"
import { heldOn, operator } from "../../memory/MemoryExchangeRates.ts"
import { type DemoBillPlan, makeBills, sandboxFates } from "./DemoBills.ts"
import type { DemoCalendar } from "./DemoCalendar.ts"
import { otherCards, sandboxCards } from "./DemoCards.ts"
import { cardNow, type DemoCardPlan, type DemoCardUse, type DemoConversion, useCards } from "./DemoCardUse.ts"
import { demoMerchants, otherMerchants } from "./DemoMerchants.ts"
import { demoCurrencies, otherSandbox, persons, sandbox } from "./DemoPeople.ts"
import type { DemoPurchase } from "./DemoPurchase.ts"
import { type DemoVendor, otherVendors, sandboxVendors } from "./DemoVendors.ts"

type Memory = ExpenseSideMemory["Service"]
/** By organization. */
type CardUses = ReadonlyMap<string, DemoCardUse>

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

/** By the operator's quotations of the day, each looked up once. */
const conversionOf = (memory: Memory): DemoConversion => {
  const known = new Map<string, ExchangeRate | undefined>()
  const rateOn = (from: string, to: string, date: CalendarDate) => {
    const place = `${from} ${to} ${date}`
    if (!known.has(place)) known.set(place, ratesOf(heldOn(memory, operator, date), [from], to).get(from))
    return known.get(place)
  }
  return (money, currency, date) => {
    if (money.currency === currency) return money
    const rate = rateOn(money.currency, currency, date)
    return rate === undefined ? undefined : convert(money, rate, currency)
  }
}

const cardPlans: Readonly<Record<string, Omit<DemoCardPlan, "purchases">>> = {
  [sandbox]: {
    seed: 20_263,
    baseCurrency: demoCurrencies[sandbox],
    cards: sandboxCards,
    merchants: demoMerchants,
    misuses: 26
  },
  [otherSandbox]: {
    seed: 20_264,
    baseCurrency: demoCurrencies[otherSandbox],
    cards: otherCards,
    merchants: otherMerchants,
    misuses: 0
  }
}

/**
 * Lets the cards be used, before there are expenses: the transactions are in memory, so that expenses can name them.
 * The operator's quotations are there already.
 */
export const cardUses = (
  memory: Memory,
  years: ReadonlyArray<{ readonly organizationId: string; readonly purchases: ReadonlyArray<DemoPurchase> }>,
  calendar: DemoCalendar,
  now: Instant
): CardUses => {
  const conversion = conversionOf(memory)
  return new Map(
    years.flatMap(({ organizationId, purchases }) => {
      const plan = cardPlans[organizationId]
      if (plan === undefined) return []
      const use = useCards({ ...plan, purchases }, calendar, now, conversion)
      for (const transaction of use.transactions) {
        memory.cardTransactions.put(organizationId, transaction.id, transaction)
      }
      return [[organizationId, use] as const]
    })
  )
}

/** The cards as they are now, and in their transactions the expenses that were entered for them. */
export const addCards = (memory: Memory, uses: CardUses, calendar: DemoCalendar, now: Instant): void => {
  for (const [organizationId, { transactions }] of uses) {
    for (const card of cardPlans[organizationId]?.cards ?? []) {
      memory.cards.put(organizationId, card.id, cardNow(card, transactions, calendar, now))
    }
    for (const expense of memory.expenses.all(organizationId)) {
      const transaction = memory.cardTransactions.get(organizationId, expense.cardTransactionId ?? "")
      if (transaction === undefined) continue
      const hasReceipt = expense.receiptUrl !== null
      memory.cardTransactions.put(organizationId, transaction.id, { ...transaction, expenseId: expense.id, hasReceipt })
    }
  }
}

/** The vendors by their identifiers, in the order in which they were added. */
const identified = (vendors: ReadonlyArray<DemoVendor>, first: number): ReadonlyMap<string, DemoVendor> =>
  new Map(
    vendors.map((vendor, index) => [`vend_01kd8z0000e0080000000000${String(first + index).padStart(2, "0")}`, vendor])
  )

const user = (id: string) => `user:${id}`

const billPlans: Readonly<Record<string, DemoBillPlan>> = {
  [sandbox]: {
    seed: 20_265,
    baseCurrency: demoCurrencies[sandbox],
    enteredBy: [user(persons.leyla), user(persons.leyla), user(persons.can)],
    approvedBy: [user(persons.mert), user(persons.mert), user(persons.elif)],
    departmentId: "dep_01kd8z0000e0080000000000d5",
    vendors: identified(sandboxVendors, 1),
    fates: sandboxFates
  },
  [otherSandbox]: {
    seed: 20_266,
    baseCurrency: demoCurrencies[otherSandbox],
    enteredBy: [user(persons.tom)],
    approvedBy: [user(persons.emre)],
    departmentId: "dep_01kd8z0000e0080000000000d7",
    vendors: identified(otherVendors, 91),
    fates: { "Lens & Light 9": { until: "RECEIVED" } }
  }
}

/** The account that a demo vendor is paid to; undefined where none is known. */
export const demoAccount = (organizationId: string, vendorId: string): string | null =>
  billPlans[organizationId]?.vendors.get(vendorId)?.account ?? null

/** Of the bills of the last twelve months, as they are added up when a vendor is read. */
const spendOf = (bills: ReadonlyArray<Bill>, vendorId: string, currency: string): Vendor["spend"] => {
  const counted = bills.filter(({ base, status }) => base !== null && committedStatuses.includes(status))
  const sum = (some: ReadonlyArray<Bill>) => some.reduce((minor, { base }) => minor + (base?.minor ?? 0n), 0n)
  const own = counted.filter((bill) => bill.vendorId === vendorId)
  const [minor, everywhere] = [sum(own), sum(counted)]
  const sharePercent = everywhere === 0n ? 0 : Math.round((1_000 * Number(minor)) / Number(everywhere)) / 10
  return { minor, currency, bills: own.length, sharePercent }
}

const vendorOf = (
  id: string,
  vendor: DemoVendor,
  calendar: DemoCalendar,
  [now, createdAt]: readonly [Instant, Instant]
): Omit<Vendor, "spend"> => {
  const { account, contact, contracts, country, currency, risk } = vendor
  const [name, email, phone] = contact
  const inDays = (days: number) => calendar.dateOf(now + days * dayMillis)
  const inDaysOrNull = (days: number | null) => (days === null ? null : inDays(days))
  const score = risk.reduce((sum, { points }) => sum + points, 0)
  return {
    id,
    version: 1,
    status: vendor.status,
    name: vendor.name,
    legalName: vendor.legalName,
    country,
    category: vendor.category,
    contacts: [{ name, email, phone }],
    bankAccount: account === null ? null : { last4: account.slice(-4), country, currency },
    contracts: contracts.map(({ annual, endsInDays, noticeDays, renewsInDays, startsInDays, title }) => ({
      title,
      startsOn: inDays(startsInDays),
      endsOn: inDaysOrNull(endsInDays),
      renewsOn: inDaysOrNull(renewsInDays),
      noticeDays,
      annualMinor: annual === null ? null : Result.getOrThrow(fromDecimal(currency, String(annual))).minor,
      currency
    })),
    riskScore: Math.min(100, score),
    riskFactors: risk,
    createdAt,
    updatedAt: createdAt
  }
}

/** The vendors, and their bills of the year. */
export const addBillsAndVendors = (memory: Memory, calendar: DemoCalendar, now: Instant): void => {
  const conversion = conversionOf(memory)
  for (const [organizationId, plan] of Object.entries(billPlans)) {
    const bills = makeBills(plan, calendar, now, conversion)
    for (const bill of bills) memory.bills.put(organizationId, bill.id, bill)
    let createdAt = calendar.startOf({ month: 0, day: 1 }) + 9 * hourMillis
    for (const [id, vendor] of plan.vendors) {
      const spend = spendOf(bills, id, plan.baseCurrency)
      memory.vendors.put(organizationId, id, { ...vendorOf(id, vendor, calendar, [now, createdAt]), spend })
      createdAt += hourMillis
    }
  }
}
