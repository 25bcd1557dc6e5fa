import type { Approval } from "@sarraf/domain/approvals/Approval"
import { type ApprovalFilter, type ApprovalPart, ApprovalStore } from "@sarraf/domain/approvals/ApprovalStore"
import { isInForce } from "@sarraf/domain/approvals/Delegation"
import { DelegationStore } from "@sarraf/domain/approvals/DelegationStore"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? -1 : 1)

const fits = (filter: ApprovalFilter, { id, status, subject }: Approval): boolean =>
  (filter.id === undefined || id === filter.id) &&
  (filter.statuses === undefined || filter.statuses.includes(status)) &&
  (filter.subjectType === undefined || subject.type === filter.subjectType) &&
  (filter.subjectId === undefined || subject.id === filter.subjectId)

const asks = ({ steps }: Approval, persons: ReadonlyArray<string>): boolean =>
  steps.some(({ roles = [], users = [] }) => roles.length > 0 || persons.some((person) => users.includes(person)))

const isPart = ({ decidable, name, persons, seesAsked }: ApprovalPart, approval: Approval): boolean => {
  const isOne = (person: string | null) => person !== null && persons.includes(person)
  return (
    isOne(approval.submitterId) ||
    approval.concerned.some(isOne) ||
    approval.openedBy === name ||
    decidable.includes(approval.id) ||
    (seesAsked && asks(approval, persons)) ||
    approval.decisions.some(({ by, onBehalfOf }) => by === name || isOne(onBehalfOf))
  )
}

const isDue = ({ dueAt, escalatedAt, status }: Approval, by: Instant): boolean =>
  status === "OPEN" && escalatedAt === null && dueAt <= by

const approvals = Layer.effect(
  ApprovalStore,
  Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory
    const own = Effect.map(Caller, ({ organizationId }) => memory.approvals.all(organizationId))
    const open = Effect.map(own, (all) => all.filter(({ status }) => status === "OPEN"))
    const put = (approval: Approval) =>
      Effect.map(Caller, ({ organizationId }) => memory.approvals.put(organizationId, approval.id, approval))

    return ApprovalStore.of({
      find: (id) => memory.within(Effect.map(Caller, ({ organizationId }) => memory.approvals.get(organizationId, id))),
      lockOpen: ({ id, type }) =>
        memory.within(Effect.map(open, (all) => all.find(({ subject }) => subject.type === type && subject.id === id))),
      insert: (approval) =>
        memory.within(
          Effect.flatMap(open, (all) =>
            all.some(({ subject: { id, type } }) => type === approval.subject.type && id === approval.subject.id)
              ? Effect.die(new Error(`${approval.subject.id} has an open approval already`))
              : put(approval)
          )
        ),
      save: (before, after) =>
        memory.within(
          Effect.flatMap(Caller, ({ organizationId }) =>
            memory.approvals.get(organizationId, after.id)?.version === before.version ? put(after) : Effect.void
          )
        ),
      list: (filter, part, page) =>
        memory.within(
          Effect.map(own, (all) => {
            const found = all.filter(
              (one) =>
                (page.after === undefined || one.id < page.after) &&
                fits(filter, one) &&
                (part === undefined || isPart(part, one))
            )
            return pageOf(
              found
                .sort(byId)
                .reverse()
                .slice(0, page.limit + 1),
              page
            )
          })
        ),
      open: memory.within(Effect.map(open, (all) => all.sort(byId).reverse())),
      lockDue: (by) =>
        memory.within(
          Effect.map(open, (all) =>
            all
              .filter((one) => isDue(one, by))
              .sort((one, other) => one.dueAt - other.dueAt || byId(one, other))
              .at(0)
          )
        ),
      organizationsDue: (by) =>
        Effect.sync(() =>
          memory.approvals.organizationIds().filter((id) => memory.approvals.all(id).some((one) => isDue(one, by)))
        )
    })
  })
)

const delegations = Layer.effect(
  DelegationStore,
  Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory
    const own = Effect.map(Caller, ({ organizationId }) => memory.delegations.all(organizationId).sort(byId))
    const find = (id: string) => Effect.map(own, (all) => all.find((one) => one.id === id))
    return DelegationStore.of({
      find: (id) => memory.within(find(id)),
      inForce: (at) => memory.within(Effect.map(own, (all) => all.filter((one) => isInForce(one, at)))),
      lockOf: (from, at) =>
        memory.within(
          Effect.map(own, (all) => all.filter((one) => one.from === from && one.endsAt > at && one.endedAt === null))
        ),
      insert: (delegation) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => memory.delegations.put(organizationId, delegation.id, delegation))
        ),
      end: (id, at) =>
        memory.within(
          Effect.gen(function* () {
            const { organizationId } = yield* Caller
            const found = yield* find(id)
            if (found === undefined || found.endedAt !== null || found.endsAt <= at) return
            memory.delegations.put(organizationId, id, { ...found, endedAt: at })
          })
        ),
      list: (of, page) =>
        memory.within(
          Effect.map(own, (all) => {
            const found = all.filter(
              (one) =>
                (of === undefined || one.from === of || one.to === of) &&
                (page.after === undefined || one.id < page.after)
            )
            return pageOf(found.reverse().slice(0, page.limit + 1), page)
          })
        )
    })
  })
)

/** Approvals and delegations in memory. */
export const layer = Layer.merge(approvals, delegations)
