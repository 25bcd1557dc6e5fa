import { Effect, Redacted } from "effect"
import { makeVault } from "../../signing/Vault.ts"

/** What a vendor's sealed account is bound to: copied to another vendor, or to another organization, it does not open. */
const accountPlace = (organizationId: string, vendorId: string): string =>
  `vendor bank account ${organizationId} ${vendorId}`

/** Seals an IBAN or account number for a vendor's row, as the JSON object that `vendors.bank_account` holds. */
export const makeAccountSeal = Effect.map(
  makeVault,
  ({ seal }) =>
    (account: string, organizationId: string, vendorId: string): string =>
      seal(Redacted.make(JSON.stringify({ account })), accountPlace(organizationId, vendorId))
)
