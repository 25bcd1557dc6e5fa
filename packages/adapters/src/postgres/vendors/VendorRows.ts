import type { RiskFactor, Vendor, VendorContact, VendorContract, VendorStatus } from "@sarraf/domain/vendors/Vendor"

/** A row of `vendors` as `vendorColumns` selects it, with what was spent there. What is sealed stays where it is. */
export interface VendorRow {
  readonly id: string
  readonly version: number
  readonly status: VendorStatus
  readonly name: string
  readonly legal_name: string
  readonly country: string
  readonly category: string
  readonly contacts: ReadonlyArray<VendorContact>
  readonly bank_last4: string | null
  readonly bank_country: string | null
  readonly bank_currency: string | null
  readonly risk_score: number
  readonly risk_factors: ReadonlyArray<RiskFactor>
  readonly created_at: Date
  readonly updated_at: Date
  readonly spent: string
  readonly spent_bills: number
  readonly spent_share: number
}

/** Without `bank_account`: what is sealed is not read for showing a vendor. */
export const vendorColumns = `id, version, status, name, legal_name, country, category, contacts, bank_last4,
  bank_country, bank_currency, risk_score, risk_factors, created_at, updated_at`

export interface ContractRow {
  readonly vendor_id: string
  readonly title: string
  readonly starts_on: string
  readonly ends_on: string | null
  readonly renews_on: string | null
  readonly notice_days: number | null
  readonly currency: string
  readonly annual_minor: bigint | string | null
}

/** Dates as text: a `DATE` would come as midnight somewhere. */
export const contractColumns = `vendor_id, title, starts_on::text AS starts_on, ends_on::text AS ends_on,
  renews_on::text AS renews_on, notice_days, currency, annual_minor`

const contractOf = (row: ContractRow): VendorContract => ({
  title: row.title,
  startsOn: row.starts_on,
  endsOn: row.ends_on,
  renewsOn: row.renews_on,
  noticeDays: row.notice_days,
  annualMinor: row.annual_minor === null ? null : BigInt(row.annual_minor),
  currency: row.currency
})

const bankAccountOf = ({ bank_country, bank_currency, bank_last4 }: VendorRow): Vendor["bankAccount"] =>
  bank_last4 === null || bank_country === null || bank_currency === null
    ? null
    : { last4: bank_last4, country: bank_country, currency: bank_currency }

export const vendorOf = (row: VendorRow, contracts: ReadonlyArray<ContractRow>, baseCurrency: string): Vendor => ({
  id: row.id,
  version: row.version,
  status: row.status,
  name: row.name,
  legalName: row.legal_name,
  country: row.country,
  category: row.category,
  contacts: row.contacts,
  bankAccount: bankAccountOf(row),
  contracts: contracts.map(contractOf),
  riskScore: row.risk_score,
  riskFactors: row.risk_factors,
  spend: {
    minor: BigInt(row.spent),
    currency: baseCurrency,
    bills: row.spent_bills,
    sharePercent: row.spent_share
  },
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})
