import { type Caller, personsBehind, type Role } from "../organizations/Caller.ts"
import type { Member } from "../organizations/Members.ts"
import type { Organization } from "../organizations/Organizations.ts"
import { countsAs, reachOf } from "../organizations/Permissions.ts"
import type { Approval } from "./Approval.ts"
import type { ApprovalStepRule } from "./ApprovalStep.ts"
import type { Delegation } from "./Delegation.ts"
import { placesShort, placesTaken } from "./Matching.ts"

/** The organization as it is at the moment of asking: who decides is never frozen. */
export interface Situation {
  readonly members: ReadonlyMap<string, Member>
  /** Those in force now. */
  readonly delegations: ReadonlyArray<Delegation>
  readonly settings: Pick<Organization, "apiKeysMayApprove" | "soleOwnerMayApprove">
}

/** One decision that a step needs: by somebody with one of the roles, or by one of the persons. */
interface Place {
  readonly roles: ReadonlyArray<Role>
  readonly persons: ReadonlyArray<string>
}

/** How a caller may decide: in whose stead, and which places of the step it could fill. */
export interface Capacity {
  readonly places: ReadonlyArray<number>
  readonly onBehalfOf: string | null
  readonly isSoleOwner: boolean
}

/** Somebody who may decide in the open step. */
export interface Decider {
  readonly member: Member
  readonly capacity: Capacity
}

/** Who may decide in the open step of an approval, now. */
export interface Standing {
  /** Undefined where the caller may not decide. */
  capacityOf(caller: Caller["Service"]): Capacity | undefined
  /** Everybody who may, by name. */
  readonly deciders: ReadonlyArray<Decider>
  /** No persons are left who could complete the step. */
  readonly isBlocked: boolean
  /** Whether the step is complete with one more approval in this capacity. */
  completes(capacity: Capacity): boolean
}

/** A step without anybody has a place that nobody can fill, so that it goes to the ADMINs and never completes by itself. */
const placesOf = (rule: ApprovalStepRule, manager: string | null): ReadonlyArray<Place> => {
  const roles = rule.roles ?? []
  const managers = rule.manager === true && manager !== null ? [manager] : []
  const users = [...new Set(rule.users)]
  if (rule.mode === "any") return [{ roles, persons: [...users, ...managers] }]
  const places: ReadonlyArray<Place> = [
    ...roles.map((role) => ({ roles: [role], persons: [] })),
    ...users.map((user) => ({ roles: [], persons: [user] })),
    ...(rule.manager === true ? [{ roles: [], persons: managers }] : [])
  ]
  return places.length === 0 ? [{ roles: [], persons: [] }] : places
}

/** Whether a role decides anything at all: a MEMBER or AUDITOR does not, also where a step names the person. */
export const mayDecide = (role: Role): boolean => reachOf(role, "approval.decide") !== undefined

const isAble = (member: Member): boolean => member.status === "ACTIVE" && mayDecide(member.role)

/** The persons who have had a part in the decisions: those who made them, and those in whose stead. */
const involvedIn = (decisions: Approval["decisions"]): ReadonlySet<string> =>
  new Set(
    decisions.flatMap(({ by, onBehalfOf, persons }) => [by, ...persons, ...(onBehalfOf === null ? [] : [onBehalfOf])])
  )

/** The persons of a caller, and its own name for a key that nobody made. */
const identitiesOf = (caller: Caller["Service"]): ReadonlyArray<string> => [caller.name, ...personsBehind(caller)]

/** Whether the caller has a part in a decision of the open step already. */
export const hasDecided = (approval: Approval, caller: Caller["Service"]): boolean => {
  const involved = involvedIn(approval.decisions.filter(({ step }) => step === approval.step))
  return identitiesOf(caller).some((one) => involved.has(one))
}

/** Whether the caller is, or acts for, one of the persons who may not decide. */
export const isConcerned = ({ concerned }: Pick<Approval, "concerned">, caller: Caller["Service"]): boolean =>
  personsBehind(caller).some((person) => concerned.includes(person))

