import { assert, type Vitest } from "@effect/vitest"
import { type Approval, cancelled, decided, escalated, opened } from "@sarraf/domain/approvals/Approval"
import { type ApprovalPart, ApprovalStore } from "@sarraf/domain/approvals/ApprovalStore"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect } from "effect"
import { Arrangement } from "../support/Arrangement.ts"

export const subjectOf = (number: number) => ({ type: "expense", id: `exp_${number}`, version: 3 }) as const

export const approvalOf = (number: number, changes: Partial<Approval> = {}): Approval => ({
  ...opened(
    {
      subject: subjectOf(number),
      concerned: ["usr_a", "usr_b"],
      submitterId: "usr_a",
      steps: [
        { roles: ["APPROVER"], users: ["usr_c"], manager: true, mode: "all", escalateAfterHours: 5 },
        { mode: "any" }
      ],
      summary: "Çay, 12.50 TRY",
      id: `apr_${number}`
    },
    "key:shop",
    1_760_000_000_123
  ),
  ...changes
})

export const decision = (by: string, changes: object = {}) => ({
  step: 0,
  by: `user:${by}`,
  persons: [by],
  onBehalfOf: null,
  places: [0, 2],
  isSoleOwner: false,
  decision: "approve" as const,
  reason: null,
  at: 1_760_000_000_999,
  ...changes
})

const everything = { limit: 100, after: undefined }

/** An organization `org_<name>` of nobody, and its key. */
const shopOf = (name: string) => {
  const organizationId = `org_${name}`
  return {
    found: Effect.flatMap(Arrangement, ({ organization }) => organization(organizationId)),
    asShop: Effect.provideService(Caller, {
      organizationId,
      role: "OWNER",
      name: "key:shop",
      kind: "key",
      userId: null,
      createdBy: null
    })
  }
}

