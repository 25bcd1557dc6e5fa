import { Schema, Struct } from "effect"
import { decideBy } from "../states/StateTable.ts"

/**
 * state × command → state (contract section 6). What approval froze (amount, vendor, bank account, lines) is open again
 * after `revise`, which every change of it is.
 */
export const billTransitions = {
  RECEIVED: { approve: "APPROVED", reject: "REJECTED", cancel: "CANCELLED" },
  APPROVED: { schedule: "SCHEDULED", revise: "RECEIVED", cancel: "CANCELLED" },
  SCHEDULED: { pay: "PAID", unschedule: "APPROVED", revise: "RECEIVED", cancel: "CANCELLED" },
  PAID: {},
  REJECTED: {},
  CANCELLED: {}
} as const

export const billStatuses = Struct.keys(billTransitions)
export const BillStatus = Schema.Literals(billStatuses)
export type BillStatus = typeof BillStatus.Type

/** The bill's state after the command; `StateRefused` where the table does not have it. */
export const decideBill = decideBy("bill", billTransitions, Schema.is(BillStatus))

/** The states in which a bill is still to be paid: past its due date it is overdue. */
export const unpaidStatuses: ReadonlyArray<BillStatus> = ["RECEIVED", "APPROVED", "SCHEDULED"]

/** The states whose amounts count as spent with a vendor. */
export const committedStatuses: ReadonlyArray<BillStatus> = ["APPROVED", "SCHEDULED", "PAID"]
