import { EventLog } from "@sarraf/domain/events/EventLog"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Clock, Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

/** Events in memory, numbered for each object. */
export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory
    const identifiers = yield* Identifiers
    return EventLog.of({
      append: (event) =>
        memory.within(
          Effect.gen(function* () {
            const { organizationId } = yield* Caller
            let sequence = 1
            while (memory.events.get(organizationId, `${event.objectId} ${sequence}`) !== undefined) sequence++
            const told = { ...event, id: yield* identifiers.next("evt"), sequence, at: yield* Clock.currentTimeMillis }
            memory.events.put(organizationId, `${event.objectId} ${sequence}`, told)
          })
        )
    })
  })
)
