import type { Approval } from "@sarraf/domain/approvals/Approval"
import { ApprovalEngine } from "@sarraf/domain/approvals/ApprovalEngine"
import { ApprovalStore } from "@sarraf/domain/approvals/ApprovalStore"
import type { Delegation } from "@sarraf/domain/approvals/Delegation"
import { isInForce } from "@sarraf/domain/approvals/Delegation"
import { DelegationStore } from "@sarraf/domain/approvals/DelegationStore"
import { type AuditEntry, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { EventLog, type NewEvent } from "@sarraf/domain/events/EventLog"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { type Member, Members } from "@sarraf/domain/organizations/Members"
import { type Organization, Organizations } from "@sarraf/domain/organizations/Organizations"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { sampleOrganization } from "../../organizations/support/SampleOrganization.ts"
import { organizationId } from "./Staff.ts"

const organization = sampleOrganization({ id: organizationId, name: "Office" })

/** An organization in memory: its people and settings may be changed, and what was recorded is kept to be looked at. */
export const makeOffice = (people: ReadonlyArray<Member>, settings: Partial<Organization> = {}) => {
  const office = {
    people,
    delegations: [] as ReadonlyArray<Delegation>,
    approvals: new Map<string, Approval>(),
    audited: [] as Array<AuditEntry>,
    events: [] as Array<NewEvent>
  }
  const { approvals } = office
  let count = 0
  const isDue = (by: number) => (approval: Approval) =>
    approval.status === "OPEN" && approval.escalatedAt === null && approval.dueAt <= by
  const store = Layer.mock(ApprovalStore, {
    find: (id) => Effect.succeed(approvals.get(id)),
    lockOpen: ({ id, type }) =>
      Effect.succeed(
        [...approvals.values()].find(
          ({ status, subject }) => status === "OPEN" && subject.id === id && subject.type === type
        )
      ),
    insert: (approval) => Effect.sync(() => approvals.set(approval.id, approval)),
    save: (_, after) => Effect.sync(() => approvals.set(after.id, after)),
    lockDue: (by) => Effect.succeed([...approvals.values()].find(isDue(by))),
    organizationsDue: (by) => Effect.succeed([...approvals.values()].some(isDue(by)) ? [organizationId] : [])
  })
  const ports = Layer.mergeAll(
    store,
    Layer.mock(DelegationStore, {
      inForce: (at) => Effect.sync(() => office.delegations.filter((one) => isInForce(one, at)))
    }),
    Layer.mock(Members, { all: Effect.sync(() => office.people) }),
    Layer.mock(Organizations, { current: Effect.succeed({ ...organization, ...settings }) }),
    Layer.mock(AuditTrail, { append: (entry) => Effect.sync(() => void office.audited.push(entry)) }),
    Layer.mock(EventLog, { append: (event) => Effect.sync(() => void office.events.push(event)) }),
    Layer.mock(Identifiers, { next: (prefix) => Effect.sync(() => `${prefix}_${++count}`) }),
    Layer.succeed(UnitOfWork, { run: (effect) => effect, apart: (effect) => effect })
  )
  return { office, layer: ApprovalEngine.layer.pipe(Layer.provideMerge(ports)) }
}
