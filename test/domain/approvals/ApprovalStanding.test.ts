import { assert, describe, it } from "@effect/vitest"
import { type Approval, decided, escalated } from "@sarraf/domain/approvals/Approval"
import { refusalOf } from "@sarraf/domain/approvals/ApprovalRefusal"
import { type Situation, standingOf } from "@sarraf/domain/approvals/ApprovalStanding"
import { type Caller, personsBehind } from "@sarraf/domain/organizations/Caller"
import { approvalOf, delegation, key, member, situation, user } from "./support/Staff.ts"

const may = (approval: Approval, present: Situation, caller: Caller["Service"]) =>
  standingOf(approval, present).capacityOf(caller) !== undefined

const approve = (approval: Approval, present: Situation, caller: Caller["Service"]): Approval => {
  const standing = standingOf(approval, present)
  const capacity = standing.capacityOf(caller)
  if (capacity === undefined) throw new Error(`${caller.name} may not decide`)
  const made = {
    ...capacity,
    step: approval.step,
    by: caller.name,
    persons: personsBehind(caller),
    reason: null,
    at: 1
  }
  return decided(approval, { ...made, decision: "approve" }, standing.completes(capacity))
}

const waitingFor = (approval: Approval, present: Situation) =>
  standingOf(approval, present).deciders.map(({ capacity, member: { name } }) =>
    capacity.onBehalfOf === null ? name : `${name} for ${capacity.onBehalfOf}`
  )

const anyApprover = { roles: ["APPROVER"], mode: "any" } as const

describe("Who may decide a step", () => {
  it("is whoever has the role now, and not who had it", () => {
    const lunch = approvalOf([anyApprover])
    assert.isTrue(may(lunch, situation([member("ada", "APPROVER")]), user("ada")))
    assert.isTrue(may(lunch, situation([member("ada", "OWNER")]), user("ada")))
    assert.isFalse(may(lunch, situation([member("ada", "MEMBER")]), user("ada")))
    assert.isFalse(may(lunch, situation([member("ada", "AUDITOR")]), user("ada", "AUDITOR")))
    assert.isFalse(may(lunch, situation([member("ada", "APPROVER", { status: "INACTIVE" })]), user("ada")))
    assert.isFalse(may(lunch, situation([]), user("ada")))
  })

  it("is never a person concerned, nor a key that one made", () => {
    const lunch = approvalOf([anyApprover], { concerned: ["usr_ada"] })
    const present = situation([member("ada", "OWNER"), member("ben", "APPROVER")])
    for (const caller of [user("ada", "OWNER"), key("k", "OWNER", "ada")]) assert.isFalse(may(lunch, present, caller))
    for (const caller of [user("ben"), key("k", "OWNER", "ben"), key("k", "OWNER")]) {
      assert.isTrue(may(lunch, present, caller))
    }
  })

  it("is the same key that made a request in nobody's name, where keys may approve", () => {
    const ofKey = { ...approvalOf([anyApprover]), openedBy: "key:shop" }
    const people = [member("ada", "APPROVER")]
    assert.isTrue(may(ofKey, situation(people), key("shop", "APPROVER")))
    assert.isFalse(may(ofKey, situation(people), key("shop", "MEMBER")))
    assert.isFalse(may(ofKey, situation(people, { apiKeysMayApprove: false }), key("shop", "OWNER")))
  })

  it("is the person that a step names, and no key in that person's place", () => {
    const lunch = approvalOf([{ users: ["usr_ada"], mode: "any" }])
    const present = situation([member("ada", "APPROVER"), member("ben", "OWNER")])
    assert.deepStrictEqual(waitingFor(lunch, present), ["Ada"])
    assert.isFalse(may(lunch, present, key("k", "OWNER")))
    assert.isFalse(may(lunch, present, key("k", "OWNER", "ada")))
  })

  it("is the submitter's manager of the moment", () => {
    const lunch = approvalOf([{ manager: true, mode: "any" }], { concerned: ["usr_ada"] })
    const under = (managerId: string | null) =>
      situation([
        member("ada", "MEMBER", { managerId }),
        member("ben", "APPROVER"),
        member("cem", "APPROVER"),
        member("dua", "ADMIN")
      ])
    assert.deepStrictEqual(waitingFor(lunch, under("usr_ben")), ["Ben"])
    assert.deepStrictEqual(waitingFor(lunch, under("usr_cem")), ["Cem"])
    for (const nobody of [null, "usr_ada", "usr_gone"])
      assert.deepStrictEqual(waitingFor(lunch, under(nobody)), ["Dua"])
  })

  it("is no system", () => {
    const system: Caller["Service"] = { ...user("ada", "OWNER"), kind: "system" }
    assert.isFalse(may(approvalOf([anyApprover]), situation([member("ada", "OWNER")]), system))
  })
})

