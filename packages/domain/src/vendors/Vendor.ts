import { Schema } from "effect"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Instant } from "../time/Instant.ts"

/** ON_HOLD: nothing is paid until a question is settled. INACTIVE: nothing is bought there any more. */
export const vendorStatuses = ["ACTIVE", "ON_HOLD", "INACTIVE"] as const
export const VendorStatus = Schema.Literals(vendorStatuses)
export type VendorStatus = typeof VendorStatus.Type

export interface VendorContact {
  readonly name: string
  readonly email: string | null
  readonly phone: string | null
}

export interface VendorContract {
  readonly title: string
  readonly startsOn: CalendarDate
  /** Null: until somebody ends it. */
  readonly endsOn: CalendarDate | null
  /** When it goes on by itself unless notice was given; null: it does not. */
  readonly renewsOn: CalendarDate | null
  /** So many days before `renewsOn` notice must have been given. */
  readonly noticeDays: number | null
  /** What a year costs, in minor units of the currency. */
  readonly annualMinor: bigint | null
  readonly currency: string
}

/** A reason for the risk score, and what it adds. */
export interface RiskFactor {
  /** `bank_account_changed`. */
  readonly name: string
  readonly points: number
  /** For people: "The bank account was changed 12 days ago." */
  readonly sentence: string
}

/** Where it is paid, as far as anybody is shown it. The rest is sealed and leaves the database with no document. */
export interface VendorBankAccount {
  /** Of the IBAN or account number. */
  readonly last4: string
  readonly country: string
  readonly currency: string
}

/** What its bills of the last twelve months that were approved, scheduled or paid add up to. */
export interface VendorSpend {
  /** Minor units of the organization's currency; bills without a rate are left out. */
  readonly minor: bigint
  readonly currency: string
  readonly bills: number
  /** Of what all vendors were given in that time, with one decimal; 0 where that is nothing. */
  readonly sharePercent: number
}

/** Whom the organization buys from (contract section 6). */
export interface Vendor {
  /** `vend_…` */
  readonly id: string
  readonly version: number
  readonly status: VendorStatus
  readonly name: string
  readonly legalName: string
  /** ISO 3166-1, two letters. */
  readonly country: string
  readonly category: string
  readonly contacts: ReadonlyArray<VendorContact>
  readonly bankAccount: VendorBankAccount | null
  /** By the date at which they renew, then by their order. */
  readonly contracts: ReadonlyArray<VendorContract>
  /** 0 to 100: the sum of the factors, at most 100. */
  readonly riskScore: number
  readonly riskFactors: ReadonlyArray<RiskFactor>
  readonly spend: VendorSpend
  readonly createdAt: Instant
  readonly updatedAt: Instant
}
