import { Struct } from "effect"
import type { Instant } from "../time/Instant.ts"
import type { ApprovalRequest, ApprovalSubject } from "./ApprovalEngine.ts"
import { type ApprovalStepRule, usualEscalationHours, usualSteps } from "./ApprovalStep.ts"

/** state × command → state. `advance` opens the next step; `approve` is the last decision of the last step. */
export const approvalTransitions = {
  OPEN: { advance: "OPEN", escalate: "OPEN", approve: "APPROVED", reject: "REJECTED", cancel: "CANCELLED" },
  APPROVED: {},
  REJECTED: {},
  CANCELLED: {}
} as const

export const approvalStatuses = Struct.keys(approvalTransitions)
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** What one caller decided in one step. */
export interface ApprovalDecision {
  /** Which step, from 0. */
  readonly step: number
  /** `user:usr_…` or `key:…`. */
  readonly by: string
  /** The persons behind it, see `personsBehind`: none for a key that nobody made. */
  readonly persons: ReadonlyArray<string>
  /** The person whose power was used, where a delegate decided. */
  readonly onBehalfOf: string | null
  /** The places of the step that it could fill when it was made. */
  readonly places: ReadonlyArray<number>
  /** An OWNER decided although concerned, or a second time, since nobody else was left (`soleOwnerMayApprove`). */
  readonly isSoleOwner: boolean
  readonly decision: "approve" | "reject"
  readonly reason: string | null
  readonly at: Instant
}

/** A version of a request on its way through its steps (contract section 6). */
export interface Approval {
  readonly id: string
  /** From 1, one more with every change. */
  readonly version: number
  readonly subject: ApprovalSubject
  /** None of these persons decides. */
  readonly concerned: ReadonlyArray<string>
  readonly submitterId: string | null
  /** `user:usr_…` or `key:…`. */
  readonly openedBy: string
  readonly summary: string
  readonly status: ApprovalStatus
  /** At least one. */
  readonly steps: ReadonlyArray<ApprovalStepRule>
  /** The step that is open, from 0; once the approval has ended, the one it ended in. */
  readonly step: number
  /** In the order in which they were made. */
  readonly decisions: ReadonlyArray<ApprovalDecision>
  /** When ADMINs and OWNERs may decide the open step too. */
  readonly dueAt: Instant
  /** When they were asked to; null: not yet, in this step. */
  readonly escalatedAt: Instant | null
  readonly openedAt: Instant
  readonly endedAt: Instant | null
  readonly updatedAt: Instant
}

const dueAfter = (rule: ApprovalStepRule | undefined, at: Instant): Instant =>
  at + (rule?.escalateAfterHours ?? usualEscalationHours) * 3_600_000

const changed = <Status extends ApprovalStatus>(approval: Approval, status: Status, at: Instant) => ({
  ...approval,
  version: approval.version + 1,
  status,
  endedAt: status === "OPEN" ? null : at,
  updatedAt: at
})

/** A new approval in its first step. Without steps it has the usual one: never none, which nobody would have to decide. */
export const opened = (request: ApprovalRequest, openedBy: string, at: Instant): Approval => {
  const steps = request.steps.length === 0 ? usualSteps : request.steps
  return {
    id: request.id,
    version: 1,
    subject: request.subject,
    concerned: request.concerned,
    submitterId: request.submitterId,
    openedBy,
    summary: request.summary,
    status: "OPEN",
    steps,
    step: 0,
    decisions: [],
    dueAt: dueAfter(steps[0], at),
    escalatedAt: null,
    openedAt: at,
    endedAt: null,
    updatedAt: at
  }
}

/** After a decision: only a cancellation, which nobody decides, leads to the fourth state. */
type Decided = Approval & { readonly status: "OPEN" | "APPROVED" | "REJECTED" }

/** Of an open approval, with a decision that may be made in its step. `isComplete`: the step needs no other one. */
export const decided = (approval: Approval, decision: ApprovalDecision, isComplete: boolean): Decided => {
  const { advance, approve, reject } = approvalTransitions.OPEN
  const withIt = { ...approval, decisions: [...approval.decisions, decision] }
  if (decision.decision === "reject") return changed(withIt, reject, decision.at)
  if (!isComplete) return changed(withIt, "OPEN", decision.at)
  const next = approval.step + 1
  if (next === approval.steps.length) return changed(withIt, approve, decision.at)
  const dueAt = dueAfter(approval.steps[next], decision.at)
  return { ...changed(withIt, advance, decision.at), step: next, dueAt, escalatedAt: null }
}

/** Of an open approval: its request was withdrawn or changed. */
export const cancelled = (approval: Approval, at: Instant): Approval =>
  changed(approval, approvalTransitions.OPEN.cancel, at)

/** Of an open approval whose step is due: ADMINs and OWNERs may decide it too. */
export const escalated = (approval: Approval, at: Instant): Approval => ({
  ...changed(approval, approvalTransitions.OPEN.escalate, at),
  escalatedAt: at
})
