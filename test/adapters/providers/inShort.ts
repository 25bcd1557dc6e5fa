import type { Outcome } from "@sarraf/domain/payments/Outcome"

/** `CARD_DECLINED`, with `→` where another provider may be tried; else the outcome's name. */
export const inShort = (outcome: Outcome): string =>
  outcome._tag === "Refused" ? `${outcome.code}${outcome.mayTryAnother ? " →" : ""}` : outcome._tag

/** What is expected of each of these codes. */
export const codes = (list: string, expected: string) => list.split(" ").map((code) => [code, expected] as const)
