import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { isScenarioName, type ScenarioName, scenarios } from "./scenarios/catalogue.ts"

/** What to measure, and where the figures go. */
export interface Options {
  readonly scenario: ScenarioName
  readonly connections: ReadonlyArray<number>
  readonly rounds: number
  /** Length of one server's window in a round. */
  readonly seconds: number
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

const wholeNumber = (name: string, text: string) => {
  const value = Number(text)
  if (!/^\d{1,4}$/.test(text) || value < 1)
    throw new Error(`--${name} is a whole number from 1 to 9999, not "${text}".`)
  return value
}

/** Throws a sentence for whoever typed the arguments. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { json, rest } = takeJson(args)
  const { values } = parseArgs({
    args: rest,
    options: {
      scenario: { type: "string", default: "authorize" },
      connections: { type: "string", default: "32" },
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "5" },
      currency: { type: "string", default: "TRY" },
      profile: { type: "string" }
    }
  })
  if (!isScenarioName(values.scenario)) {
    throw new Error(`--scenario is one of ${Object.keys(scenarios).join(", ")}, not "${values.scenario}".`)
  }
  return {
    scenario: values.scenario,
    connections: values.connections.split(",").map((text) => wholeNumber("connections", text)),
    rounds: wholeNumber("rounds", values.rounds),
    seconds: wholeNumber("seconds", values.seconds),
    currency: values.currency,
    json,
    profile: values.profile === undefined ? undefined : resolve(values.profile)
  }
}
