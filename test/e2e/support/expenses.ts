import { type Bearer, bodyOf } from "./bearer.ts"

/** An expense as the API answers it. */
export interface ExpenseAnswer {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly merchant: string
  readonly category: string | null
  readonly description: string | null
  readonly date: string
  readonly receipt_url: string | null
  readonly department_id: string | null
  readonly user_id: string | null
  readonly created_by: string
  readonly submitted_by: string | null
  readonly base_amount: number | null
  readonly base_currency: string | null
  readonly exchange_rate: string | null
  readonly violations: ReadonlyArray<{ readonly name: string; readonly enforcement: string; readonly message: string }>
  readonly possible_duplicates: ReadonlyArray<{ readonly expense_id: string; readonly score: number }>
  readonly approval_id: string | null
  readonly submitted_at: string | null
  readonly decided_at: string | null
  readonly decided_by: string | null
  readonly rejection_reason: string | null
  readonly reimbursed_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly warnings?: ReadonlyArray<{ readonly path: string }>
}

export const expensesPath = "/api/expenses"

let number = 0

/** A new expense that looks like no other. */
export const createExpense = async (send: Bearer, changes: Readonly<Record<string, unknown>> = {}) => {
  number += 1
  const body = { amount: 100 + 7 * number, currency: "TRY", merchant: `Shop ${number}`, category: "Office", ...changes }
  return bodyOf<ExpenseAnswer>(await send("POST", expensesPath, body), 201)
}

/** The expense after a command that succeeds. */
export const commandExpense = async (send: Bearer, id: string, command: string, body?: unknown) =>
  bodyOf<ExpenseAnswer>(await send("POST", `${expensesPath}/${id}/${command}`, body))

/** So many are under way at a time: fewer than a busy service sends away. */
const atOnceMax = 8

/** As many new expenses, made side by side. */
export const createExpenses = async (send: Bearer, count: number, changes: Readonly<Record<string, unknown>> = {}) => {
  const made: Array<ExpenseAnswer> = []
  while (made.length < count) {
    const batch = Array.from({ length: Math.min(atOnceMax, count - made.length) }, () => createExpense(send, changes))
    made.push(...(await Promise.all(batch)))
  }
  return made
}