describe("A step that asks for all", () => {
  const all = approvalOf([{ roles: ["APPROVER", "ADMIN"], users: ["usr_dua"], mode: "all" }])
  const present = situation([
    member("ada", "APPROVER"),
    member("ben", "ADMIN"),
    member("cem", "ADMIN"),
    member("dua", "APPROVER"),
    member("eda", "OWNER")
  ])

  it("is complete with a person for each place, in whatever order they come", () => {
    for (const order of [
      ["ada", "ben", "dua"],
      ["dua", "cem", "eda"],
      ["ben", "dua", "ada"]
    ]) {
      let approval = all
      for (const [index, name] of order.entries()) {
        assert.strictEqual(approval.status, "OPEN")
        approval = approve(approval, present, user(name))
        assert.strictEqual(approval.decisions.length, index + 1)
      }
      assert.strictEqual(approval.status, "APPROVED")
    }
  })

  it("does not ask again for a place that is taken, nor count one person for two places", () => {
    const once = approve(all, present, user("ada"))
    assert.isFalse(may(once, present, user("ada")))
    assert.deepStrictEqual(waitingFor(once, present), ["Ben", "Cem", "Dua", "Eda"])
    const twice = approve(once, present, user("ben"))
    assert.deepStrictEqual(waitingFor(twice, present), ["Dua"])
    // Who could have the role's place is not wanted where only the named person is missing.
    assert.isFalse(may(twice, present, user("eda", "OWNER")))
  })

  it("takes two keys of one person, or a key and its maker, for one", () => {
    const two = approvalOf([{ roles: ["APPROVER", "APPROVER"], mode: "all" }])
    const after = approve(two, present, key("k1", "OWNER", "ada"))
    assert.isFalse(may(after, present, key("k2", "OWNER", "ada")))
    assert.isFalse(may(after, present, user("ada")))
    assert.isTrue(may(after, present, key("k3", "OWNER", "ben")))
    assert.isTrue(may(after, present, key("k4", "OWNER")))
  })
})

describe("A chain of steps", () => {
  const chain = approvalOf([anyApprover, { roles: ["ADMIN"], mode: "any" }])
  const present = situation([member("ada", "ADMIN"), member("ben", "ADMIN"), member("cem", "APPROVER")])

  it("asks one step after the other, each with its own deadline", () => {
    const next = approve(chain, present, user("cem"))
    assert.deepInclude(next, { status: "OPEN", step: 1, version: 2, dueAt: 1 + 72 * 3_600_000 })
    assert.deepStrictEqual(waitingFor(next, present), ["Ada", "Ben"])
    assert.strictEqual(approve(next, present, user("ada")).status, "APPROVED")
  })

  it("is decided by another person in each step", () => {
    const next = approve(chain, present, user("ada"))
    assert.deepStrictEqual(waitingFor(next, present), ["Ben"])
    const refusal = refusalOf(next, present, standingOf(next, present), user("ada", "ADMIN"))
    assert.strictEqual(refusal._tag, "Forbidden")
  })

  it("ends with a rejection in any step", () => {
    const next = approve(chain, present, user("cem"))
    const made = {
      places: [0],
      onBehalfOf: null,
      isSoleOwner: false,
      step: 1,
      by: "user:usr_ada",
      persons: ["usr_ada"]
    }
    const rejected = decided(next, { ...made, decision: "reject", reason: "No receipt", at: 5 }, true)
    assert.deepInclude(rejected, { status: "REJECTED", step: 1, endedAt: 5 })
  })
})

