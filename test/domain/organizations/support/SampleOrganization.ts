import type { Organization } from "@sarraf/domain/organizations/Organizations"

/** A verified organization that counts in lira, and whose day begins three hours before that of Greenwich. */
export const sampleOrganization = (changes: Partial<Organization> = {}): Organization => ({
  id: "org_1",
  name: "Shop",
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
  updatedAt: 0,
  ...changes
})
