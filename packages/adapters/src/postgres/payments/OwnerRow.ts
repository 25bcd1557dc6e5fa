import type { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"

/** Whose a payment is, as work that no request asked for finds it. */
export interface OwnerRow {
  readonly organization_id: string
  readonly payment_id: string
  readonly client_id: string
  readonly livemode: boolean
}

export const callerOf = ({ client_id, livemode, organization_id }: OwnerRow): GatewayCaller["Service"] => ({
  organizationId: organization_id,
  clientId: client_id,
  livemode
})
