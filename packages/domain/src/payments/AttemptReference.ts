import type { ReferenceRule } from "../routing/Capabilities.ts"

const letters: Readonly<Record<ReferenceRule["alphabet"], string>> = {
  digits: "0123456789",
  alphanumeric: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  lowercase: "0123456789abcdefghijklmnopqrstuvwxyz",
  uppercase: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
}

/** Random bytes that a reference of this rule takes: two for each character. */
export const bytesNeeded = (rule: ReferenceRule): number => rule.length * 2

/**
 * Our reference for an attempt, in the provider's alphabet and length (contract section 4). Two bytes a character keep
 * the bias of the remainder below one in a thousand; with 12 letters or more of 36 there are over 60 random bits.
 */
export const attemptReference = (rule: ReferenceRule, random: Uint8Array): string => {
  const alphabet = letters[rule.alphabet]
  let text = ""
  for (let position = 0; position < rule.length; position++) {
    const value = ((random[position * 2] ?? 0) << 8) | (random[position * 2 + 1] ?? 0)
    text += alphabet.charAt(value % alphabet.length)
  }
  return text
}
