import { assistant } from "./assistant.ts"
import { type ComparedName, compared } from "./catalogue.ts"
import { coldStart } from "./coldStart.ts"
import { expenses } from "./expenseGrowth.ts"
import { growth } from "./growth.ts"
import { latency } from "./latency.ts"
import { memory } from "./memory.ts"
import { overload } from "./overload.ts"
import { processes } from "./processes.ts"
import type { Study } from "./Study.ts"
import { webhooks } from "./webhooks.ts"

/** Scenarios of their own kind, by the name that `--scenario` knows them by. */
export const studies = {
  latency,
  growth,
  "cold-start": coldStart,
  memory,
  processes,
  overload,
  expenses,
  assistant,
  webhooks
} satisfies Record<string, Study>

export type ScenarioChoice = ComparedName | keyof typeof studies

export const isCompared = (name: string): name is ComparedName => compared.some((each) => each === name)
const isStudy = (name: string): name is keyof typeof studies => Object.hasOwn(studies, name)
export const isScenario = (name: string): name is ScenarioChoice => isCompared(name) || isStudy(name)

export const scenarioNames: ReadonlyArray<string> = [...compared, ...Object.keys(studies)]
/** In the order in which `all` runs them. */
export const scenarioChoices: ReadonlyArray<ScenarioChoice> = scenarioNames.filter(isScenario)
