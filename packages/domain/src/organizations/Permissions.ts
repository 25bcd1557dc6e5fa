import { Effect, Struct } from "effect"
import { Caller, type Role, RoleMissing, roles } from "./Caller.ts"

/**
 * Which rows a role reaches with an action. `own`: those that the caller made, or that are for it. `decidable`: its own,
 * and those that it may decide or has decided. `all`: every row of the organization.
 */
export type Reach = "own" | "decidable" | "all"

type Grants = Partial<Readonly<Record<Role, Reach>>>

const everybody = (reach: Reach): Grants => ({
  MEMBER: reach,
  APPROVER: reach,
  ADMIN: reach,
  OWNER: reach,
  AUDITOR: reach
})
/** Everybody who writes at all: an AUDITOR does not. */
const writersOwn: Grants = { MEMBER: "own", APPROVER: "own", ADMIN: "all", OWNER: "all" }
const administrators: Grants = { ADMIN: "all", OWNER: "all" }
const administratorsAndAuditors: Grants = { ...administrators, AUDITOR: "all" }
const allButMembers: Grants = { APPROVER: "all", ...administratorsAndAuditors }
const owners: Grants = { OWNER: "all" }

/**
 * Role × action → reach (contract section 3). The guard of every use case, the role table in `docs/access.md` and the
 * tests of who may do what are derived from this table and from nothing else.
 */
export const permissions = {
  "organization.read": everybody("all"),
  "organization.change": administrators,
  "member.read": { MEMBER: "own", ...allButMembers },
  "member.change": administrators,
  "session.manage": everybody("own"),
  "credential.read": { OWNER: "all", AUDITOR: "all" },
  "credential.change": owners,
  "assistantToken.manage": { ...everybody("own"), OWNER: "all" },
  "audit.read": administratorsAndAuditors,
  "expense.create": writersOwn,
  "expense.read": { MEMBER: "own", APPROVER: "decidable", ...administratorsAndAuditors },
  "expense.change": writersOwn,
  "expense.decide": { APPROVER: "decidable", ...administrators },
  "expense.reimburse": administrators,
  "receipt.create": writersOwn,
  "receipt.read": { MEMBER: "own", APPROVER: "decidable", ...administratorsAndAuditors },
  "policy.read": everybody("all"),
  "policy.change": administrators,
  "policy.evaluate": allButMembers,
  "approval.read": { MEMBER: "own", APPROVER: "decidable", ...administratorsAndAuditors },
  "approval.decide": { APPROVER: "decidable", ...administrators },
  "delegation.manage": { APPROVER: "own", ...administrators },
  "rate.read": everybody("all"),
  "rate.change": administrators,
  "report.read": allButMembers,
  "statistics.read": { MEMBER: "own", ...allButMembers },
  "event.read": administratorsAndAuditors,
  "webhook.read": administratorsAndAuditors,
  "webhook.change": administrators,
  "card.read": { MEMBER: "own", APPROVER: "own", ...administratorsAndAuditors },
  "bill.read": allButMembers,
  "vendor.read": allButMembers,
  "payment.read": administratorsAndAuditors,
  "assistantConnection.manage": { ...everybody("own"), OWNER: "all" },
  "routingPolicy.read": allButMembers,
  "routingPolicy.change": administrators
} as const satisfies Readonly<Record<string, Grants>>

export type Action = keyof typeof permissions

export const actions: ReadonlyArray<Action> = Struct.keys(permissions)

/** How far the role reaches with the action; undefined: not at all. */
export const reachOf = (role: Role, action: Action): Reach | undefined => {
  const grants: Grants = permissions[action]
  return grants[role]
}

/** The roles that may do it at all, lowest first. */
export const rolesWith = (action: Action): ReadonlyArray<Role> =>
  roles.filter((role) => reachOf(role, action) !== undefined)

/** The caller and how far it reaches with this action; `RoleMissing` where its role has no part in it. */
export const permitted = (
  action: Action
): Effect.Effect<{ readonly caller: Caller["Service"]; readonly reach: Reach }, RoleMissing, Caller> =>
  Effect.flatMap(Caller, (caller) => {
    const reach = reachOf(caller.role, action)
    return reach === undefined
      ? Effect.fail(new RoleMissing({ needed: rolesWith(action) }))
      : Effect.succeed({ caller, reach })
  })

/** Each role's place in MEMBER ⊂ APPROVER ⊂ ADMIN ⊂ OWNER; AUDITOR has none. */
const ladder: ReadonlyArray<Role> = ["MEMBER", "APPROVER", "ADMIN", "OWNER"]

/** Whether who has `role` counts as one of `wanted`: an OWNER is an APPROVER too, an AUDITOR is only itself. */
export const countsAs = (role: Role, wanted: ReadonlyArray<Role>): boolean =>
  wanted.some((one) => one === role || (ladder.includes(one) && ladder.indexOf(role) > ladder.indexOf(one)))