/**
 * Works out who may decide in the open step (contract section 6). Each required decision, also of different steps, is
 * by a distinct person who is not concerned. Places that such persons cannot fill go to the ADMINs and OWNERs, all
 * places do once the step is escalated, and what is short even then to an OWNER where the organization allows it.
 */
export const standingOf = (approval: Approval, situation: Situation): Standing => {
  const { delegations, members, settings } = situation
  const everybody = [...members.values()].filter(isAble)
  const manager = approval.submitterId === null ? null : (members.get(approval.submitterId)?.managerId ?? null)
  const places = placesOf(approval.steps[approval.step] ?? { mode: "any" }, manager)
  const given = approval.decisions.filter(({ step }) => step === approval.step).map((decision) => decision.places)
  const involved = involvedIn(approval.decisions)
  const involvedHere = involvedIn(approval.decisions.filter(({ step }) => step === approval.step))
  const isFree = (person: string) => !involved.has(person) && !approval.concerned.includes(person)
  const free = everybody.filter(({ userId }) => isFree(userId))

  const placesWhere = (fits: (place: Place, number: number) => boolean) =>
    places.flatMap((place, number) => (fits(place, number) ? [number] : []))
  const fillable = ({ role, userId }: Member, widened: ReadonlySet<number>) =>
    placesWhere(
      (place, number) =>
        countsAs(role, place.roles) ||
        place.persons.includes(userId) ||
        (widened.has(number) && countsAs(role, ["ADMIN"]))
    )
  const shortOf = (widened: ReadonlySet<number>, others: ReadonlyArray<ReadonlyArray<number>> = []) =>
    placesShort([...given, ...free.map((member) => fillable(member, widened)), ...others], places.length)

  const widened = approval.escalatedAt === null ? shortOf(new Set()) : new Set(places.keys())
  const short = shortOf(widened)
  const soleOwners = settings.soleOwnerMayApprove
    ? everybody.filter(({ role, userId }) => role === "OWNER" && !isFree(userId) && !involvedHere.has(userId))
    : []
  const isBlocked =
    shortOf(
      widened,
      soleOwners.map(() => [...short])
    ).size > 0

  const helps = ({ places: possible }: Capacity) => placesTaken([...given, possible], places.length) > given.length

  const capacityOfMember = (member: Member): Capacity | undefined => {
    if (!isAble(member)) return undefined
    if (soleOwners.includes(member)) {
      const alone = { places: [...short], onBehalfOf: null, isSoleOwner: true }
      return helps(alone) ? alone : undefined
    }
    if (!isFree(member.userId)) return undefined
    const own = { places: fillable(member, widened), onBehalfOf: null, isSoleOwner: false }
    // One's own power first: the delegator's stays for the delegator.
    if (helps(own)) return own
    for (const { from, to } of delegations) {
      const delegator = to === member.userId ? free.find(({ userId }) => userId === from) : undefined
      if (delegator === undefined) continue
      const instead = { places: fillable(delegator, widened), onBehalfOf: from, isSoleOwner: false }
      if (helps(instead)) return instead
    }
    return undefined
  }

  const capacityOfKey = (caller: Caller["Service"]): Capacity | undefined => {
    if (!settings.apiKeysMayApprove || !mayDecide(caller.role)) return undefined
    if (!identitiesOf(caller).every(isFree)) return undefined
    // A key has a role and is nobody: it stands in for no person that a step names.
    const capacity = {
      places: placesWhere(
        ({ roles }, number) =>
          roles.length > 0 && countsAs(caller.role, widened.has(number) ? [...roles, "ADMIN"] : roles)
      ),
      onBehalfOf: null,
      isSoleOwner: false
    }
    return helps(capacity) ? capacity : undefined
  }

  return {
    capacityOf: (caller) => {
      if (caller.kind === "key") return capacityOfKey(caller)
      const member = caller.kind === "user" && caller.userId !== null ? members.get(caller.userId) : undefined
      return member === undefined ? undefined : capacityOfMember(member)
    },
    get deciders() {
      return everybody.flatMap((member) => {
        const capacity = capacityOfMember(member)
        return capacity === undefined ? [] : [{ member, capacity }]
      })
    },
    isBlocked,
    completes: ({ places: possible }) => placesTaken([...given, possible], places.length) === places.length
  }
}
