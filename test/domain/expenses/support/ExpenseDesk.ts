import { ApprovalEngine, type ApprovalRequest, type DecidedApproval } from "@sarraf/domain/approvals/ApprovalEngine"
import { type AuditEntry, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { CardTransactionLookup } from "@sarraf/domain/cards/CardTransactionLookup"
import type { Forbidden } from "@sarraf/domain/errors/Refusals"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { EventLog, type NewEvent } from "@sarraf/domain/events/EventLog"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { type ExpenseFilter, ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import * as GatherExpenseFacts from "@sarraf/domain/expenses/GatherExpenseFacts"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { type ExchangeRate, ExchangeRates } from "@sarraf/domain/money/ExchangeRates"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { type Member, Members } from "@sarraf/domain/organizations/Members"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { PolicyEvaluator, type PolicyVerdict } from "@sarraf/domain/policies/PolicyEvaluator"
import type { PolicyFacts } from "@sarraf/domain/policies/PolicyFacts"
import { Receipts } from "@sarraf/domain/receipts/Receipts"
import { Effect, Layer } from "effect"
import { sampleOrganization } from "../../organizations/support/SampleOrganization.ts"
import { now } from "./SampleExpense.ts"

const member = (userId: string, role: Role, changes: Partial<Member> = {}): Member => ({
  userId,
  email: `${userId}@example.com`,
  name: userId,
  role,
  status: "ACTIVE",
  departmentId: null,
  managerId: null,
  version: 1,
  createdAt: now,
  updatedAt: now,
  ...changes
})

const organization = sampleOrganization({ createdAt: now, updatedAt: now })

const people = [
  member("usr_member", "MEMBER", { departmentId: "dep_sales" }),
  member("usr_approver", "APPROVER"),
  member("usr_admin", "ADMIN"),
  member("usr_left", "MEMBER", { status: "INACTIVE" })
]

/** The caller of a session of this role: `usr_member` is the MEMBER, and so on. */
export const person = (role: Role): Caller["Service"] => ({
  organizationId: "org_1",
  role,
  name: `user:usr_${role.toLowerCase()}`,
  kind: "user",
  userId: `usr_${role.toLowerCase()}`,
  createdBy: null
})

/** The caller of an API key that nobody made. */
export const key: Caller["Service"] = {
  organizationId: "org_1",
  role: "OWNER",
  name: "key:shop",
  kind: "key",
  userId: null,
  createdBy: null
}

export const as = (caller: Caller["Service"]) => Effect.provideService(Caller, caller)

export const nothingFound: PolicyVerdict = { violations: [], strongest: null, steps: [] }
export const blocked: PolicyVerdict = {
  violations: [
    { policyId: "pol_1", policyVersion: 3, name: "No casinos", enforcement: "BLOCK", message: "Casinos are not paid." }
  ],
  strongest: "BLOCK",
  steps: []
}

/**
 * The expense side with everything around it in memory, to be set and looked at. A unit of work that fails leaves
 * expenses, audit entries, events and approvals as they were.
 */
export const makeDesk = () => {
  const state = {
    expenses: new Map<string, Expense>(),
    audited: [] as AuditEntry[],
    events: [] as NewEvent[],
    opened: [] as ApprovalRequest[],
    cancelled: [] as string[],
    decided: [] as string[]
  }
  /** What the next questions are answered with. */
  const settings: {
    verdict: (facts: PolicyFacts) => PolicyVerdict
    outcome: DecidedApproval["status"]
    forbids: (id: string) => Forbidden | undefined
    isAway: boolean
    currencies: ReadonlyArray<string>
    spending: boolean
    rates: ReadonlyArray<ExchangeRate>
    spent: bigint
  } = {
    verdict: () => nothingFound,
    outcome: "APPROVED",
    forbids: () => undefined,
    isAway: false,
    currencies: [],
    spending: true,
    rates: [],
    spent: 0n
  }
  const seen = { facts: [] as PolicyFacts[], filters: [] as ExpenseFilter[], locked: [] as string[] }

  const copy = () => ({
    expenses: new Map(state.expenses),
    audited: [...state.audited],
    events: [...state.events],
    opened: [...state.opened],
    cancelled: [...state.cancelled],
    decided: [...state.decided]
  })
  const undoing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const before = copy()
      return Effect.onError(effect, () => Effect.sync(() => Object.assign(state, before)))
    })

  let number = 0
  const stores = Layer.mergeAll(
    Layer.mock(ExpenseStore, {
      find: (id) => Effect.sync(() => state.expenses.get(id)),
      lock: (id) => Effect.sync(() => state.expenses.get(id)),
      findAll: (ids) => Effect.sync(() => ids.flatMap((id) => state.expenses.get(id) ?? []).reverse()),
      lockAll: (ids) => Effect.sync(() => ids.flatMap((id) => state.expenses.get(id) ?? []).sort(byId)),
      insert: (expense) => Effect.sync(() => void state.expenses.set(expense.id, expense)),
      save: (expense) => Effect.sync(() => void state.expenses.set(expense.id, expense)),
      remove: (id) => Effect.sync(() => void state.expenses.delete(id)),
      similar: () => Effect.sync(() => [...state.expenses.values()]),
      lockSpending: (expenses) =>
        Effect.sync(() => void seen.locked.push(...expenses.map(({ date, userId }) => `${userId} ${date}`))),
      spent: () =>
        Effect.sync(() => {
          const { spent } = settings
          return { day: spent, week: spent, month: spent, quarter: spent, year: spent }
        }),
      list: (filter) =>
        Effect.sync(() => {
          seen.filters.push(filter)
          return { items: [], hasMore: false }
        })
    }),
    Layer.succeed(UnitOfWork, { run: undoing, apart: undoing }),
    Layer.mock(AuditTrail, { append: (entry) => Effect.sync(() => void state.audited.push(entry)) }),
    Layer.succeed(EventLog, { append: (event) => Effect.sync(() => void state.events.push(event)) }),
    Layer.mock(Identifiers, { next: (prefix) => Effect.sync(() => `${prefix}_new${++number}`) }),
    Layer.mock(Members, {
      find: (userId) => Effect.succeed(people.find((one) => one.userId === userId)),
      departments: Effect.succeed([{ id: "dep_sales", name: "Sales" }]),
      holdDepartment: (id) => Effect.succeed(id === "dep_sales")
    }),
    Layer.mock(Organizations, {
      current: Effect.succeed(organization)
    }),
    // A card that usr_approver holds.
    Layer.succeed(CardTransactionLookup, {
      exists: (id, reach) =>
        Effect.map(Caller, ({ userId }) => id === "ctx_1" && (reach === "all" || userId === "usr_approver"))
    }),
    Layer.mock(Receipts, { isMissing: (url) => Effect.succeed(url.endsWith("/rcp_theirs")) }),
    Layer.mock(ExchangeRates, {
      on: (_, from) =>
        Effect.sync(
          () => new Map(settings.rates.filter((rate) => from.includes(rate.from)).map((rate) => [rate.from, rate]))
        )
    }),
    Layer.mock(PolicyEvaluator, {
      active: () =>
        Effect.suspend(() =>
          settings.isAway
            ? Effect.fail(new Unavailable())
            : Effect.succeed({
                needs: { currencies: settings.currencies, spending: settings.spending },
                verdict: (facts: PolicyFacts) => {
                  seen.facts.push(facts)
                  return settings.verdict(facts)
                }
              })
        )
    }),
    Layer.mock(ApprovalEngine, {
      open: (request) =>
        Effect.sync(() => {
          state.opened.push(request)
          return { deciders: null }
        }),
      decide: ({ id }, decision) =>
        Effect.suspend(() => {
          const refusal = settings.forbids(id)
          if (refusal !== undefined) return Effect.fail(refusal)
          state.decided.push(`${decision} ${id}`)
          const status = decision === "reject" ? "REJECTED" : settings.outcome
          return Effect.succeed<DecidedApproval>({ id: "apr_1", status })
        }),
      cancel: ({ id }) => Effect.sync(() => void state.cancelled.push(id))
    })
  )
  const layer = Layer.provide(Expenses.layer, Layer.provideMerge(GatherExpenseFacts.layer, stores))
  return { state, settings, seen, layer }
}

const byId = (one: Expense, other: Expense) => (one.id < other.id ? -1 : 1)
