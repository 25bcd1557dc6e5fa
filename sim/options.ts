import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import type { Settings } from "./Settings.ts"

export interface Options {
  readonly settings: Settings
  /** How many seeds are run, from the settings' on. */
  readonly seeds: number
  /** Prints the trace of a run in which nothing breaks, too. */
  readonly trace: boolean
}

const wholeNumber = (name: string, text: string, most: number): number => {
  const value = Number(text)
  if (!/^\d+$/u.test(text) || value < 1 || value > most) {
    throw new RangeError(`--${name} takes a whole number from 1 to ${most}, and not ${text}`)
  }
  return value
}

const seedMax = 2 ** 31
const minutesMax = 24 * 60
const seedsMax = 1_000_000
/** Long enough for a payment to be authorized, captured and refunded, in minutes; `--seeds` has time for a thousand. */
const usualMinutes = 60
const manyMinutes = 3

/** The options of `npm run sim`. Throws a `RangeError`, or what `parseArgs` throws, for what none is. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      minutes: { type: "string" },
      seeds: { type: "string" },
      orders: { type: "string" },
      only: { type: "string" },
      trace: { type: "boolean", default: false }
    }
  })
  const { minutes, only, orders, seed, seeds, trace } = values
  const count = seeds === undefined ? 1 : wholeNumber("seeds", seeds, seedsMax)
  const drawn = count > 1 ? 1 : randomInt(1, seedMax)
  const settings: Settings = {
    seed: seed === undefined ? drawn : wholeNumber("seed", seed, seedMax),
    minutes:
      minutes === undefined ? (count > 1 ? manyMinutes : usualMinutes) : wholeNumber("minutes", minutes, minutesMax),
    ...(orders === undefined ? {} : { orders: orders.split(",").map((one) => wholeNumber("orders", one, seedMax)) }),
    ...(only === undefined ? {} : { only: only === "none" ? [] : only.split(",") })
  }
  return { settings, seeds: count, trace }
}
