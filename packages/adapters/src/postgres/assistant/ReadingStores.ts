import { Layer } from "effect"
import * as PgApprovalStore from "../approvals/PgApprovalStore.ts"
import * as PgDelegationStore from "../approvals/PgDelegationStore.ts"
import * as PgBillStore from "../bills/PgBillStore.ts"
import * as PgCardStore from "../cards/PgCardStore.ts"
import * as PgExpenseStore from "../expenses/PgExpenseStore.ts"
import * as PgMembers from "../organizations/PgMembers.ts"
import * as PgOrganizations from "../organizations/PgOrganizations.ts"
import * as PgPolicyStore from "../policies/PgPolicyStore.ts"
import * as PgSpendStore from "../reports/PgSpendStore.ts"
import * as PgVendorStore from "../vendors/PgVendorStore.ts"
import * as PgNames from "./PgNames.ts"
import * as PgPaymentRecords from "./PgPaymentRecords.ts"
import * as ReadingPool from "./ReadingPool.ts"

/**
 * What assistants read from: the same stores as the API's, made once more on connections that can only read. They are
 * made afresh, for a layer that is provided twice is built once, and these would write.
 */
export const layer = Layer.mergeAll(
  PgOrganizations.layer,
  PgMembers.layer,
  PgNames.layer,
  PgExpenseStore.layer,
  PgApprovalStore.layer,
  PgDelegationStore.layer,
  PgPolicyStore.layer,
  PgSpendStore.layer,
  PgCardStore.layer,
  PgBillStore.layer,
  PgVendorStore.layer,
  PgPaymentRecords.layer,
  ReadingPool.unitsLayer
).pipe(Layer.provide(ReadingPool.layer), Layer.fresh)
