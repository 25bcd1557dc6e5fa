import type { CardBrand } from "@sarraf/domain/cards/Card"
import type { DemoDay } from "./DemoCalendar.ts"
import { persons } from "./DemoPeople.ts"

/** A card of the sandbox, and how it is used. */
export interface DemoCard {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly brand: CardBrand
  readonly last4: string
  readonly currency: string
  /** In whole units of the currency: a transaction, a day, a month, altogether; null: no limit. */
  readonly limits: readonly [
    perTransaction: number | null,
    perDay: number | null,
    perMonth: number | null,
    total: number | null
  ]
  /** The only merchants it pays; empty: every one. */
  readonly merchants: ReadonlyArray<string>
  readonly blockedCategories: ReadonlyArray<string>
  readonly issuedOn: DemoDay
  readonly autoLockDays: number | null
  /** How it was frozen or closed, if it was. */
  readonly end: { readonly status: "FROZEN" | "CLOSED"; readonly on: DemoDay; readonly reason: string } | undefined
  /** So many payments a year for which nobody has entered an expense. */
  readonly forgotten: number
}

/** What no card of the sandbox pays: cash, gambling, jewellery (ISO 18245). */
export const blockedMccs = ["6011", "7995", "5944"] as const

const id = (number: number) => `card_01kd8z0000e0080000000000${String(number).padStart(2, "0")}`

const firstDay = { month: 0, day: 1 }

const card = (
  number: number,
  holder: Pick<DemoCard, "userId" | "name" | "last4">,
  money: Pick<DemoCard, "currency" | "limits">,
  rest: Partial<DemoCard> = {}
): DemoCard => ({
  id: id(number),
  brand: number % 3 === 0 ? "MASTERCARD" : "VISA",
  merchants: [],
  blockedCategories: [],
  issuedOn: firstDay,
  autoLockDays: null,
  end: undefined,
  forgotten: 15,
  ...holder,
  ...money,
  ...rest
})

