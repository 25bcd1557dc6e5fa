import { Schema, Struct } from "effect"

/** state × command → state (contract section 6). The guard, the error, the diagram in the docs and the tests read this table. */
export const expenseTransitions = {
  DRAFT: { submit: "PENDING" },
  PENDING: { approve: "APPROVED", reject: "REJECTED", withdraw: "DRAFT" },
  APPROVED: { reimburse: "REIMBURSED" },
  REJECTED: { reopen: "DRAFT" },
  REIMBURSED: {}
} as const

export const expenseStatuses = Struct.keys(expenseTransitions)
export const ExpenseStatus = Schema.Literals(expenseStatuses)
export type ExpenseStatus = typeof ExpenseStatus.Type

/** A change of the fields, and the end of a draft, by the states that allow them; the state stays. */
export const changesAllowedIn = { patch: ["DRAFT", "PENDING"], delete: ["DRAFT"] } as const