describe("A step that nobody can fulfil", () => {
  const byUsers = approvalOf([{ users: ["usr_ada"], mode: "any" }], { concerned: ["usr_cem"] })

  it("goes to the ADMINs and OWNERs who are not concerned", () => {
    const gone = member("ada", "APPROVER", { status: "INACTIVE" })
    const present = situation([gone, member("ben", "ADMIN"), member("cem", "OWNER"), member("dua", "APPROVER")])
    assert.deepStrictEqual(waitingFor(byUsers, present), ["Ben"])
    assert.isTrue(may(approvalOf([{ mode: "all" }]), present, user("ben")), "a step that names nobody")
  })

  it("leaves the places of a step that others can still fill to those", () => {
    const both = approvalOf([{ users: ["usr_ada", "usr_dua"], mode: "all" }])
    const gone = member("ada", "APPROVER", { status: "INACTIVE" })
    const present = situation([gone, member("ben", "ADMIN"), member("cem", "OWNER"), member("dua", "APPROVER")])
    const after = approve(both, present, user("ben"))
    assert.deepStrictEqual(waitingFor(after, present), ["Dua"])
  })

  it("is blocked where none of them is left, and says so", () => {
    const present = situation([member("ada", "MEMBER"), member("cem", "OWNER")])
    const standing = standingOf(byUsers, present)
    assert.isTrue(standing.isBlocked)
    assert.deepStrictEqual(waitingFor(byUsers, present), [])
    const refusal = refusalOf(byUsers, present, standing, user("ada", "ADMIN"))
    assert.match(refusal.reason ?? "", /^Nobody is left/u)
  })

  it("goes to an OWNER who is concerned where the organization allows it, and only then", () => {
    const allowed = { soleOwnerMayApprove: true }
    const alone = situation([member("cem", "OWNER")], allowed)
    const standing = standingOf(byUsers, alone)
    assert.isFalse(standing.isBlocked)
    assert.deepStrictEqual(standing.capacityOf(user("cem", "OWNER")), {
      places: [0],
      onBehalfOf: null,
      isSoleOwner: true
    })
    assert.isFalse(may(byUsers, situation([member("cem", "ADMIN")], allowed), user("cem", "ADMIN")))
    assert.isFalse(
      may(byUsers, situation([member("cem", "OWNER"), member("ben", "ADMIN")], allowed), user("cem", "OWNER"))
    )
    assert.isFalse(may(byUsers, alone, key("k", "OWNER", "cem")))
  })
})

describe("An overdue step", () => {
  it("may be decided by ADMINs and OWNERs too, and by whom it was for", () => {
    const lunch = approvalOf([{ users: ["usr_ada"], mode: "any" }], { concerned: ["usr_cem"] })
    const present = situation([
      member("ada", "APPROVER"),
      member("ben", "ADMIN"),
      member("cem", "OWNER"),
      member("dua", "APPROVER")
    ])
    assert.deepStrictEqual(waitingFor(lunch, present), ["Ada"])
    assert.deepStrictEqual(waitingFor(escalated(lunch, 9), present), ["Ada", "Ben"])
  })

  it("is due when its rule says so", () => {
    const at = (hours: number) => hours * 3_600_000
    assert.strictEqual(approvalOf([{ ...anyApprover, escalateAfterHours: 5 }]).dueAt, at(5))
    assert.strictEqual(approvalOf([anyApprover]).dueAt, at(72))
  })

  it("asks as usual again in the next step", () => {
    const present = situation([member("ada", "APPROVER"), member("ben", "ADMIN"), member("cem", "APPROVER")])
    const chain = escalated(approvalOf([anyApprover, { users: ["usr_cem"], mode: "any" }]), 9)
    const next = approve(chain, present, user("ada"))
    assert.isNull(next.escalatedAt)
    assert.deepStrictEqual(waitingFor(next, present), ["Cem"])
  })
})

