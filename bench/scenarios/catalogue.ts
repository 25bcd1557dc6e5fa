import * as assistant from "./assistantCalls.ts"
import { authorize } from "./authorize.ts"
import { capture } from "./capture.ts"
import * as expenses from "./expenses.ts"
import { list } from "./list.ts"
import { mix } from "./mix.ts"
import { read } from "./read.ts"
import { refund } from "./refund.ts"
import type { Scenario } from "./Scenario.ts"

/** Every work that the load generator can ask for, by the name that `--scenario` and the report know it by. */
export const scenarios = {
  authorize,
  capture,
  refund,
  get: read,
  list,
  mix,
  "expense-create": expenses.create,
  "expense-list": expenses.list,
  "spend-by-category": expenses.spendBy("category"),
  "spend-by-merchant": expenses.spendBy("merchant"),
  stats: expenses.stats,
  "assistant-whoami": assistant.whoami,
  "assistant-list": assistant.listExpenses,
  "assistant-dashboard": assistant.dashboard
} satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

/** Those of which both servers know the whole. */
export const compared = ["authorize", "capture", "refund", "get", "mix"] as const satisfies ReadonlyArray<ScenarioName>

export type ComparedName = (typeof compared)[number]
