import { Result } from "effect"
import { Forbidden, InvalidFields, NotFound, StateRefused } from "../errors/Refusals.ts"
import type { Instant } from "../time/Instant.ts"
import type { Role } from "./Caller.ts"
import type { Department, Member } from "./Members.ts"

/** What is to be another one; what is undefined stays. */
export interface MemberChange {
  readonly name?: string | undefined
  readonly role?: Role | undefined
  /** Null: none. */
  readonly departmentId?: string | null | undefined
  readonly managerId?: string | null | undefined
  readonly status?: "ACTIVE" | "INACTIVE" | undefined
}

/** Who changes members, and the persons who act when it does. */
export interface MemberActor {
  readonly role: Role
  readonly persons: ReadonlyArray<string>
}

/** The organization as a change finds it. */
export interface Staff {
  readonly members: ReadonlyArray<Member>
  readonly departments: ReadonlyArray<Pick<Department, "id">>
}

type Refusal = Forbidden | InvalidFields | NotFound | StateRefused

const ownersOnly = new Forbidden({ reason: "Only an OWNER makes, changes or removes an OWNER." })

/** An ADMIN can neither make, change nor remove an OWNER. */
export const ownerFault = (actor: Pick<MemberActor, "role">, ...rolesTouched: ReadonlyArray<Role>) =>
  actor.role !== "OWNER" && rolesTouched.includes("OWNER") ? ownersOnly : undefined

/** Whether following managers from `managerId` leads to the member: then nobody would be above them. */
const isAbove = (members: ReadonlyArray<Member>, memberId: string, managerId: string): boolean => {
  const managerOf = new Map(members.map((member) => [member.userId, member.managerId]))
  const seen = new Set<string>()
  let above: string | null | undefined = managerId
  while (above != null && !seen.has(above)) {
    if (above === memberId) return true
    seen.add(above)
    above = managerOf.get(above)
  }
  return false
}

/**
 * What is wrong with a member's place: its department and manager must be the organization's, else they are not found at
 * their path (contract section 1), and managers make no circle.
 */
export const placeFaults = (
  { departments, members }: Staff,
  memberId: string,
  { departmentId, managerId }: Pick<MemberChange, "departmentId" | "managerId">
): InvalidFields | NotFound | undefined => {
  const manager = members.find(({ userId }) => userId === managerId)
  if (departmentId != null && !departments.some(({ id }) => id === departmentId)) {
    return new NotFound({ resource: "department (department_id)", id: departmentId })
  }
  if (managerId == null) return undefined
  if (manager === undefined || manager.status === "INACTIVE") {
    return new NotFound({ resource: "member (manager_id)", id: managerId })
  }
  return isAbove(members, memberId, managerId)
    ? new InvalidFields({
        faults: [{ path: "manager_id", message: "would make a circle: the member is above this manager" }]
      })
    : undefined
}

const isActiveOwner = ({ role, status }: Member): boolean => role === "OWNER" && status === "ACTIVE"

const changedKeys = (before: Member, after: Member): ReadonlyArray<keyof Member> =>
  (["name", "role", "departmentId", "managerId", "status"] as const).filter((key) => before[key] !== after[key])

/** What the state of the member, or of the organization without it, does not allow. */
const stateFault = (staff: Staff, before: Member, after: Member): StateRefused | undefined => {
  if (before.status !== after.status && before.status === "INVITED" && after.status === "ACTIVE") {
    const reason = "An invitation is accepted by the person, through its link."
    return new StateRefused({ resource: "member", status: "INVITED", allowed: ["INACTIVE"], reason })
  }
  const others = staff.members.filter(({ userId }) => userId !== before.userId)
  if (isActiveOwner(before) && !isActiveOwner(after) && !others.some(isActiveOwner)) {
    const reason = "The organization would have no active OWNER: make another one first."
    return new StateRefused({ resource: "member", status: "the last active OWNER", allowed: ["other changes"], reason })
  }
  return undefined
}

/**
 * The member after the change, of the next version; the same member where nothing changes. Nobody changes the role or
 * status of a person who acts, through a key that they made either; an ADMIN leaves OWNERs alone; the last active OWNER
 * stays one; managers make no circle.
 */
export const changeMember = (
  staff: Staff,
  actor: MemberActor,
  before: Member,
  change: MemberChange,
  at: Instant
): Result.Result<Member, Refusal> => {
  const after: Member = {
    ...before,
    name: change.name ?? before.name,
    role: change.role ?? before.role,
    departmentId: change.departmentId === undefined ? before.departmentId : change.departmentId,
    managerId: change.managerId === undefined ? before.managerId : change.managerId,
    status: change.status ?? before.status,
    version: before.version + 1,
    updatedAt: at
  }
  const changed = changedKeys(before, after)
  if (changed.length === 0) return Result.succeed(before)
  const touched = ownerFault(actor, before.role, after.role)
  if (touched !== undefined) return Result.fail(touched)
  if (actor.persons.includes(before.userId) && (changed.includes("role") || changed.includes("status"))) {
    return Result.fail(
      new Forbidden({ reason: "Nobody changes their own role or status: ask another ADMIN or OWNER." })
    )
  }
  const place = placeFaults(staff, before.userId, {
    departmentId: changed.includes("departmentId") ? after.departmentId : undefined,
    managerId: changed.includes("managerId") ? after.managerId : undefined
  })
  if (place !== undefined) return Result.fail(place)
  const state = stateFault(staff, before, after)
  return state === undefined ? Result.succeed(after) : Result.fail(state)
}

/** As the API shows it: `department_id`. */
const shownFields = (member: Member, keys: ReadonlyArray<keyof Member>): Readonly<Record<string, unknown>> => {
  const names: Readonly<Record<string, string>> = { departmentId: "department_id", managerId: "manager_id" }
  return Object.fromEntries(keys.map((key) => [names[key] ?? key, member[key]]))
}

/** What the audit trail says of a change: one entry for the role, one for the status, one for the rest. */
export const memberAudit = (before: Member, after: Member) => {
  const changed = changedKeys(before, after)
  const groups = [
    ["member.role_changed", changed.filter((key) => key === "role")],
    [
      after.status === "INACTIVE" ? "member.deactivated" : "member.reactivated",
      changed.filter((key) => key === "status")
    ],
    ["member.changed", changed.filter((key) => key !== "role" && key !== "status")]
  ] as const
  return groups
    .filter(([, keys]) => keys.length > 0)
    .map(([action, keys]) => ({
      action,
      subject: { type: "member", id: before.userId },
      before: shownFields(before, keys),
      after: shownFields(after, keys)
    }))
}
