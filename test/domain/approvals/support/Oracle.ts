import type { Approval, ApprovalDecision } from "@sarraf/domain/approvals/Approval"
import type { Situation } from "@sarraf/domain/approvals/ApprovalStanding"
import type { ApprovalStepRule } from "@sarraf/domain/approvals/ApprovalStep"
import type { Caller, Role } from "@sarraf/domain/organizations/Caller"

/**
 * The rules of approvals once more, written from the contract and by trying every possibility: who takes which place is
 * not worked out but enumerated. Slow, and with no code in common with what it judges.
 */

const rank: Readonly<Record<Role, number>> = { MEMBER: 1, APPROVER: 2, ADMIN: 3, OWNER: 4, AUDITOR: 0 }
const decides = (role: Role) => rank[role] >= 2
const covers = (role: Role, wanted: Role) => (wanted === "AUDITOR" ? role === "AUDITOR" : rank[role] >= rank[wanted])

interface Seat {
  readonly roles: ReadonlyArray<Role>
  readonly people: ReadonlyArray<string>
}

export const seatsOf = (rule: ApprovalStepRule, manager: string | null | undefined): ReadonlyArray<Seat> => {
  const boss = manager == null ? [] : [manager]
  const roles = rule.roles ?? []
  const users = (rule.users ?? []).filter((one, index, all) => all.indexOf(one) === index)
  if (rule.mode === "any") return [{ roles, people: rule.manager === true ? [...users, ...boss] : users }]
  const seats: Array<Seat> = []
  for (const role of roles) seats.push({ roles: [role], people: [] })
  for (const one of users) seats.push({ roles: [], people: [one] })
  if (rule.manager === true) seats.push({ roles: [], people: boss })
  return seats.length > 0 ? seats : [{ roles: [], people: [] }]
}

type Sitters = ReadonlyArray<ReadonlyArray<number>>

/** Every way to put sitters on seats, as the seats that stay empty. */
const seatings = (
  sitters: Sitters,
  seats: number,
  seat = 0,
  used: ReadonlySet<number> = new Set()
): Array<Array<number>> => {
  if (seat === seats) return [[]]
  const ways = seatings(sitters, seats, seat + 1, used).map((empty) => [seat, ...empty])
  for (const [sitter, possible] of sitters.entries()) {
    if (used.has(sitter) || !possible.includes(seat)) continue
    ways.push(...seatings(sitters, seats, seat + 1, new Set([...used, sitter])))
  }
  return ways
}

const fewestEmpty = (sitters: Sitters, seats: number) =>
  Math.min(...seatings(sitters, seats).map((empty) => empty.length))

/** Whether all seats can be taken at once. */
export const canFill = (sitters: Sitters, seats: number) => fewestEmpty(sitters, seats) === 0

/** The seats that are empty in some best seating. */
export const emptyInSome = (sitters: Sitters, seats: number): ReadonlyArray<number> => {
  const ways = seatings(sitters, seats)
  const best = Math.min(...ways.map((empty) => empty.length))
  return [...new Set(ways.filter((empty) => empty.length === best).flat())].sort()
}

interface Verdict {
  readonly may: boolean
  /** Whether one more approval by the caller is the step's last. */
  readonly completes: boolean
}

const touching = ({ by, onBehalfOf, persons }: ApprovalDecision) => [by, onBehalfOf, ...persons]

/** Whether the caller may decide the open step, and with what effect. */
export const judge = (
  approval: Approval,
  { delegations, members, settings }: Situation,
  caller: Caller["Service"]
): Verdict => {
  const rule = approval.steps[approval.step]
  if (rule === undefined || approval.status !== "OPEN") return { may: false, completes: false }
  const here = approval.decisions.filter(({ step }) => step === approval.step)
  const given = here.map(({ places }) => places)
  const seats = seatsOf(rule, members.get(approval.submitterId ?? "")?.managerId)
  const numbers = seats.map((_, number) => number)
  const seen = approval.decisions.flatMap(touching)
  const seenHere = here.flatMap(touching)
  const staff = [...members.values()].filter(({ role, status }) => status === "ACTIVE" && decides(role))
  const isClean = (id: string) => !approval.concerned.includes(id) && !seen.includes(id)
  const available = staff.filter(({ userId }) => isClean(userId))
  const seatsFor = (id: string, role: Role, toAdministrators: ReadonlyArray<number>) =>
    numbers.filter((number) => {
      const { people, roles } = seats[number] ?? { people: [], roles: [] }
      if (people.includes(id) || roles.some((wanted) => covers(role, wanted))) return true
      return toAdministrators.includes(number) && (role === "ADMIN" || role === "OWNER")
    })
  const withAvailable = (opened: ReadonlyArray<number>) =>
    emptyInSome([...given, ...available.map(({ role, userId }) => seatsFor(userId, role, opened))], seats.length)
  const opened = approval.escalatedAt === null ? withAvailable([]) : numbers
  const stillEmpty = withAvailable(opened)

  const before = fewestEmpty(given, seats.length)
  const effect = (possible: ReadonlyArray<number>): Verdict => {
    const after = fewestEmpty([...given, possible], seats.length)
    return { may: after < before, completes: after === 0 }
  }
  const no: Verdict = { may: false, completes: false }

  if (caller.kind === "key") {
    const own = [caller.name, ...(caller.createdBy === null ? [] : [caller.createdBy])]
    if (!settings.apiKeysMayApprove || !decides(caller.role) || !own.every(isClean)) return no
    return effect(seatsFor("nobody", caller.role, opened).filter((number) => (seats[number]?.roles.length ?? 0) > 0))
  }
  const self = staff.find(({ userId }) => userId === caller.userId)
  if (self === undefined) return no
  if (!isClean(self.userId)) {
    const isAllowed = settings.soleOwnerMayApprove && self.role === "OWNER" && !seenHere.includes(self.userId)
    return isAllowed ? effect(stillEmpty) : no
  }
  const own = effect(seatsFor(self.userId, self.role, opened))
  if (own.may) return own
  for (const { from, to } of delegations) {
    const absent = available.find(({ userId }) => userId === from)
    if (to !== self.userId || absent === undefined) continue
    const instead = effect(seatsFor(from, absent.role, opened))
    if (instead.may) return instead
  }
  return no
}