describe("A delegate", () => {
  const lunch = approvalOf([{ users: ["usr_ada"], mode: "any" }], { concerned: ["usr_eda"] })
  const people = [
    member("ada", "APPROVER"),
    member("ben", "APPROVER"),
    member("cem", "APPROVER"),
    member("eda", "APPROVER")
  ]
  const given = (...delegations: ReadonlyArray<ReturnType<typeof delegation>>) => situation(people, { delegations })

  it("decides for the one who delegated, who may still decide", () => {
    const present = given(delegation("ada", "ben"))
    assert.deepStrictEqual(waitingFor(lunch, present), ["Ada", "Ben for usr_ada"])
    const [made] = approve(lunch, present, user("ben")).decisions
    assert.deepInclude(made, { by: "user:usr_ben", onBehalfOf: "usr_ada" })
  })

  it("has no power of a second hand", () => {
    assert.deepStrictEqual(waitingFor(lunch, given(delegation("ada", "ben"), delegation("ben", "cem"))), [
      "Ada",
      "Ben for usr_ada"
    ])
  })

  it("has none where concerned, or where the one who delegated is", () => {
    assert.isFalse(may(lunch, given(delegation("ada", "eda")), user("eda")))
    const ofEda = approvalOf([{ users: ["usr_eda"], mode: "any" }], { concerned: ["usr_eda"] })
    assert.isFalse(may(ofEda, given(delegation("eda", "ben")), user("ben")))
  })

  it("has none while inactive or without a role that decides, nor from somebody who is", () => {
    const delegations = [delegation("ada", "ben")]
    const under = (ada: ReturnType<typeof member>, ben: ReturnType<typeof member>) =>
      situation([ada, ben], { delegations })
    const active = { ada: member("ada", "APPROVER"), ben: member("ben", "APPROVER") }
    assert.isTrue(may(lunch, under(active.ada, active.ben), user("ben")))
    assert.isFalse(may(lunch, under(active.ada, member("ben", "MEMBER")), user("ben", "MEMBER")))
    assert.isFalse(may(lunch, under(active.ada, member("ben", "APPROVER", { status: "INACTIVE" })), user("ben")))
    assert.isFalse(may(lunch, under(member("ada", "MEMBER"), active.ben), user("ben")))
    assert.isFalse(may(lunch, under(member("ada", "APPROVER", { status: "INACTIVE" }), active.ben), user("ben")))
  })

  it("is not a second person beside the one who delegated", () => {
    const two = approvalOf([{ roles: ["APPROVER", "APPROVER"], users: ["usr_ada"], mode: "all" }])
    const present = given(delegation("ada", "ben"))
    const byBen = approve(two, present, user("ben"))
    assert.isNull(byBen.decisions[0]?.onBehalfOf, "the own power is used first")
    const byAda = approve(byBen, present, user("ada"))
    assert.isFalse(may(byAda, present, user("ben")))
    assert.deepStrictEqual(waitingFor(byAda, present), ["Cem", "Eda"])
    const instead = approve(approvalOf([{ users: ["usr_ada"], roles: ["ADMIN"], mode: "all" }]), present, user("ben"))
    assert.strictEqual(instead.decisions[0]?.onBehalfOf, "usr_ada")
    assert.isFalse(may(instead, present, user("ada")))
    assert.strictEqual(refusalOf(instead, present, standingOf(instead, present), user("ada"))._tag, "StateRefused")
  })
})

describe("A refusal says who may decide, or why the caller may not", () => {
  const people = [member("ada", "APPROVER"), member("ben", "ADMIN"), member("cem", "ADMIN"), member("dua", "MEMBER")]
  const lunch = approvalOf([{ roles: ["ADMIN"], mode: "any" }], { concerned: ["usr_cem"] })
  const reason = (caller: Caller["Service"], present = situation(people)) =>
    refusalOf(lunch, present, standingOf(lunch, present), caller).reason

  it.each([
    [user("ada"), "This step is decided by ADMIN or above, Ben, and every step by another person."],
    [user("cem", "ADMIN"), "You submitted it or benefit from it, so another person decides."],
    [
      key("k", "ADMIN", "cem"),
      "The person who made this key submitted it or benefits from it, so another person decides."
    ],
    [user("dua", "MEMBER"), "Your role decides nothing: this takes an APPROVER or above."]
  ] as const)("to $name", (caller, expected) => {
    assert.strictEqual(reason(caller), expected)
  })

  it("to a key where only persons decide", () => {
    const persons = situation(people, { apiKeysMayApprove: false })
    assert.strictEqual(reason(key("k", "OWNER"), persons), "In this organization persons decide, and no API keys.")
  })
})
