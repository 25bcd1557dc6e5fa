import { Schema } from "effect"
import { Role } from "../organizations/Caller.ts"

/** Three days: long enough for a weekend, short enough that nobody waits a week for their money. */
export const usualEscalationHours = 72

/** One hour to thirty days. */
export const EscalationHours = Schema.Int.check(
  Schema.makeFilter((hours: number) => (hours >= 1 && hours <= 720) || "must be a whole number from 1 to 720")
)

/**
 * Who decides in a step: everybody who has one of `roles` (or a role above it), each of `users`, and with `manager` the
 * submitter's manager. `any`: one of them is enough. `all`: one person for each of `roles`, every one of `users`, and
 * the manager.
 */
export const ApprovalStepRule = Schema.Struct({
  roles: Schema.optionalKey(Schema.Array(Role)),
  users: Schema.optionalKey(Schema.Array(Schema.String)),
  manager: Schema.optionalKey(Schema.Boolean),
  mode: Schema.Literals(["any", "all"]),
  /** After so many hours ADMINs and OWNERs may decide too; absent: `usualEscalationHours`. */
  escalateAfterHours: Schema.optionalKey(EscalationHours)
})
export type ApprovalStepRule = typeof ApprovalStepRule.Type

/** Where no policy asks for a chain, one decision by any APPROVER or above is enough (contract section 6). */
export const usualSteps: ReadonlyArray<ApprovalStepRule> = [{ roles: ["APPROVER"], mode: "any" }]
