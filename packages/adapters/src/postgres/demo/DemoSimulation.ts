import { ApprovalEngine } from "@sarraf/domain/approvals/ApprovalEngine"
import { standingOf } from "@sarraf/domain/approvals/ApprovalStanding"
import { Delegations } from "@sarraf/domain/approvals/Delegations"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { memberAudit } from "@sarraf/domain/organizations/MemberRules"
import type { Member } from "@sarraf/domain/organizations/Members"
import { Policies } from "@sarraf/domain/policies/Policies"
import { readCondition } from "@sarraf/domain/policies/readCondition"
import type { ProposedPolicy } from "@sarraf/domain/policies/templates"
import { receiptUrl } from "@sarraf/domain/receipts/Receipt"
import { Receipts } from "@sarraf/domain/receipts/Receipts"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Effect } from "effect"
import { ExpenseSideMemory } from "../../memory/ExpenseSideMemory.ts"
import type { DemoCalendar } from "./DemoCalendar.ts"
import { boughtOn, type DemoPurchase } from "./DemoPurchase.ts"
import { type DemoFile, demoReceipt } from "./DemoReceipts.ts"
import type { VirtualTime } from "./VirtualTime.ts"

const hourMillis = 3_600_000

/** Whose year it is, and what happens in it. */
export interface DemoOrganization {
  readonly organizationId: string
  /** Makes the policies, pays back. */
  readonly administrator: string
  readonly policies: ReadonlyArray<ProposedPolicy>
  readonly purchases: ReadonlyArray<DemoPurchase>
  /** The transactions of those that were paid with a card of the organization. */
  readonly paidBy: ReadonlyMap<DemoPurchase, string>
  /** Somebody who leaves, and when; a delegation for two weeks. */
  readonly leaves: { readonly userId: string; readonly at: Instant } | undefined
  readonly delegates: { readonly from: string; readonly to: string; readonly at: Instant } | undefined
}

interface Context {
  readonly calendar: DemoCalendar
  readonly time: VirtualTime
  /** Of the installation, for `receipt_url`. */
  readonly baseUrl: string
}

const callerOf = (organizationId: string, { role, userId }: Pick<Member, "role" | "userId">): Caller["Service"] => ({
  organizationId,
  role,
  name: `user:${userId}`,
  kind: "user",
  userId,
  createdBy: null
})

const systemOf = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "OWNER",
  name: "system",
  kind: "system",
  userId: null,
  createdBy: null
})

const contentOf = ({ approval_steps, conditions, ...policy }: ProposedPolicy) => {
  const { condition, faults } = readCondition(conditions)
  if (condition === undefined) throw new Error(`${policy.name} is no policy: ${faults[0]?.message}`)
  return { ...policy, conditions: condition, approvalSteps: approval_steps, active: true }
}

/**
 * Lets an organization's year happen: each thing at its time and by its person, through the use cases that requests go
 * through. What would lie after the present has not happened yet.
 */
