import type { Organization } from "@sarraf/domain/organizations/Organizations"

/** Counts in lira, and its day begins three hours before that of Greenwich. */
export const organization: Organization = {
  id: "org_spending",
  name: "Spending",
  baseCurrency: "TRY",
  timezone: "Europe/Istanbul",
  verification: "VERIFIED",
  strictSignatures: false,
  apiKeysMayApprove: true,
  soleOwnerMayApprove: false,
  requiresSecondFactor: false,
  allowedOrigins: [],
  isSandbox: true,
  version: 1,
  createdAt: 0,
  updatedAt: 0
}
