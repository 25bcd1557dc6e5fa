import { assert, describe, it } from "@effect/vitest"
import { type Approval, decided, escalated } from "@sarraf/domain/approvals/Approval"
import { type Situation, standingOf } from "@sarraf/domain/approvals/ApprovalStanding"
import type { ApprovalStepRule } from "@sarraf/domain/approvals/ApprovalStep"
import { type Caller, personsBehind, Role } from "@sarraf/domain/organizations/Caller"
import { Schema } from "effect"
import { canFill, judge, seatsOf } from "./support/Oracle.ts"
import { approvalOf, delegation, key, member, situation, user } from "./support/Staff.ts"

/** Five persons are enough for every conflict that two steps of three places can have. */
const names = ["ada", "ben", "cem", "dua", "eda"] as const
const Name = Schema.Literals(names)
/** Twice the more frequent, so that more than one approval in a hundred comes to its end. */
const AnyRole = Schema.Literals(["APPROVER", "APPROVER", "ADMIN", "OWNER", "MEMBER", "AUDITOR"])
const few = <S extends Schema.Constraint>(schema: S, lengthMax: number) =>
  Schema.Array(schema).check(Schema.isMaxLength(lengthMax))

const Person = Schema.Struct({
  role: AnyRole,
  status: Schema.Literals(["ACTIVE", "ACTIVE", "ACTIVE", "INACTIVE", "INVITED"]),
  manager: Schema.NullOr(Name)
})
const Staff = Schema.Tuple([Person, Person, Person, Person, Person])
const Rule = Schema.Struct({
  roles: few(Role, 2),
  users: few(Name, 2),
  manager: Schema.Boolean,
  mode: Schema.Literals(["any", "all"])
})
const Attempt = Schema.Struct({
  by: Schema.Union([
    Name,
    Name,
    Schema.Struct({ id: Schema.Literals(["k1", "k2"]), role: Role, maker: Schema.NullOr(Name) })
  ]),
  /** In which of two situations: people come, go and change their role in between. */
  later: Schema.Boolean,
  escalates: Schema.Boolean,
  decision: Schema.Literals(["approve", "approve", "approve", "approve", "reject"])
})
const Case = Schema.Struct({
  now: Staff,
  later: Staff,
  delegations: few(Schema.Struct({ from: Name, to: Name }), 3),
  settings: Schema.Struct({ apiKeysMayApprove: Schema.Boolean, soleOwnerMayApprove: Schema.Boolean }),
  rules: few(Rule, 2).check(Schema.isMinLength(1)),
  concerned: few(Name, 2),
  attempts: few(Attempt, 8)
})
type Case = typeof Case.Type

const situationOf = ({ delegations, settings }: Case, staff: typeof Staff.Type): Situation =>
  situation(
    names.map((name, index) => {
      const { manager, role, status } = staff[index] ?? { manager: null, role: "MEMBER", status: "INACTIVE" }
      return member(name, role, { status, managerId: manager === null ? null : `usr_${manager}` })
    }),
    { ...settings, delegations: delegations.map(({ from, to }) => delegation(from, to)) }
  )

const ruleOf = ({ users, ...rule }: typeof Rule.Type): ApprovalStepRule => ({
  ...rule,
  users: users.map((name) => `usr_${name}`)
})

const callerOf = (by: (typeof Attempt.Type)["by"]): Caller["Service"] =>
  typeof by === "string" ? user(by) : key(by.id, by.role, by.maker)

