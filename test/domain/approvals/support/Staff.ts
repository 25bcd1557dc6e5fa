import type { Approval } from "@sarraf/domain/approvals/Approval"
import { opened } from "@sarraf/domain/approvals/Approval"
import type { ApprovalRequest } from "@sarraf/domain/approvals/ApprovalEngine"
import type { Situation } from "@sarraf/domain/approvals/ApprovalStanding"
import type { ApprovalStepRule } from "@sarraf/domain/approvals/ApprovalStep"
import type { Delegation } from "@sarraf/domain/approvals/Delegation"
import type { Caller, Role } from "@sarraf/domain/organizations/Caller"
import type { Member } from "@sarraf/domain/organizations/Members"

export const organizationId = "org_staff"

/** A person by a short name: `usr_ada`, called Ada. */
export const member = (
  name: string,
  role: Role,
  changes: Partial<Pick<Member, "status" | "managerId" | "departmentId">> = {}
): Member => ({
  userId: `usr_${name}`,
  email: `${name}@staff.test`,
  name: name.charAt(0).toUpperCase() + name.slice(1),
  role,
  status: "ACTIVE",
  departmentId: null,
  managerId: null,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  ...changes
})

export const user = (name: string, role: Role = "APPROVER"): Caller["Service"] => ({
  organizationId,
  role,
  name: `user:usr_${name}`,
  kind: "user",
  userId: `usr_${name}`,
  createdBy: null
})

/** A key by its id, and the short name of who made it. */
export const key = (id: string, role: Role, maker: string | null = null): Caller["Service"] => ({
  organizationId,
  role,
  name: `key:${id}`,
  kind: "key",
  userId: null,
  createdBy: maker === null ? null : `usr_${maker}`
})

export const delegation = (from: string, to: string, changes: Partial<Delegation> = {}): Delegation => ({
  id: `del_${from}_${to}`,
  from: `usr_${from}`,
  to: `usr_${to}`,
  startsAt: 0,
  endsAt: 1000,
  endedAt: null,
  reason: null,
  createdBy: `user:usr_${from}`,
  createdAt: 0,
  ...changes
})

export const situation = (
  members: ReadonlyArray<Member>,
  {
    delegations = [],
    ...settings
  }: Partial<Situation["settings"]> & { readonly delegations?: ReadonlyArray<Delegation> } = {}
): Situation => ({
  members: new Map(members.map((one) => [one.userId, one])),
  delegations,
  settings: { apiKeysMayApprove: true, soleOwnerMayApprove: false, ...settings }
})

export const request = (
  steps: ReadonlyArray<ApprovalStepRule>,
  { concerned = [], ...changes }: Partial<ApprovalRequest> = {}
): ApprovalRequest => ({
  id: "apr_1",
  subject: { type: "expense", id: "exp_lunch", version: 2 },
  concerned,
  submitterId: concerned[0] ?? null,
  summary: "Migros, 149.90 TRY",
  ...changes,
  steps
})

export const approvalOf = (...asked: Parameters<typeof request>): Approval =>
  opened({ ...request(...asked), id: "apr_lunch" }, "key:shop", 0)
