import { isoTime, isoTimeOrNull } from "../time/IsoTime.ts"
import type { Approval } from "./Approval.ts"
import { type Decider, type Situation, standingOf } from "./ApprovalStanding.ts"

/** More names than this help nobody: whoever has the role is meant. */
const waitingForMax = 100

const waitingFor = ({ capacity, member }: Decider) => ({
  user_id: member.userId,
  name: member.name,
  on_behalf_of: capacity.onBehalfOf
})

const stepStatus = ({ status, step }: Approval, number: number) => {
  if (number > step) return "WAITING" as const
  return number < step ? ("APPROVED" as const) : status
}

/** `user:usr_…` as the member's name; null for a key. */
const nameOf = (by: string, { members }: Situation): string | null =>
  members.get(by.replace(/^user:/u, ""))?.name ?? null

/** Why an open step cannot be completed by anybody. */
export const blockedReason =
  "Nobody is left who may decide this step: whoever could is concerned by the request, has decided already or has left. Add a member with the role, or withdraw the request."

/** An approval as the API and its events show it. */
export const approvalDocument = (approval: Approval, situation: Situation) => {
  const standing = approval.status === "OPEN" ? standingOf(approval, situation) : undefined
  return {
    id: approval.id,
    version: approval.version,
    status: approval.status,
    subject: approval.subject,
    summary: approval.summary,
    submitter_id: approval.submitterId,
    opened_by: approval.openedBy,
    /** The open one, from 1; of an approval that has ended, the one that it ended in. */
    current_step: approval.step + 1,
    steps: approval.steps.map((rule, number) => ({
      number: number + 1,
      status: stepStatus(approval, number),
      mode: rule.mode,
      roles: rule.roles ?? [],
      users: rule.users ?? [],
      manager: rule.manager ?? false,
      decisions: approval.decisions
        .filter(({ step }) => step === number)
        .map(({ at, by, decision, isSoleOwner, onBehalfOf, reason }) => ({
          by,
          by_name: nameOf(by, situation),
          on_behalf_of: onBehalfOf,
          sole_owner: isSoleOwner,
          decision,
          reason,
          decided_at: isoTime(at)
        }))
    })),
    waiting_for: standing?.deciders.slice(0, waitingForMax).map(waitingFor) ?? [],
    blocked_reason: standing?.isBlocked === true ? blockedReason : null,
    due_at: approval.status === "OPEN" ? isoTime(approval.dueAt) : null,
    escalated_at: isoTimeOrNull(approval.escalatedAt),
    completed_at: isoTimeOrNull(approval.endedAt),
    created_at: isoTime(approval.openedAt),
    updated_at: isoTime(approval.updatedAt)
  }
}
export type ApprovalDocument = ReturnType<typeof approvalDocument>
