import { randomInt } from "node:crypto"

/** So many random digits, fourteen at most: what banks number their transactions with. */
export const randomDigits = (count: number): string => `${randomInt(10 ** count)}`.padStart(count, "0")

/** `001` to `366`; the time in milliseconds. */
export const dayOfYear = (now: number): string => {
  const start = Date.UTC(new Date(now).getUTCFullYear(), 0, 1)
  return `${Math.floor((now - start) / 86_400_000) + 1}`.padStart(3, "0")
}
