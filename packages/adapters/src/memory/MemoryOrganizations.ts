import { Caller } from "@sarraf/domain/organizations/Caller"
import { Members } from "@sarraf/domain/organizations/Members"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

const units = Layer.effect(
  UnitOfWork,
  Effect.map(ExpenseSideMemory, ({ apart, within }) => UnitOfWork.of({ run: within, apart }))
)

const organizations = Layer.effect(
  Organizations,
  Effect.map(ExpenseSideMemory, (memory) =>
    Organizations.of({
      current: memory.within(
        Effect.flatMap(Caller, ({ organizationId }) => {
          const found = memory.organizations.get(organizationId, organizationId)
          return found === undefined
            ? Effect.die(new Error(`No organization ${organizationId}`))
            : Effect.succeed(found)
        })
      ),
      save: (before, after) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => {
            const present = memory.organizations.get(organizationId, organizationId)
            if (present === undefined || present.version !== before.version) return false
            const { createdAt, id, isSandbox } = present
            const saved = { ...after, id, isSandbox, createdAt, version: before.version + 1 }
            memory.organizations.put(organizationId, organizationId, saved)
            return true
          })
        )
    })
  )
)

const inOrder = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

const members = Layer.effect(
  Members,
  Effect.map(ExpenseSideMemory, (memory) =>
    Members.of({
      find: (userId) =>
        memory.within(Effect.map(Caller, ({ organizationId }) => memory.members.get(organizationId, userId))),
      all: memory.within(
        Effect.map(Caller, ({ organizationId }) =>
          memory.members
            .all(organizationId)
            .toSorted((one, other) => inOrder(one.name, other.name) || inOrder(one.userId, other.userId))
        )
      ),
      departments: memory.within(
        Effect.map(Caller, ({ organizationId }) =>
          memory.departments
            .all(organizationId)
            .toSorted((one, other) => inOrder(one.name, other.name) || inOrder(one.id, other.id))
        )
      ),
      holdDepartment: (id) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => memory.departments.get(organizationId, id) !== undefined)
        )
    })
  )
)

/** Organizations with their people, and units of work, in memory. Who is there is put into `ExpenseSideMemory` itself. */
export const layer = Layer.mergeAll(units, organizations, members)
