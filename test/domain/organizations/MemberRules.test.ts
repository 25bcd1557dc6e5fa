import { assert, describe, it } from "@effect/vitest"
import { type Role, roles } from "@sarraf/domain/organizations/Caller"
import {
  changeMember,
  type MemberActor,
  type MemberChange,
  memberAudit,
  type Staff
} from "@sarraf/domain/organizations/MemberRules"
import type { Member } from "@sarraf/domain/organizations/Members"
import { Result, Schema } from "effect"

const member = (userId: string, role: Role, changes: Partial<Member> = {}): Member => ({
  userId,
  email: `${userId}@example.com`,
  name: userId,
  role,
  status: "ACTIVE",
  departmentId: null,
  managerId: null,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  ...changes
})

const owner = member("owner", "OWNER")
const admin = member("admin", "ADMIN", { managerId: "owner" })
const clerk = member("clerk", "MEMBER", { managerId: "admin" })
const invited = member("invited", "MEMBER", { status: "INVITED" })
const gone = member("gone", "MEMBER", { status: "INACTIVE" })

const staff: Staff = { members: [owner, admin, clerk, invited, gone], departments: [{ id: "dep_1" }] }
const asOwner: MemberActor = { role: "OWNER", persons: ["owner"] }
const asAdmin: MemberActor = { role: "ADMIN", persons: ["admin"] }
const asKey: MemberActor = { role: "OWNER", persons: [] }

const change = (before: Member, wanted: MemberChange, actor = asOwner, of = staff) =>
  changeMember(of, actor, before, wanted, 1_000)

const refusalOf = (result: ReturnType<typeof change>) =>
  Result.isFailure(result) ? result.failure._tag : assert.fail("It was allowed")

