import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { PolicyFacts, PolicyNeeds } from "../policies/PolicyFacts.ts"
import type { Expense } from "./Expense.ts"

/** Gathers what policies may ask about an expense, stored or only imagined. */
export class ExpenseFacts extends Context.Service<
  ExpenseFacts,
  {
    /** `needs` as the policies tell them, see `ActivePolicies`. Rates that the expense froze are used as they are. */
    gather(expense: Expense, needs: PolicyNeeds): Effect.Effect<PolicyFacts, Unavailable, Caller>
  }
>()("@sarraf/domain/expenses/ExpenseFacts") {}
