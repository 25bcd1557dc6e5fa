import { authorize } from "./authorize.ts"
import type { Scenario } from "./Scenario.ts"

/** Every scenario by the name that `--scenario` and the report know it by. */
export const scenarios = { authorize } satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

export const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name)