describe("A change of a member", () => {
  it("makes the next version, and nothing where nothing changes", () => {
    const after = Result.getOrThrow(change(clerk, { name: "New", role: "APPROVER", departmentId: "dep_1" }))
    assert.deepStrictEqual(after, {
      ...clerk,
      name: "New",
      role: "APPROVER",
      departmentId: "dep_1",
      version: 2,
      updatedAt: 1_000
    })
    assert.strictEqual(Result.getOrThrow(change(clerk, { name: "clerk", managerId: "admin" })), clerk)
  })

  it("takes away a department and a manager by null", () => {
    const placed = { ...clerk, departmentId: "dep_1" }
    const after = Result.getOrThrow(change(placed, { departmentId: null, managerId: null }))
    assert.deepInclude(after, { departmentId: null, managerId: null })
  })

  it("by an ADMIN neither makes, nor touches, nor removes an OWNER", () => {
    for (const wanted of [{ name: "x" }, { role: "ADMIN" }, { status: "INACTIVE" }] as const) {
      assert.strictEqual(refusalOf(change(owner, wanted, asAdmin)), "Forbidden")
    }
    assert.strictEqual(refusalOf(change(clerk, { role: "OWNER" }, asAdmin)), "Forbidden")
    assert.isTrue(Result.isSuccess(change(clerk, { role: "OWNER" }, asOwner)))
  })

  it("of one's own role or status is nobody's, not through a key of one's own either", () => {
    assert.strictEqual(refusalOf(change(admin, { role: "MEMBER" }, asAdmin)), "Forbidden")
    assert.strictEqual(refusalOf(change(admin, { status: "INACTIVE" }, asAdmin)), "Forbidden")
    assert.strictEqual(refusalOf(change(admin, { role: "OWNER" }, { role: "OWNER", persons: ["admin"] })), "Forbidden")
    assert.isTrue(Result.isSuccess(change(admin, { name: "Own name" }, asAdmin)))
  })

  it("leaves an active OWNER", () => {
    assert.strictEqual(refusalOf(change(owner, { role: "ADMIN" }, asKey)), "StateRefused")
    assert.strictEqual(refusalOf(change(owner, { status: "INACTIVE" }, asKey)), "StateRefused")
    const inactive = { ...staff, members: [...staff.members, member("second", "OWNER", { status: "INACTIVE" })] }
    assert.strictEqual(refusalOf(change(owner, { role: "ADMIN" }, asKey, inactive)), "StateRefused")
    const two = { ...staff, members: [...staff.members, member("second", "OWNER")] }
    assert.isTrue(Result.isSuccess(change(owner, { role: "ADMIN" }, asKey, two)))
  })

  it("puts nobody in a department or under a manager that the organization has not", () => {
    assert.strictEqual(refusalOf(change(clerk, { departmentId: "dep_2" })), "NotFound")
    for (const managerId of ["nobody", "gone"]) {
      assert.strictEqual(refusalOf(change(clerk, { managerId })), "NotFound")
    }
    assert.isTrue(Result.isSuccess(change(clerk, { managerId: "invited" })))
  })

  it("makes no circle of managers", () => {
    for (const managerId of ["owner", "admin", "clerk"]) {
      assert.strictEqual(refusalOf(change(owner, { managerId }, asKey)), "InvalidFields", managerId)
    }
  })

  it("accepts no invitation in the person's place", () => {
    assert.strictEqual(refusalOf(change(invited, { status: "ACTIVE" })), "StateRefused")
    assert.isTrue(Result.isSuccess(change(invited, { status: "INACTIVE" })))
    assert.isTrue(Result.isSuccess(change(gone, { status: "ACTIVE" })))
  })

  const ids = ["owner", "admin", "clerk", "invited", "gone"] as const
  const Change = Schema.Struct({
    of: Schema.Literals(ids),
    by: Schema.Literals(ids),
    role: Schema.optionalKey(Schema.Literals(roles)),
    status: Schema.optionalKey(Schema.Literals(["ACTIVE", "INACTIVE"])),
    managerId: Schema.optionalKey(Schema.NullOr(Schema.Literals(ids)))
  })

  const isBelowItself = (members: ReadonlyArray<Member>) =>
    members.some((one) => {
      let above = one.managerId
      for (let steps = 0; above !== null && steps < members.length; steps++) {
        if (above === one.userId) return true
        above = members.find(({ userId }) => userId === above)?.managerId ?? null
      }
      return false
    })

  it.prop(
    "keeps an active OWNER and no circle, whatever is asked in whatever order",
    [Schema.Array(Change)],
    ([changes]) => {
      let { members } = staff
      for (const { by, of, ...wanted } of changes) {
        const actor = members.find(({ userId }) => userId === by)
        const before = members.find(({ userId }) => userId === of)
        if (actor === undefined || before === undefined || !["ADMIN", "OWNER"].includes(actor.role)) continue
        const result = changeMember({ ...staff, members }, { role: actor.role, persons: [by] }, before, wanted, 1)
        if (Result.isFailure(result)) continue
        const after = result.success
        assert.isTrue(actor.role === "OWNER" || (before.role !== "OWNER" && after.role !== "OWNER") || after === before)
        members = members.map((one) => (one === before ? after : one))
        assert.isTrue(members.some(({ role, status }) => role === "OWNER" && status === "ACTIVE"))
        assert.isFalse(isBelowItself(members))
      }
    }
  )
})

describe("The audit entries of a change", () => {
  it("are one for the role, one for the status, one for the rest, each with what changed alone", () => {
    const after: Member = { ...clerk, role: "APPROVER", status: "INACTIVE", name: "New", departmentId: "dep_1" }
    const subject = { type: "member", id: "clerk" }
    assert.deepStrictEqual(memberAudit(clerk, after), [
      { action: "member.role_changed", subject, before: { role: "MEMBER" }, after: { role: "APPROVER" } },
      { action: "member.deactivated", subject, before: { status: "ACTIVE" }, after: { status: "INACTIVE" } },
      {
        action: "member.changed",
        subject,
        before: { name: "clerk", department_id: null },
        after: { name: "New", department_id: "dep_1" }
      }
    ])
    assert.deepStrictEqual(memberAudit(clerk, { ...clerk, version: 2 }), [])
  })
})
