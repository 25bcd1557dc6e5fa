import { Forbidden, StateRefused } from "../errors/Refusals.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Approval } from "./Approval.ts"
import { blockedReason } from "./ApprovalDocument.ts"
import { hasDecided, isConcerned, mayDecide, type Situation, type Standing } from "./ApprovalStanding.ts"

/** So many names are told in a sentence. */
const namesMax = 5

/** Who the open step waits for, as a person reads it: `APPROVER or above, Ayşe Kaya`. */
const whoDecides = (approval: Approval, { deciders }: Standing): string => {
  const roles = approval.steps[approval.step]?.roles ?? []
  const names = deciders.slice(0, namesMax).map(({ member }) => member.name)
  const others = deciders.length > namesMax ? [`${deciders.length - namesMax} more`] : []
  return [...roles.map((role) => `${role} or above`), ...names, ...others].join(", ")
}

const whyNot = (approval: Approval, { settings }: Situation, standing: Standing, caller: Caller["Service"]): string => {
  if (!mayDecide(caller.role)) return "Your role decides nothing: this takes an APPROVER or above."
  if (isConcerned(approval, caller)) {
    return caller.kind === "key"
      ? "The person who made this key submitted it or benefits from it, so another person decides."
      : "You submitted it or benefit from it, so another person decides."
  }
  if (caller.kind === "key" && !settings.apiKeysMayApprove)
    return "In this organization persons decide, and no API keys."
  if (standing.isBlocked && standing.deciders.length === 0) return blockedReason
  return `This step is decided by ${whoDecides(approval, standing)}, and every step by another person.`
}

/** Why the caller, who has no capacity in the open step, may not decide there; and who may. */
export const refusalOf = (
  approval: Approval,
  situation: Situation,
  standing: Standing,
  caller: Caller["Service"]
): Forbidden | StateRefused =>
  hasDecided(approval, caller)
    ? new StateRefused({
        resource: "approval",
        status: approval.status,
        allowed: [],
        reason: "You have decided in this step, or somebody did in your stead; it waits for others."
      })
    : new Forbidden({ reason: whyNot(approval, situation, standing, caller) })
