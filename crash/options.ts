import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"

/** What a run does. Two runs with the same options make the same plans. */
export interface Options {
  readonly seed: number
  /** How often a server is killed while clients pay; something else is broken as often. */
  readonly kills: number
  /** How long clients pay, in milliseconds, or longer where the faults take longer. */
  readonly payMillis: number
  /** How many server processes share the database. */
  readonly processes: number
  readonly clients: number
  /** Simulators in the servers with their book in the database, or in a process of their own with it in memory. */
  readonly simulators: "inside" | "outside"
  /**
   * Short runs end before an absence can be proven: what still waits for that is listed, and checked for being harmless.
   * They go first to providers whose proof does not take long.
   */
  readonly short: boolean
  /** Keeps the folder also where all is well. */
  readonly keep: boolean
}

const short = { kills: 3, spacingMillis: 4_500 }
/** A server needs two seconds to come back, and something should happen between two kills. */
const spacingMillis = 5_000
const minute = 60_000

const wholeNumber = (name: string, text: string, most: number): number => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > most)
    throw new Error(`--${name} is a whole number from 1 to ${most}, not "${text}".`)
  return value
}

/** Throws a sentence for whoever typed the arguments. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      kills: { type: "string" },
      minutes: { type: "string" },
      processes: { type: "string", default: "2" },
      clients: { type: "string", default: "12" },
      simulators: { type: "string", default: "inside" },
      keep: { type: "boolean", default: false }
    }
  })
  const { simulators } = values
  if (simulators !== "inside" && simulators !== "outside")
    throw new Error(`--simulators is inside or outside, not "${simulators}".`)
  const asked = values.kills === undefined ? undefined : wholeNumber("kills", values.kills, 10_000)
  const minutes = values.minutes === undefined ? undefined : wholeNumber("minutes", values.minutes, 1_440)
  const isShort = asked === undefined && minutes === undefined
  const kills = asked ?? (minutes === undefined ? short.kills : Math.ceil((minutes * minute) / spacingMillis))
  return {
    seed: values.seed === undefined ? randomInt(1, 2 ** 31) : wholeNumber("seed", values.seed, 2 ** 31),
    kills,
    payMillis: minutes !== undefined ? minutes * minute : kills * (isShort ? short.spacingMillis : spacingMillis),
    processes: wholeNumber("processes", values.processes, 3),
    clients: wholeNumber("clients", values.clients, 64),
    simulators,
    short: isShort,
    keep: values.keep
  }
}
