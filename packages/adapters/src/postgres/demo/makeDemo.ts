import { ApprovalEngine } from "@sarraf/domain/approvals/ApprovalEngine"
import { Delegations } from "@sarraf/domain/approvals/Delegations"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import * as GatherExpenseFacts from "@sarraf/domain/expenses/GatherExpenseFacts"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import type { Organization } from "@sarraf/domain/organizations/Organizations"
import { Policies } from "@sarraf/domain/policies/Policies"
import { PolicyEvaluator } from "@sarraf/domain/policies/PolicyEvaluator"
import { demoPolicies } from "@sarraf/domain/policies/templates"
import { ReceiptLinks } from "@sarraf/domain/receipts/ReceiptLinks"
import { Receipts } from "@sarraf/domain/receipts/Receipts"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Effect, Layer } from "effect"
import { ExpenseSideMemory } from "../../memory/ExpenseSideMemory.ts"
import * as MemoryApprovalStore from "../../memory/MemoryApprovalStore.ts"
import * as MemoryAuditTrail from "../../memory/MemoryAuditTrail.ts"
import * as MemoryCardTransactions from "../../memory/MemoryCardTransactions.ts"
import * as MemoryEventLog from "../../memory/MemoryEventLog.ts"
import * as MemoryExchangeRates from "../../memory/MemoryExchangeRates.ts"
import * as MemoryExpenseStore from "../../memory/MemoryExpenseStore.ts"
import * as MemoryOrganizations from "../../memory/MemoryOrganizations.ts"
import * as MemoryPolicyStore from "../../memory/MemoryPolicyStore.ts"
import * as MemoryReceiptFiles from "../../memory/MemoryReceiptFiles.ts"
import * as MemoryReceiptStore from "../../memory/MemoryReceiptStore.ts"
import { type DemoCalendar, demoCalendar } from "./DemoCalendar.ts"
import { demoCurrencies, demoDepartments, demoPeople, memberOf, otherSandbox, persons, sandbox } from "./DemoPeople.ts"
import { addBillsAndVendors, addCards, cardUses } from "./DemoProcurement.ts"
import { demoRates } from "./DemoRates.ts"
import { type DemoOrganization, makeSimulation } from "./DemoSimulation.ts"
import { otherYear, sandboxYear } from "./DemoYear.ts"
import { makeVirtualTime } from "./VirtualTime.ts"

/** Nobody opens a receipt by a link while the year is made. */
const noLinks = Layer.succeed(ReceiptLinks, {
  make: () => "",
  read: () => undefined
})

const stores = Layer.mergeAll(
  MemoryOrganizations.layer,
  MemoryAuditTrail.layer,
  MemoryEventLog.layer,
  MemoryExpenseStore.layer,
  MemoryCardTransactions.layer,
  MemoryPolicyStore.layer,
  MemoryApprovalStore.layer,
  MemoryExchangeRates.layer,
  MemoryReceiptStore.layer,
  MemoryReceiptFiles.layer,
  noLinks
).pipe(Layer.provideMerge(ExpenseSideMemory.layer))

const engines = Layer.mergeAll(ApprovalEngine.layer, PolicyEvaluator.layer, GatherExpenseFacts.layer, Receipts.layer)

const useCases = Layer.mergeAll(Expenses.layer, Policies.layer, Delegations.layer).pipe(
  Layer.provideMerge(engines),
  Layer.provideMerge(stores)
)

/** Stands for the installation's address in each `receipt_url`: it is known only after the port is opened. */
export const placeholderUrl = "http://sandbox.invalid"

const organizationOf = (id: string, baseCurrency: string, since: Instant): Organization => ({
  id,
  name: "Sandbox",
  baseCurrency,
  timezone: "Europe/Istanbul",
  verification: "VERIFIED",
  strictSignatures: false,
  apiKeysMayApprove: true,
  soleOwnerMayApprove: false,
  requiresSecondFactor: false,
  allowedOrigins: [],
  isSandbox: true,
  version: 1,
  createdAt: since,
  updatedAt: since
})

type Year = Omit<DemoOrganization, "paidBy">

const yearsOf = ({ startOf }: DemoCalendar): ReadonlyArray<Year> => [
  {
    organizationId: sandbox,
    administrator: persons.mert,
    policies: demoPolicies(demoCurrencies[sandbox]),
    purchases: sandboxYear(),
    leaves: { userId: persons.katrin, at: startOf({ month: 8, day: 20 }) },
    delegates: { from: persons.zeynep, to: persons.deniz, at: startOf({ month: 7, day: 6 }) }
  },
  {
    organizationId: otherSandbox,
    administrator: persons.emre,
    policies: demoPolicies(demoCurrencies[otherSandbox]).slice(0, 1),
    purchases: otherYear(),
    leaves: undefined,
    delegates: undefined
  }
]

/**
 * The year of the sandbox organizations (docs/sandbox.md), by the use cases themselves over memory: the same each time
 * for one month, as far as it has passed.
 */
export const makeDemo = (now: Instant): Effect.Effect<ExpenseSideMemory["Service"]> => {
  const calendar = demoCalendar(now)
  const time = makeVirtualTime(20_260)
  const beginning = calendar.startOf({ month: 0, day: 1 })
  return Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory
    for (const [id, currency] of Object.entries(demoCurrencies)) {
      memory.organizations.put(id, id, organizationOf(id, currency, beginning))
    }
    for (const { id, name, organizationId } of demoDepartments) {
      memory.departments.put(organizationId, id, { id, name })
    }
    for (const person of demoPeople) {
      memory.members.put(person.organizationId, person.id, memberOf(person, beginning))
    }
    for (const quotation of demoRates(calendar, now)) {
      MemoryExchangeRates.putQuotation(memory, MemoryExchangeRates.operator, quotation)
    }
    const years = yearsOf(calendar)
    const uses = cardUses(memory, years, calendar, now)
    for (const year of years) {
      const paidBy = uses.get(year.organizationId)?.paidBy ?? new Map()
      yield* makeSimulation({ calendar, time, baseUrl: placeholderUrl }, { ...year, paidBy })
    }
    yield* time.runUntil(now)
    addCards(memory, uses, calendar, now)
    addBillsAndVendors(memory, calendar, now)
    return memory
  }).pipe(
    // Fresh: a year begins with nothing.
    Effect.provide(useCases, { local: true }),
    Effect.provideService(Identifiers, time.identifiers),
    Effect.withTracerEnabled(false)
  )
}
