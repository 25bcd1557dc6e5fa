import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { PolicyFacts } from "../policies/PolicyFacts.ts"
import type { Expense } from "./Expense.ts"

/** Gathers what policies may ask about an expense, stored or only imagined. */
export class ExpenseFacts extends Context.Service<
  ExpenseFacts,
  {
    /** `currencies`: the other currencies that operands name, see `PolicyEvaluator.currencies`. Rates that the expense froze are used as they are. */
    gather(expense: Expense, currencies: ReadonlyArray<string>): Effect.Effect<PolicyFacts, Unavailable, Caller>
  }
>()("@sarraf/domain/expenses/ExpenseFacts") {}
