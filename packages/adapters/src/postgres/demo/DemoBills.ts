import { createHash } from "node:crypto"
import type { Bill, BillLine, ThreeWayMatch } from "@sarraf/domain/bills/Bill"
import type { BillStatus } from "@sarraf/domain/bills/BillStatus"
import { fromDecimal, Money } from "@sarraf/domain/money/Money"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Result } from "effect"
import type { DemoCalendar } from "./DemoCalendar.ts"
import type { DemoConversion } from "./DemoCardUse.ts"
import { demoId } from "./DemoId.ts"
import { type DemoRandom, makeDemoRandom } from "./DemoRandom.ts"
import type { DemoVendor } from "./DemoVendors.ts"

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

/** Who has to do with an organization's bills, as actors; who enters one does not approve it. */
export interface DemoBillPlan {
  readonly seed: number
  readonly baseCurrency: string
  readonly enteredBy: readonly [string, ...Array<string>]
  readonly approvedBy: readonly [string, ...Array<string>]
  readonly departmentId: string
  /** By the vendor's identifier. */
  readonly vendors: ReadonlyMap<string, DemoVendor>
  /** What does not go the usual way, by vendor's name and month. */
  readonly fates: Readonly<Record<string, DemoBillFate>>
}

/** How far a bill gets where it does not get all the way. */
export interface DemoBillFate {
  readonly until: Exclude<BillStatus, "PAID">
  readonly reason?: string
  /** Sent once more a few days later, its number written in another way. */
  readonly isSentTwice?: boolean
  readonly dueAfterDays?: number
}

/** The fates of the sandbox's bills. */
export const sandboxFates: Readonly<Record<string, DemoBillFate>> = {
  "Ege Lojistik 4": { until: "REJECTED", reason: "The freight of another company." },
  "Anka Yazılım 6": { until: "REJECTED", reason: "Two days more than the time sheets have." },
  "Atlas Mobilya 5": { until: "REJECTED", reason: "The chairs were returned." },
  "Hızlı Kargo 4": { until: "CANCELLED" },
  "Gulf Events 9": { until: "CANCELLED" },
  "Marmara Temizlik 8": { until: "RECEIVED" },
  "Beyaz Perde 6": { until: "APPROVED" },
  "Beyaz Perde 10": { until: "RECEIVED" },
  "Hızlı Kargo 7": { until: "RECEIVED", isSentTwice: true },
  "Pera Tercüme 8": { until: "APPROVED" },
  "Boğaziçi Veri Merkezi 10": { until: "SCHEDULED", dueAfterDays: 75 },
  "Ege Lojistik 10": { until: "SCHEDULED", dueAfterDays: 75 },
  "Teknik Donanım 10": { until: "RECEIVED", dueAfterDays: 60 },
  "Anka Yazılım 10": { until: "APPROVED", dueAfterDays: 45 },
  "Kuzey Güvenlik 10": { until: "RECEIVED" },
  "Çınar Eğitim 10": { until: "SCHEDULED", dueAfterDays: 75 },
  "Northwind Analytics 8": { until: "RECEIVED" },
  "Mavi Ajans 10": { until: "APPROVED" }
}

/** What approval freezes (contract section 6), as a digest. */
const digestOf = (vendorId: string, account: string | null, total: Money, lines: ReadonlyArray<BillLine>): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        vendorId,
        account,
        total.currency,
        total.minor.toString(),
        lines.map(({ amountMinor, description, quantity }) => [description, quantity, amountMinor.toString()])
      ])
    )
    .digest("hex")

const minorOf = (currency: string, decimal: string): bigint => Result.getOrThrow(fromDecimal(currency, decimal)).minor

/** One line or two, whose amounts are what they say. */
const linesOf = ({ amount, category, currency, line }: DemoVendor, random: DemoRandom): ReadonlyArray<BillLine> => {
  const [least, most] = amount
  const whole = random.between(least, most)
  const isPriced = least === most
  const quantity = isPriced ? 1 : random.between(1, 6)
  const unitPriceMinor = minorOf(currency, String(Math.max(1, Math.round(whole / quantity))))
  const first = {
    description: line,
    quantity: String(quantity),
    unitPriceMinor,
    amountMinor: unitPriceMinor * BigInt(quantity),
    category
  }
  if (isPriced || !random.chance(30)) return [first]
  const extra = minorOf(currency, String(Math.max(1, Math.round(whole / 50))))
  return [first, { description: "Expenses", quantity: "1", unitPriceMinor: extra, amountMinor: extra, category }]
}

/** Where goods were ordered: most are billed as they came, one for more than there is. */
const matchOf = (vendor: DemoVendor, net: bigint, month: number): ThreeWayMatch | null => {
  if (!["Furniture", "Hardware"].includes(vendor.category)) return null
  const same = { orderedMinor: net, receivedMinor: net, billedMinor: net, tolerancePercent: 2, differences: [] }
  if (month === 10) {
    const receivedMinor = (net * 4n) / 5n
    return {
      ...same,
      outcome: "NOT_RECEIVED",
      receivedMinor,
      differences: ["A fifth of what is billed has not come yet."]
    }
  }
  if (month === 5) {
    const orderedMinor = (net * 100n) / 112n
    return { ...same, outcome: "DIFFERENT", orderedMinor, differences: ["The bill is 12 % above the purchase order."] }
  }
  return { ...same, outcome: "MATCHED" }
}

/** How far a bill has got, and when each step was made. */
interface Progress
  extends Pick<
    Bill,
    "status" | "version" | "approvedAt" | "approvedBy" | "scheduledFor" | "paidAt" | "rejectionReason" | "updatedAt"
  > {}