export const makeSimulation = Effect.fnUntraced(function* (
  { calendar, time, baseUrl }: Context,
  { administrator, delegates, leaves, organizationId, paidBy, policies, purchases }: DemoOrganization
) {
  const memory = yield* ExpenseSideMemory
  const expenses = yield* Expenses
  const engine = yield* ApprovalEngine
  const receipts = yield* Receipts
  const policyBook = yield* Policies
  const delegations = yield* Delegations
  const trail = yield* AuditTrail

  const as =
    (userId: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const member = memory.members.get(organizationId, userId)
        if (member === undefined) return Effect.die(new Error(`No member ${userId}`))
        return Effect.provideService(effect, Caller, callerOf(organizationId, member))
      })

  const papers = new Map<string, DemoFile>()
  const upload = Effect.fnUntraced(function* ({ merchant }: DemoPurchase) {
    const { content, name } = papers.get(merchant.name) ?? demoReceipt(merchant)
    papers.set(merchant.name, { content, name })
    return receiptUrl(baseUrl, (yield* receipts.add(name, content)).id)
  })

  const enter = Effect.fnUntraced(function* (purchase: DemoPurchase, boughtAt: Instant) {
    const { amount, description, fate, hasReceipt, merchant, userId } = purchase
    return yield* expenses.create({
      amount,
      currency: merchant.currency,
      merchant: merchant.name,
      category: merchant.category,
      description,
      date: calendar.dateOf(boughtAt),
      userId,
      cardTransactionId: paidBy.get(purchase) ?? null,
      receiptUrl: hasReceipt ? yield* upload(purchase) : null,
      submit: fate !== "draft"
    })
  })

  /** Whoever may decide now; the manager of the person rather than another. */
  const deciderOf = ({ draw, userId }: DemoPurchase, { approvalId }: Expense) => {
    const approval = memory.approvals.get(organizationId, approvalId ?? "")
    if (approval?.status !== "OPEN") return undefined
    const members = new Map(memory.members.all(organizationId).map((member) => [member.userId, member]))
    const settings = { apiKeysMayApprove: false, soleOwnerMayApprove: false }
    const inForce = memory.delegations
      .all(organizationId)
      .filter(({ endsAt, startsAt }) => startsAt <= time.now() && time.now() < endsAt)
    const able = standingOf(approval, { members, settings, delegations: inForce }).deciders.map(({ member }) => member)
    const delegate = able.find((member) => inForce.some(({ to }) => to === member.userId))
    const manager = able.find((member) => member.userId === members.get(userId)?.managerId)
    return delegate ?? (draw < 0.7 ? manager : undefined) ?? able[Math.floor(draw * able.length)]
  }

  /** One step: its decider's approval or rejection. Where nobody may, it waits. */
  const decideStep = Effect.fnUntraced(function* (purchase: DemoPurchase, id: string) {
    const expense = memory.expenses.get(organizationId, id)
    const decider = expense === undefined ? undefined : deciderOf(purchase, expense)
    if (decider === undefined) return
    const isRejected = purchase.fate === "rejected" || (purchase.fate === "reopened" && expense?.version === 2)
    const decision = isRejected ? "reject" : "approve"
    yield* as(decider.userId)(expenses.decide(id, decision, isRejected ? purchase.reason : null))
  })

  const reimburse = Effect.fnUntraced(function* (id: string) {
    if (memory.expenses.get(organizationId, id)?.status === "APPROVED") yield* expenses.reimburse(id)
  }, as(administrator))

  /** The mornings of the fifth of each month, when everything that was approved is paid back. */
  const runAfter = (at: Instant, number: number): Instant => {
    let month = 0
    for (;;) {
      const run = calendar.startOf({ month, day: 5 }) + 10 * hourMillis
      if (run > at) return calendar.startOf({ month: month + number - 1, day: 5 }) + 10 * hourMillis
      month++
    }
  }

  const live = Effect.fnUntraced(function* (purchase: DemoPurchase, boughtAt: Instant) {
    const { decidedAfterHours, fate, paidInRun, userId } = purchase
    const { id } = yield* as(userId)(enter(purchase, boughtAt))
    const decidedAt = time.now() + decidedAfterHours * hourMillis
    const decide = decideStep(purchase, id)
    if (fate === "draft" || fate === "waiting") return
    if (fate === "withdrawn") return time.schedule(decidedAt, as(userId)(expenses.withdraw(id)))
    time.schedule(decidedAt, decide)
    if (fate === "half") return
    if (fate === "reopened") {
      const again = Effect.andThen(expenses.reopen(id), expenses.submit(id))
      time.schedule(decidedAt + 20 * hourMillis, as(userId)(again))
      time.schedule(decidedAt + 44 * hourMillis, decide)
    }
    // A chain has two steps at most with one policy, and four with two.
    for (let step = 1; step <= 4; step++) time.schedule(decidedAt + (60 + 9 * step) * hourMillis, decide)
    if (fate !== "approved") time.schedule(runAfter(decidedAt + 96 * hourMillis, paidInRun), reimburse(id))
  })

  const leave = Effect.fnUntraced(function* (userId: string) {
    const before = memory.members.get(organizationId, userId)
    if (before === undefined) return
    const after: Member = { ...before, status: "INACTIVE", version: before.version + 1, updatedAt: time.now() }
    memory.members.put(organizationId, userId, after)
    for (const entry of memberAudit(before, after)) yield* trail.append(entry)
  })

  const beginning = calendar.startOf({ month: 0, day: 1 })
  for (const [index, policy] of policies.entries()) {
    time.schedule(beginning + index * 60_000, as(administrator)(policyBook.create(contentOf(policy))))
  }
  for (const purchase of purchases) {
    const boughtAt = boughtOn(calendar, purchase)
    time.schedule(boughtAt + purchase.enteredAfterHours * hourMillis, live(purchase, boughtAt))
  }
  if (leaves !== undefined) time.schedule(leaves.at, as(administrator)(leave(leaves.userId)))
  if (delegates !== undefined) {
    const { at, from, to } = delegates
    const order = { from, to, startsAt: at, endsAt: at + 14 * 24 * hourMillis, reason: "Annual leave" }
    time.schedule(at - 48 * hourMillis, as(from)(delegations.create(order)))
  }
  // Overdue steps are escalated in the night, which the service would do by itself.
  const escalate = Effect.gen(function* () {
    let isMore = true
    while (isMore) isMore = yield* engine.escalateOne
  }).pipe(Effect.provideService(Caller, systemOf(organizationId)))
  for (let month = 0; month < 12; month++) {
    for (let day = 1; day <= 31; day++) time.schedule(calendar.startOf({ month, day }) + hourMillis, escalate)
  }
})