/** What every store of approvals keeps. */
export const approvalStoreContract = (it: Vitest.MethodsNonLive<ApprovalStore | Arrangement>) => {
  it.effect("gives back what was stored, decisions in their order and times to the millisecond", () => {
    const { asShop, found } = shopOf("kept")
    return Effect.gen(function* () {
      yield* found
      const store = yield* ApprovalStore
      const first = approvalOf(1)
      yield* store.insert(first)
      assert.deepStrictEqual(yield* store.find(first.id), first)
      const second = decided(first, decision("usr_x", { onBehalfOf: "usr_y", reason: "Fine" }), false)
      const third = escalated(
        decided(second, decision("usr_d", { isSoleOwner: true, places: [] }), true),
        1_760_000_001_001
      )
      yield* store.save(first, second)
      yield* store.save(second, third)
      assert.deepStrictEqual(yield* store.find(first.id), third)
      const ended = cancelled(third, 1_760_000_002_002)
      yield* store.save(third, ended)
      assert.deepStrictEqual(yield* store.find(first.id), ended)
      assert.isUndefined(yield* store.find("apr_nobody"))
    }).pipe(asShop)
  })

  it.effect("has one open approval for a subject, and locks that one", () => {
    const { asShop, found } = shopOf("open")
    return Effect.gen(function* () {
      yield* found
      const store = yield* ApprovalStore
      const first = approvalOf(1)
      yield* store.insert(first)
      assert.strictEqual((yield* Effect.exit(store.insert(approvalOf(1, { id: "apr_twin" }))))._tag, "Failure")
      yield* store.save(first, cancelled(first, 1))
      assert.isUndefined(yield* store.lockOpen(subjectOf(1)))
      yield* store.insert(approvalOf(1, { id: "apr_next" }))
      assert.strictEqual((yield* store.lockOpen(subjectOf(1)))?.id, "apr_next")
      assert.isUndefined(yield* store.lockOpen({ type: "bill", id: "exp_1" }))
    }).pipe(asShop)
  })

  it.effect("lists newest first by pages and filters, and only a caller's part", () => {
    const { asShop, found } = shopOf("list")
    return Effect.gen(function* () {
      yield* found
      const store = yield* ApprovalStore
      const nobody = { concerned: [], submitterId: null, openedBy: "key:other" }
      const rows = [
        approvalOf(1, { ...nobody, submitterId: "usr_me" }),
        approvalOf(2, { ...nobody, concerned: ["usr_me"] }),
        approvalOf(3, { ...nobody, openedBy: "user:usr_me" }),
        approvalOf(4, { ...nobody, decisions: [decision("usr_me")] }),
        approvalOf(5, { ...nobody, decisions: [decision("usr_x", { onBehalfOf: "usr_me" })] }),
        approvalOf(6, nobody),
        approvalOf(7, nobody),
        approvalOf(8, { ...nobody, status: "APPROVED", endedAt: 5, subject: { ...subjectOf(8), type: "bill" } })
      ]
      for (const row of rows) yield* store.insert(row)
      const ids = (...asked: Parameters<typeof store.list>) =>
        Effect.map(store.list(...asked), ({ items }) => items.map(({ id }) => Number(id.replace("apr_", ""))))
      const me: ApprovalPart = { persons: ["usr_me"], name: "user:usr_me", decidable: ["apr_7"], seesAsked: false }
      assert.deepStrictEqual(yield* ids({}, undefined, everything), [8, 7, 6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* ids({}, me, everything), [7, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(
        yield* ids({}, { persons: [], name: "key:x", decidable: [], seesAsked: false }, everything),
        []
      )
      assert.deepStrictEqual(yield* ids({ statuses: ["APPROVED"] }, undefined, everything), [8])
      assert.deepStrictEqual(yield* ids({ subjectType: "bill" }, undefined, everything), [8])
      assert.deepStrictEqual(yield* ids({ subjectId: "exp_3" }, undefined, everything), [3])
      assert.deepStrictEqual(yield* ids({ id: "apr_6" }, me, everything), [])
      const asked = { persons: ["usr_c"], name: "user:usr_c", decidable: [], seesAsked: true }
      const quiet = approvalOf(9, { ...nobody, steps: [{ mode: "any" }] })
      yield* store.insert(quiet)
      yield* store.insert(approvalOf(10, { ...nobody, steps: [{ users: ["usr_c"], mode: "any" }], id: "apr_91" }))
      assert.deepStrictEqual(yield* ids({}, asked, everything), [91, 8, 7, 6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* ids({}, { ...asked, persons: ["usr_d"] }, everything), [8, 7, 6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* ids({}, { ...asked, seesAsked: false }, everything), [])
      const page = yield* store.list({}, me, { limit: 2, after: "apr_5" })
      assert.deepStrictEqual([page.items.map(({ id }) => id), page.hasMore], [["apr_4", "apr_3"], true])
      assert.deepStrictEqual((yield* store.open).map(({ id }) => id).length, 9)
    }).pipe(asShop)
  })

  it.effect("finds what is overdue, and the organizations that have such", () => {
    const here = shopOf("due")
    const there = shopOf("not_due")
    const dueAt = 1_800_000_000_000
    return Effect.gen(function* () {
      yield* here.found
      yield* there.found
      const store = yield* ApprovalStore
      const late = approvalOf(1, { dueAt })
      yield* here.asShop(store.insert(late))
      yield* there.asShop(store.insert(approvalOf(2, { dueAt: dueAt + 1 })))
      yield* there.asShop(store.insert(approvalOf(3, { dueAt, escalatedAt: dueAt })))
      yield* there.asShop(store.insert(approvalOf(4, { dueAt, status: "CANCELLED", endedAt: dueAt })))
      const due = (at: number) =>
        Effect.map(store.organizationsDue(at), (all) => all.filter((one) => one.endsWith("due")))
      assert.deepStrictEqual(yield* due(dueAt - 1), [])
      assert.deepStrictEqual(yield* due(dueAt), ["org_due"])
      assert.isUndefined(yield* here.asShop(store.lockDue(dueAt - 1)))
      assert.deepStrictEqual(yield* here.asShop(store.lockDue(dueAt)), late)
      assert.isUndefined(yield* there.asShop(store.lockDue(dueAt)))
    })
  })

  it.effect("keeps organizations apart", () => {
    const [one, other] = [shopOf("one"), shopOf("other")]
    return Effect.gen(function* () {
      yield* one.found
      yield* other.found
      const store = yield* ApprovalStore
      yield* one.asShop(store.insert(approvalOf(1, { decisions: [decision("usr_x")] })))
      assert.isUndefined(yield* other.asShop(store.find("apr_1")))
      assert.isUndefined(yield* other.asShop(store.lockOpen(subjectOf(1))))
      assert.deepStrictEqual((yield* other.asShop(store.list({}, undefined, everything))).items, [])
    })
  })
}
