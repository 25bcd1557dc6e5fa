import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { isScenario, type ScenarioChoice, scenarioNames } from "./scenarios/choices.ts"

/** What to measure, and where the figures go. */
export interface Options {
  readonly scenario: ScenarioChoice | "all"
  readonly connections: ReadonlyArray<number>
  readonly rounds: number
  /** Length of one server's window in a round. */
  readonly seconds: number
  /** Before anything is measured. V8 compiles what is called often: the gateway needs some ten thousand requests. */
  readonly warmUpSeconds: number
  /** How many stored payments the growth is measured at. */
  readonly sizes: ReadonlyArray<number>
  readonly currency: string
  /** `true` is standard output, a text is a file. */
  readonly json: boolean | string
  /** Where a processor profile of the gateway goes. */
  readonly profile: string | undefined
}

const jsonFlag = "--json"

/** The parser of Node knows no flag that may have a value, so this one is taken out beforehand. */
const takeJson = (args: ReadonlyArray<string>) => {
  const at = args.findIndex((arg) => arg === jsonFlag || arg.startsWith(`${jsonFlag}=`))
  const flag = args[at]
  if (flag === undefined) return { json: false, rest: [...args] }
  const next = args[at + 1]
  const inline = flag.slice(jsonFlag.length + 1)
  const file = inline !== "" ? inline : next?.startsWith("--") === false ? next : undefined
  const taken = file !== undefined && inline === "" ? 2 : 1
  return { json: file === undefined ? true : resolve(file), rest: args.toSpliced(at, taken) }
}

const wholeNumber = (name: string, text: string, maximum = 9_999) => {
  const value = Number(text)
  if (!/^\d{1,8}$/.test(text) || value < 1 || value > maximum)
    throw new Error(`--${name} is a whole number from 1 to ${maximum}, not "${text}".`)
  return value
}

const paymentsMax = 10_000_000

/** All scenarios one after another are for seeing that nothing is broken, and how far things are roughly. */
const defaults = { rounds: "5", seconds: "5", "warm-up": "12", sizes: "10000,100000,1000000" }
const shortDefaults = { rounds: "2", seconds: "2", "warm-up": "3", sizes: "10000,100000" }

/** Throws a sentence for whoever typed the arguments. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { json, rest } = takeJson(args)
  const { values } = parseArgs({
    args: rest,
    options: {
      scenario: { type: "string", default: "authorize" },
      connections: { type: "string", default: "32" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      "warm-up": { type: "string" },
      sizes: { type: "string" },
      currency: { type: "string", default: "TRY" },
      profile: { type: "string" }
    }
  })
  const { scenario } = values
  if (scenario !== "all" && !isScenario(scenario)) {
    throw new Error(`--scenario is one of ${scenarioNames.join(", ")}, or all, not "${scenario}".`)
  }
  const given = { ...(scenario === "all" ? shortDefaults : defaults), ...values }
  return {
    scenario,
    connections: values.connections.split(",").map((text) => wholeNumber("connections", text)),
    rounds: wholeNumber("rounds", given.rounds),
    seconds: wholeNumber("seconds", given.seconds),
    warmUpSeconds: wholeNumber("warm-up", given["warm-up"]),
    sizes: given.sizes.split(",").map((text) => wholeNumber("sizes", text, paymentsMax)),
    currency: values.currency,
    json,
    profile: values.profile === undefined ? undefined : resolve(values.profile)
  }
}
