import type { Money } from "../money/Money.ts"
import type { Echo } from "./Outcome.ts"

export interface Expected {
  readonly reference: string
  readonly money: Money
  readonly last4?: string
}

/** `less` is an approval of a part of the amount; `differs` names the fields that are another payment's. */
export type Integrity =
  | { readonly _tag: "matches" }
  | { readonly _tag: "less"; readonly minor: bigint }
  | { readonly _tag: "differs"; readonly fields: ReadonlyArray<"reference" | "amount" | "currency" | "last4"> }

/**
 * Compares what a provider's message says with what was asked: reference, amount, currency and, where given, the card's
 * last four (contract section 4). Every answer, query, callback and notification goes through here.
 */
export const compare = (expected: Expected, echo: Echo): Integrity => {
  const fields: Array<"reference" | "amount" | "currency" | "last4"> = []
  if (echo.reference !== undefined && echo.reference !== expected.reference) fields.push("reference")
  if (echo.currency !== undefined && echo.currency.toUpperCase() !== expected.money.currency) fields.push("currency")
  if (echo.last4 !== undefined && expected.last4 !== undefined && echo.last4 !== expected.last4) fields.push("last4")
  if (echo.minor !== undefined && (echo.minor > expected.money.minor || echo.minor <= 0n)) fields.push("amount")
  if (fields.length > 0) return { _tag: "differs", fields }
  return echo.minor !== undefined && echo.minor < expected.money.minor
    ? { _tag: "less", minor: echo.minor }
    : { _tag: "matches" }
}
