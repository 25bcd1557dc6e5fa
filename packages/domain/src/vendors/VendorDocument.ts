import { majorUnits, majorUnitsOrNull } from "../money/MajorUnits.ts"
import { isoTime } from "../time/IsoTime.ts"
import type { Vendor, VendorBankAccount, VendorContract } from "./Vendor.ts"

const contractDocument = (contract: VendorContract) => ({
  title: contract.title,
  starts_on: contract.startsOn,
  ends_on: contract.endsOn,
  renews_on: contract.renewsOn,
  notice_days: contract.noticeDays,
  annual_value: majorUnitsOrNull(contract.currency, contract.annualMinor),
  currency: contract.currency
})

/** Named one by one, so that nothing else of an account ever gets into a document. */
const bankAccountDocument = ({ country, currency, last4 }: VendorBankAccount) => ({ last4, country, currency })

/** A vendor as the API shows it, snake_case JSON. Of the bank account no more than the last four characters. */
export const vendorDocument = (vendor: Vendor) => ({
  id: vendor.id,
  version: vendor.version,
  status: vendor.status,
  name: vendor.name,
  legal_name: vendor.legalName,
  country: vendor.country,
  category: vendor.category,
  contacts: vendor.contacts,
  bank_account: vendor.bankAccount === null ? null : bankAccountDocument(vendor.bankAccount),
  contracts: vendor.contracts.map(contractDocument),
  risk_score: vendor.riskScore,
  risk_factors: vendor.riskFactors,
  spend_12_months: {
    amount: majorUnits(vendor.spend.currency, vendor.spend.minor),
    currency: vendor.spend.currency,
    bills: vendor.spend.bills,
    share_percent: vendor.spend.sharePercent
  },
  created_at: isoTime(vendor.createdAt),
  updated_at: isoTime(vendor.updatedAt)
})
