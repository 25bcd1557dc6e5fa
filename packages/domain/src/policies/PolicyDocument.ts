import type { ApprovalStepRule } from "../approvals/ApprovalStep.ts"
import { isoTime } from "../time/IsoTime.ts"
import { writeCondition } from "./Condition.ts"
import type { Policy } from "./Policy.ts"

/** A step of a chain as the API shows it. */
export const stepDocument = ({ escalateAfterHours, ...rule }: ApprovalStepRule) => ({
  ...rule,
  ...(escalateAfterHours === undefined ? {} : { escalate_after_hours: escalateAfterHours })
})

/** A policy as the API shows it, snake_case JSON: in answers and in the audit trail. */
export const policyDocument = (policy: Policy) => ({
  id: policy.id,
  version: policy.version,
  name: policy.name,
  scope: policy.scope,
  enforcement: policy.enforcement,
  message: policy.message,
  conditions: writeCondition(policy.conditions),
  approval_steps: policy.approvalSteps.map(stepDocument),
  active: policy.active,
  created_at: isoTime(policy.createdAt),
  updated_at: isoTime(policy.updatedAt)
})