interface Times {
  readonly enteredAt: Instant
  readonly decidedAt: Instant
  readonly scheduledAt: Instant
  readonly payAt: Instant
}

const progressOf = (
  { until, reason }: Partial<DemoBillFate>,
  { decidedAt, enteredAt, payAt, scheduledAt }: Times,
  approvedBy: string,
  calendar: DemoCalendar,
  now: Instant
): Progress => {
  const received = {
    status: "RECEIVED",
    version: 1,
    approvedAt: null,
    approvedBy: null,
    scheduledFor: null,
    paidAt: null,
    rejectionReason: null,
    updatedAt: enteredAt
  } as const
  if (until === "RECEIVED" || decidedAt > now) return received
  const decided = { ...received, version: 2, updatedAt: decidedAt }
  if (until === "REJECTED") return { ...decided, status: until, rejectionReason: reason ?? "Not ours." }
  if (until === "CANCELLED") return { ...decided, status: until }
  const approved = { ...decided, status: "APPROVED", approvedAt: decidedAt, approvedBy } as const
  if (until === "APPROVED" || scheduledAt > now) return approved
  const scheduledFor = calendar.dateOf(payAt)
  if (until === "SCHEDULED" || payAt > now) {
    return { ...approved, status: "SCHEDULED", version: 3, scheduledFor, updatedAt: scheduledAt }
  }
  return { ...approved, status: "PAID", version: 4, scheduledFor, paidAt: payAt, updatedAt: payAt }
}

/** The months of the year that a vendor sends a bill in. */
const monthsOf = ({ bills }: DemoVendor, index: number): ReadonlyArray<number> =>
  typeof bills === "number"
    ? Array.from({ length: Math.floor(12 / bills) }, (_, number) => number * bills + (bills === 3 ? index % 3 : 0))
    : bills

/** An organization's bills until now, the oldest first. */
export const makeBills = (
  plan: DemoBillPlan,
  calendar: DemoCalendar,
  now: Instant,
  convert: DemoConversion
): ReadonlyArray<Bill> => {
  const random = makeDemoRandom(plan.seed)

  const billOf = (vendorId: string, vendor: DemoVendor, month: number, fate: Partial<DemoBillFate>): Bill => {
    const issuedAt = calendar.startOf({ month, day: random.between(1, 24) })
    const enteredAt = issuedAt + random.between(1, 3) * dayMillis + random.between(9, 17) * hourMillis
    const decidedAt = enteredAt + random.between(1, 5) * dayMillis + random.between(0, 5) * hourMillis
    const termDays = fate.dueAfterDays ?? vendor.termDays
    const dueAt = issuedAt + termDays * dayMillis
    const payAt = Math.max(dueAt - random.between(1, 3) * dayMillis, decidedAt + dayMillis) + 10 * hourMillis
    const lines = linesOf(vendor, random)
    const net = lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
    const taxMinor = (net * BigInt(vendor.taxPercent)) / 100n
    const total = new Money({ currency: vendor.currency, minor: net + taxMinor })
    const issueDate = calendar.dateOf(issuedAt)
    const enteredBy = random.one(plan.enteredBy)
    const number = `${vendor.name.slice(0, 3).toLocaleUpperCase("tr")}-${issueDate.slice(0, 4)}-${String(random.between(100, 9_899))}`
    const approver = random.one(plan.approvedBy)
    const times = { enteredAt, decidedAt, scheduledAt: decidedAt + 20 * hourMillis, payAt }
    const progress = progressOf(fate, times, approver, calendar, now)
    const match = matchOf(vendor, net, month)
    return {
      id: demoId("bill", enteredAt, random),
      vendorId,
      vendorName: vendor.name,
      number,
      issueDate,
      dueDate: calendar.dateOf(dueAt),
      total,
      taxMinor,
      base: convert(total, plan.baseCurrency, issueDate) ?? null,
      lines,
      category: vendor.category,
      departmentId: plan.departmentId,
      purchaseOrder: match === null ? null : `PO-${issueDate.slice(0, 4)}-${String(random.between(10, 99))}`,
      enteredBy,
      digest: progress.approvedAt === null ? null : digestOf(vendorId, vendor.account, total, lines),
      duplicates: [],
      match,
      createdAt: enteredAt,
      ...progress
    }
  }

  /** The same bill a second time: both name each other. */
  const sentTwice = (bill: Bill): ReadonlyArray<Bill> => {
    const at = bill.createdAt + 6 * dayMillis
    const id = demoId("bill", at, random)
    const reasons = ["the same number but for spaces and dashes", "the same total"]
    const hint = (billId: string) => [{ billId, score: 96, reasons }]
    if (at > now) return [bill]
    const number = bill.number.replaceAll("-", " ")
    return [
      { ...bill, duplicates: hint(id) },
      { ...bill, id, number, duplicates: hint(bill.id), createdAt: at, updatedAt: at }
    ]
  }

  return [...plan.vendors]
    .flatMap(([vendorId, vendor], index) =>
      monthsOf(vendor, index).flatMap((month) => {
        const fate: Partial<DemoBillFate> = plan.fates[`${vendor.name} ${month}`] ?? {}
        const bill = billOf(vendorId, vendor, month, fate)
        if (bill.createdAt > now) return []
        return fate.isSentTwice === true ? sentTwice(bill) : [bill]
      })
    )
    .sort((one, other) => one.createdAt - other.createdAt)
}