/** Of two cards of one person, the one for certain merchants comes first. */
export const sandboxCards: ReadonlyArray<DemoCard> = [
  card(
    1,
    { userId: persons.deniz, name: "Cloud and tools", last4: "4417" },
    { currency: "USD", limits: [2_500, 3_000, 5_000, null] },
    { merchants: ["Amazon Web Services", "GitHub"], forgotten: 0 }
  ),
  card(
    2,
    { userId: persons.burak, name: "Servers and licences", last4: "0926" },
    { currency: "EUR", limits: [400, 400, 900, null] },
    { merchants: ["Hetzner", "JetBrains"], forgotten: 0 }
  ),
  card(
    3,
    { userId: persons.ozan, name: "Design and advertising", last4: "7731" },
    { currency: "USD", limits: [2_600, 3_000, 3_500, 30_000] },
    {
      merchants: ["Figma", "Google Ads"],
      forgotten: 0,
      end: {
        status: "FROZEN",
        on: { month: 10, day: 9 },
        reason: "Advertising is paused until the budget of the next quarter is approved."
      }
    }
  ),
  card(
    4,
    { userId: persons.leyla, name: "Mobile phones", last4: "5560" },
    { currency: "TRY", limits: [2_000, 2_000, 4_000, null] },
    { merchants: ["Turkcell"], forgotten: 0 }
  ),
  card(
    5,
    { userId: persons.leyla, name: "Dubai office", last4: "8203" },
    { currency: "AED", limits: [4_000, 6_000, 12_000, null] },
    { autoLockDays: 30, forgotten: 16 }
  ),
  card(
    6,
    { userId: persons.james, name: "London", last4: "1194" },
    { currency: "GBP", limits: [700, 900, 2_500, null] },
    { autoLockDays: 30, forgotten: 16 }
  ),
  card(
    7,
    { userId: persons.katrin, name: "Berlin", last4: "6048" },
    { currency: "EUR", limits: [500, 600, 1_500, null] },
    { forgotten: 10, end: { status: "CLOSED", on: { month: 8, day: 20 }, reason: "Katrin Vogel has left." } }
  ),
  card(
    8,
    { userId: persons.can, name: "Fair in Dubai", last4: "3375" },
    { currency: "AED", limits: [6_000, null, null, 12_000] },
    {
      merchants: ["Careem", "Al Mallah", "Rove Downtown", "Carrefour Deira", "ENOC"],
      issuedOn: { month: 2, day: 1 },
      forgotten: 3,
      end: { status: "CLOSED", on: { month: 3, day: 1 }, reason: "The fair is over." }
    }
  ),
  card(
    9,
    { userId: persons.can, name: "Sales, day to day", last4: "2710" },
    { currency: "TRY", limits: [15_000, 18_000, 26_000, null] },
    { autoLockDays: 45, forgotten: 21 }
  ),
  card(
    10,
    { userId: persons.zeynep, name: "Sales management", last4: "9052" },
    { currency: "TRY", limits: [40_000, 50_000, 150_000, null] },
    { forgotten: 18 }
  ),
  card(
    11,
    { userId: persons.mert, name: "Finance", last4: "4486" },
    { currency: "TRY", limits: [30_000, 30_000, 80_000, null] },
    { blockedCategories: ["Marketing"], forgotten: 14 }
  ),
  card(
    12,
    { userId: persons.elif, name: "Management", last4: "0138" },
    { currency: "TRY", limits: [60_000, 100_000, 250_000, null] },
    { forgotten: 14 }
  ),
  card(
    13,
    { userId: persons.burak, name: "Engineering, day to day", last4: "6631" },
    { currency: "TRY", limits: [20_000, 25_000, 60_000, null] },
    { forgotten: 16 }
  ),
  card(
    14,
    { userId: persons.ayse, name: "Engineering, equipment", last4: "7209" },
    { currency: "TRY", limits: [45_000, 50_000, 90_000, null] },
    {
      autoLockDays: 14,
      forgotten: 20,
      end: { status: "FROZEN", on: { month: 10, day: 18 }, reason: "Receipts have been missing for 14 days." }
    }
  ),
  card(
    15,
    { userId: persons.ozan, name: "Marketing, day to day", last4: "3894" },
    { currency: "TRY", limits: [25_000, 30_000, 70_000, null] },
    { blockedCategories: ["Fuel"], forgotten: 16 }
  )
]

/** Those of the second sandbox. */
export const otherCards: ReadonlyArray<DemoCard> = [
  card(
    91,
    { userId: persons.grace, name: "Studio", last4: "5127" },
    { currency: "USD", limits: [3_000, null, 6_000, null] },
    { issuedOn: { month: 5, day: 1 }, forgotten: 6 }
  ),
  card(
    92,
    { userId: persons.tom, name: "Shoots", last4: "8846" },
    { currency: "USD", limits: [500, 800, 2_000, null] },
    {
      issuedOn: { month: 5, day: 1 },
      forgotten: 8,
      end: { status: "FROZEN", on: { month: 10, day: 12 }, reason: "Lost with the laptop." }
    }
  )
]

/** Payments that cards were tried for and that none of them was meant for. */
export interface DemoMisuse {
  readonly merchant: string
  readonly mcc: string
  readonly category: string
  readonly currency: string
  /** In whole units. */
  readonly amount: number
}

export const misuses: readonly [DemoMisuse, ...Array<DemoMisuse>] = [
  { merchant: "Garanti BBVA ATM", mcc: "6011", category: "Cash", currency: "TRY", amount: 4_000 },
  { merchant: "Altınbaş Kuyumculuk", mcc: "5944", category: "Jewellery", currency: "TRY", amount: 18_450 },
  { merchant: "Nesine", mcc: "7995", category: "Gambling", currency: "TRY", amount: 500 },
  { merchant: "Emirates NBD ATM", mcc: "6011", category: "Cash", currency: "AED", amount: 1_000 },
  { merchant: "Media Markt", mcc: "5732", category: "Hardware", currency: "TRY", amount: 74_990 },
  { merchant: "Apple Store Zorlu", mcc: "5732", category: "Hardware", currency: "TRY", amount: 89_999 }
]
