import type { Approval } from "@sarraf/domain/approvals/Approval"
import type { Delegation } from "@sarraf/domain/approvals/Delegation"
import type { AuditRecord } from "@sarraf/domain/audit/AuditTrail"
import type { Bill } from "@sarraf/domain/bills/Bill"
import type { Card } from "@sarraf/domain/cards/Card"
import type { CardTransaction } from "@sarraf/domain/cards/CardTransaction"
import type { NewEvent } from "@sarraf/domain/events/EventLog"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import type { Quotation } from "@sarraf/domain/money/Quotation"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Department, Member } from "@sarraf/domain/organizations/Members"
import type { Organization } from "@sarraf/domain/organizations/Organizations"
import type { Policy } from "@sarraf/domain/policies/Policy"
import type { PolicyVersion } from "@sarraf/domain/policies/PolicyStore"
import type { Receipt } from "@sarraf/domain/receipts/Receipt"
import type { Instant } from "@sarraf/domain/time/Instant"
import type { Vendor } from "@sarraf/domain/vendors/Vendor"
import { Context, Effect, Exit, Layer, Semaphore } from "effect"

/** An event as receivers are told it. */
export interface RecordedEvent extends NewEvent {
  /** `evt_…`. */
  readonly id: string
  /** Counts the events of its object, from 1. */
  readonly sequence: number
  readonly at: Instant
}

/** The rows of one kind, each of an organization and with a key of its own there. */
export interface MemoryTable<A> {
  readonly get: (organizationId: string, key: string) => A | undefined
  /** A list of its own, in the order in which they were put there first. */
  readonly all: (organizationId: string) => Array<A>
  /** In the place of the row with this key, where there is one. */
  readonly put: (organizationId: string, key: string, row: A) => void
  readonly remove: (organizationId: string, key: string) => void
  /** Those that have rows, for the service's own work. */
  readonly organizationIds: () => ReadonlyArray<string>
}

/** What takes back the writes of the open unit, the last one last. */
type Undo = Array<() => void>

const makeTable = <A>(undo: Undo): MemoryTable<A> => {
  const organizations = new Map<string, Map<string, A>>()
  const rowsOf = (organizationId: string): Map<string, A> => {
    const present = organizations.get(organizationId)
    if (present !== undefined) return present
    const empty = new Map<string, A>()
    organizations.set(organizationId, empty)
    return empty
  }
  return {
    get: (organizationId, key) => organizations.get(organizationId)?.get(key),
    all: (organizationId) => [...(organizations.get(organizationId)?.values() ?? [])],
    put: (organizationId, key, row) => {
      const rows = rowsOf(organizationId)
      const before = rows.get(key)
      undo.push(() => void (before === undefined ? rows.delete(key) : rows.set(key, before)))
      rows.set(key, row)
    },
    remove: (organizationId, key) => {
      const rows = rowsOf(organizationId)
      const before = rows.get(key)
      if (before === undefined) return
      undo.push(() => void rows.set(key, before))
      rows.delete(key)
    },
    organizationIds: () => [...organizations.keys()]
  }
}

/** The organization whose unit of work is open in this fiber. */
const OpenUnit = Context.Reference<string | undefined>("@sarraf/adapters/memory/OpenUnit", {
  defaultValue: () => undefined
})

const make = () => {
  const undo: Undo = []
  const turns = Semaphore.makeUnsafe(1)

  /** What the effect wrote is taken back where it fails. */
  const orTakenBack = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const mark = undo.length
      return Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) return
          for (const takeBack of undo.splice(mark).reverse()) takeBack()
        })
      )
    })

  /** In the unit of work that is open, else in one of its own. */
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Caller> =>
    Effect.gen(function* () {
      const { organizationId } = yield* Caller
      const open = yield* OpenUnit
      if (open === organizationId) return yield* effect
      if (open !== undefined) return yield* Effect.die(new Error("A unit of work is of one organization"))
      const unit = Effect.ensuring(
        orTakenBack(effect),
        Effect.sync(() => void undo.splice(0))
      )
      return yield* turns.withPermit(Effect.provideService(unit, OpenUnit, organizationId))
    })

  return {
    within,
    /** A part of a unit of work that fails alone. */
    apart: <A, E, R>(effect: Effect.Effect<A, E, R>) => within(orTakenBack(effect)),
    /** By their own id. */
    organizations: makeTable<Organization>(undo),
    members: makeTable<Member>(undo),
    departments: makeTable<Department>(undo),
    expenses: makeTable<Expense>(undo),
    receipts: makeTable<Receipt>(undo),
    policies: makeTable<Policy>(undo),
    /** By policy and version. */
    policyVersions: makeTable<PolicyVersion>(undo),
    approvals: makeTable<Approval>(undo),
    delegations: makeTable<Delegation>(undo),
    cards: makeTable<Card>(undo),
    cardTransactions: makeTable<CardTransaction>(undo),
    vendors: makeTable<Vendor>(undo),
    bills: makeTable<Bill>(undo),
    /** By their position. */
    auditRecords: makeTable<AuditRecord>(undo),
    events: makeTable<RecordedEvent>(undo),
    /** By day, and there by pair; the operator's are those of the empty text. */
    quotations: makeTable<ReadonlyMap<string, Quotation>>(undo)
  }
}

/**
 * What the stores of organizations, expenses, policies and approvals hold together, as the tables of one database do.
 * Units of work come one after the other, those of other organizations too, and one that fails leaves nothing behind. All
 * of it ends with the program.
 */
export class ExpenseSideMemory extends Context.Service<ExpenseSideMemory, ReturnType<typeof make>>()(
  "@sarraf/adapters/memory/ExpenseSideMemory"
) {
  static readonly layer: Layer.Layer<ExpenseSideMemory> = Layer.sync(ExpenseSideMemory, make)
}
