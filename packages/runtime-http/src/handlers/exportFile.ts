import { createHash } from "node:crypto"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { type ExpenseDocument, expenseDocument } from "@sarraf/domain/expenses/ExpenseDocument"
import { toDecimal } from "@sarraf/domain/money/Money"
import { amountOf } from "./conventions.ts"

export type ExportFormat = "csv" | "json"

/** Of CSV: members of the document, in the order of the columns. */
const columns = [
  "id",
  "status",
  "date",
  "merchant",
  "category",
  "description",
  "amount",
  "currency",
  "base_amount",
  "base_currency",
  "exchange_rate",
  "rate_date",
  "user_id",
  "department_id",
  "card_transaction_id",
  "receipt_url",
  "created_by",
  "submitted_by",
  "submitted_at",
  "decided_by",
  "decided_at",
  "rejection_reason",
  "reimbursed_at",
  "created_at",
  "updated_at",
  "version"
] as const satisfies ReadonlyArray<keyof ExpenseDocument>

/**
 * A cell of RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe (OWASP, CSV injection); no
 * number here is negative.
 */
export const csvCell = (value: string): string => {
  const harmless = /^[=+\-@\t\r]/u.test(value) ? `'${value}` : value
  return /[",\r\n]/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const csvRow = (expense: Expense): string => {
  const document = expenseDocument(expense)
  const decimals: Partial<Record<keyof ExpenseDocument, string>> = {
    amount: toDecimal(expense.amount.currency, expense.amount.minor),
    ...(expense.base === null ? {} : { base_amount: toDecimal(expense.base.currency, expense.base.minor) })
  }
  const cells = columns.map((name) => csvCell(decimals[name] ?? String(document[name] ?? "")))
  return `${cells.join(",")}\r\n`
}

const csv = {
  contentType: "text/csv; charset=utf-8; header=present",
  begin: `${columns.join(",")}\r\n`,
  rows: (expenses: ReadonlyArray<Expense>, _: boolean) => expenses.map(csvRow).join(""),
  end: ""
}

const json = {
  contentType: "application/json",
  begin: "[",
  rows: (expenses: ReadonlyArray<Expense>, isFirst: boolean) =>
    expenses
      .map((expense, index) => (isFirst && index === 0 ? "" : ",") + JSON.stringify(expenseDocument(expense)))
      .join(""),
  end: "]"
}

/** What of an export is told without its rows. */
export interface ExportContent {
  readonly rows: number
  readonly sums: ReadonlyArray<{ readonly currency: string; readonly amount: number }>
  /** Of the CSV file's bytes, or of those of the JSON document's array `data`; lower-case hex. */
  readonly sha256: string
}

/**
 * Writes expenses as a file, a page after the other, and keeps count: each text is to be sent as it is, in this order. For
 * JSON the texts are the array alone.
 */
export const makeExportWriter = (format: ExportFormat) => {
  const form = format === "csv" ? csv : json
  const hash = createHash("sha256")
  const sums = new Map<string, bigint>()
  let rows = 0
  const hashed = (text: string): string => {
    hash.update(text)
    return text
  }
  return {
    contentType: form.contentType,
    begin: () => hashed(form.begin),
    write: (expenses: ReadonlyArray<Expense>): string => {
      const text = hashed(form.rows(expenses, rows === 0))
      rows += expenses.length
      for (const { amount } of expenses) {
        sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + amount.minor)
      }
      return text
    },
    end: () => hashed(form.end),
    rows: () => rows,
    /** Once, after the end. */
    content: (): ExportContent => ({
      rows,
      sums: [...sums].sort().map(([currency, minor]) => ({ currency, amount: amountOf(currency, minor) })),
      sha256: hash.digest("hex")
    })
  }
}