/** Lets everybody try in turn, comparing each answer with the oracle's, and gives the approval as it came out. */
const play = (given: Case): Approval => {
  const situations = { now: situationOf(given, given.now), later: situationOf(given, given.later) }
  let approval = approvalOf(given.rules.map(ruleOf), { concerned: given.concerned.map((name) => `usr_${name}`) })
  for (const [at, { by, decision, escalates, later }] of given.attempts.entries()) {
    if (approval.status !== "OPEN") break
    if (escalates && approval.escalatedAt === null) approval = escalated(approval, at)
    const present = later ? situations.later : situations.now
    const caller = callerOf(by)
    const standing = standingOf(approval, present)
    const capacity = standing.capacityOf(caller)
    const expected = judge(approval, present, caller)
    assert.strictEqual(capacity !== undefined, expected.may)
    if (capacity === undefined) continue
    assert.strictEqual(standing.completes(capacity), expected.completes)
    const made = { ...capacity, step: approval.step, by: caller.name, persons: personsBehind(caller), reason: null, at }
    approval = decided(approval, { ...made, decision }, standing.completes(capacity))
  }
  return approval
}

describe("Whatever the people, the rules and the order in which they decide", () => {
  it.prop(
    "an approval ends only with all the people that each of its steps needs",
    [Case],
    ([given]) => {
      const approval = play(given)
      const { decisions, status, steps } = approval
      assert.strictEqual(
        status === "REJECTED",
        decisions.some(({ decision }) => decision === "reject")
      )
      if (status !== "APPROVED") return
      for (const [number, rule] of steps.entries()) {
        const made = decisions.filter(({ step }) => step === number)
        const seats = seatsOf(rule, null).length
        assert.strictEqual(made.length, seats)
        assert.isTrue(
          canFill(
            made.map(({ places }) => places),
            seats
          )
        )
      }
    },
    { arbitrary: { runs: 1500 } }
  )

  it.prop(
    "nobody decides twice in a step, for another too, and no concerned person does unless alone and allowed",
    [Case],
    ([given]) => {
      const { concerned, decisions } = play(given)
      for (const step of [0, 1]) {
        const made = decisions.filter((decision) => decision.step === step)
        const parts = made.flatMap(({ onBehalfOf, persons }) =>
          onBehalfOf === null ? persons : [...persons, onBehalfOf]
        )
        assert.strictEqual(new Set(parts).size, parts.length)
      }
      const usual = decisions.filter(({ isSoleOwner }) => !isSoleOwner)
      for (const { onBehalfOf, persons } of usual) {
        for (const person of [...persons, onBehalfOf ?? ""]) assert.notInclude(concerned, person)
      }
      const parts = usual.flatMap(({ onBehalfOf, persons }) => [
        ...persons,
        ...(onBehalfOf === null ? [] : [onBehalfOf])
      ])
      assert.strictEqual(new Set(parts).size, parts.length)
      if (!given.settings.soleOwnerMayApprove) assert.strictEqual(usual.length, decisions.length)
    },
    { arbitrary: { runs: 1500 } }
  )

  it.prop(
    "those who are waited for may decide, and nobody else who is a member",
    [Case],
    ([given]) => {
      const approval = play(given)
      if (approval.status !== "OPEN") return
      const present = situationOf(given, given.now)
      const { deciders } = standingOf(approval, present)
      const expected = names.filter((name) => judge(approval, present, user(name)).may)
      assert.deepStrictEqual(
        deciders.map(({ member: { userId } }) => userId),
        expected.map((name) => `usr_${name}`)
      )
    },
    { arbitrary: { runs: 1000 } }
  )

  it.prop(
    "an open step that is not blocked can be completed by its people",
    [Case],
    ([given]) => {
      let approval = play(given)
      const present = situationOf(given, given.now)
      const { step } = approval
      if (approval.status !== "OPEN" || standingOf(approval, present).isBlocked) return
      while (approval.status === "OPEN" && approval.step === step) {
        const standing = standingOf(approval, present)
        const [next] = standing.deciders
        assert.isDefined(next, "nobody may decide although the step is not blocked")
        if (next === undefined) return
        const { capacity, member: by } = next
        const persons = [by.userId]
        const made = { ...capacity, step, by: `user:${by.userId}`, persons, reason: null, at: 99 }
        approval = decided(approval, { ...made, decision: "approve" }, standing.completes(capacity))
      }
    },
    { arbitrary: { runs: 1000 } }
  )
})
