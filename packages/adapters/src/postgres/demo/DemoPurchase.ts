import type { Instant } from "@sarraf/domain/time/Instant"
import type { DemoCalendar, DemoDay } from "./DemoCalendar.ts"
import type { DemoMerchant } from "./DemoMerchants.ts"
import type { DemoRandom } from "./DemoRandom.ts"

/**
 * What becomes of an expense. `draft`: it is never submitted. `waiting`: nobody decides it. `half`: its first step is
 * decided and no other. `withdrawn` and `reopened`: a draft again, for good or to be submitted once more.
 */
export type DemoFate = "draft" | "waiting" | "half" | "paid" | "approved" | "rejected" | "withdrawn" | "reopened"

/** Something that somebody bought, and what becomes of the expense. */
export interface DemoPurchase {
  readonly userId: string
  readonly merchant: DemoMerchant
  readonly on: DemoDay
  /** In whole units and hundredths of the currency; thousandths and none where it has those. */
  readonly amount: string
  readonly description: string
  readonly hasReceipt: boolean
  /** Also on a Saturday or a Sunday. */
  readonly onAnyDay: boolean
  readonly fate: DemoFate
  /** From the morning of the day on. */
  readonly enteredAfterHours: number
  readonly decidedAfterHours: number
  /** Which run of reimbursements after the decision pays it: 1 is the next one. */
  readonly paidInRun: number
  /** Chooses among those who may decide; from 0, below 1. */
  readonly draw: number
  /** Why it is rejected. */
  readonly reason: string
}

/** What of a purchase is not left to chance. */
export interface DemoOrder extends Partial<DemoPurchase> {
  readonly userId: string
  readonly merchant: DemoMerchant
  readonly on: DemoDay
}

const reasons = [
  "Private purchase.",
  "The receipt does not show the amount.",
  "Please book this through the travel desk.",
  "Above what we agreed on for the team event.",
  "Charged to the wrong cost centre: enter it for your own department."
] as const

const smallestOf: Readonly<Record<string, number>> = { JPY: 1, KWD: 0.05, TRY: 0.5 }

const amountOf = ({ currency, least, most }: DemoMerchant, random: DemoRandom): string => {
  const smallest = smallestOf[currency] ?? 0.05
  const steps = Math.round((most - least) / smallest)
  // The smaller of two: little is spent more often than much.
  const step = Math.min(random.between(0, steps), random.between(0, steps))
  return (least + step * smallest).toFixed(currency === "JPY" ? 0 : currency === "KWD" ? 3 : 2)
}

/** What mostly becomes of it: old ones are paid back, the newest wait for being decided or paid. */
const fateOf = (month: number, random: DemoRandom): DemoFate => {
  const drawn = random.next() * 100
  if (drawn < 5) return "rejected"
  if (drawn < 6) return "withdrawn"
  if (drawn < 8) return "reopened"
  if (drawn < (month >= 10 ? 12 : 9)) return "draft"
  if (drawn < (month >= 10 ? 17 : month === 9 ? 10 : 9)) return "waiting"
  return month >= 9 && drawn < 30 ? "approved" : "paid"
}

/** A purchase with everything that was not ordered drawn, always as many draws, so that one order moves no other. */
export const drawPurchase = (order: DemoOrder, random: DemoRandom): DemoPurchase => {
  const { merchant, on } = order
  return {
    amount: amountOf(merchant, random),
    description: random.one(merchant.descriptions),
    hasReceipt: !random.chance(8),
    onAnyDay: random.chance(6),
    fate: fateOf(on.month, random),
    enteredAfterHours: 9 + random.between(0, 9) + 24 * Math.min(random.between(0, 3), random.between(0, 4)),
    decidedAfterHours: 3 + random.between(0, 66),
    paidInRun: random.chance(20) ? random.between(2, 3) : 1,
    draw: random.next(),
    reason: random.one(reasons),
    ...order
  }
}

/** Midnight of the day on which it is bought. */
export const boughtOn = (calendar: DemoCalendar, { on, onAnyDay }: DemoPurchase): Instant =>
  onAnyDay ? calendar.startOf(on) : calendar.workdayOf(on)
