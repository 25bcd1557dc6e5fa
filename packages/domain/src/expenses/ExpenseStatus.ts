import { Result, Schema, Struct } from "effect"
import { StateRefused } from "../errors/Refusals.ts"

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

type KeysOfEach<T> = T extends T ? keyof T : never

/** Whatever may be done to an expense. */
export type ExpenseCommand = KeysOfEach<(typeof expenseTransitions)[ExpenseStatus]> | keyof typeof changesAllowedIn

const transitionsOf = (status: ExpenseStatus): Readonly<Record<string, ExpenseStatus>> => expenseTransitions[status]

const changes: ReadonlyArray<readonly [ExpenseCommand, ReadonlyArray<ExpenseStatus>]> = [
  ["patch", changesAllowedIn.patch],
  ["delete", changesAllowedIn.delete]
]

/** The commands that a state allows, those that lead to another state first. */
export const commandsOf = (status: ExpenseStatus): ReadonlyArray<string> => [
  ...Object.keys(expenseTransitions[status]),
  ...changes.flatMap(([command, statuses]) => (statuses.includes(status) ? [command] : []))
]

/** Whether the state allows the command. */
export const allows = (status: ExpenseStatus, command: ExpenseCommand): boolean => commandsOf(status).includes(command)

/** The state after the command, which is the same one for `patch` and `delete`; `StateRefused` where it is not allowed. */
export const decide = (status: ExpenseStatus, command: ExpenseCommand): Result.Result<ExpenseStatus, StateRefused> =>
  allows(status, command)
    ? Result.succeed(transitionsOf(status)[command] ?? status)
    : Result.fail(new StateRefused({ resource: "expense", status, allowed: commandsOf(status) }))
