import { Schema } from "effect"
import { Role } from "../organizations/Caller.ts"

/**
 * Who decides in a step: everybody who has one of `roles` (or a role above it), each of `users`, and with `manager` the
 * submitter's manager. `any`: one of them is enough. `all`: one person for each of `roles`, every one of `users`, and
 * the manager.
 */
export const ApprovalStepRule = Schema.Struct({
  roles: Schema.optionalKey(Schema.Array(Role)),
  users: Schema.optionalKey(Schema.Array(Schema.String)),
  manager: Schema.optionalKey(Schema.Boolean),
  mode: Schema.Literals(["any", "all"])
})
export type ApprovalStepRule = typeof ApprovalStepRule.Type

/** Where no policy asks for a chain, one decision by any APPROVER or above is enough (contract section 6). */
export const usualSteps: ReadonlyArray<ApprovalStepRule> = [{ roles: ["APPROVER"], mode: "any" }]
