import { Clock, Effect, Layer, Schedule } from "effect"
import { Caller } from "../organizations/Caller.ts"
import { ApprovalEngine } from "./ApprovalEngine.ts"
import { ApprovalStore } from "./ApprovalStore.ts"

/** Who is asked after three days is asked soon enough half a minute later. */
const pause = "30 seconds"

/** So many steps of one organization are escalated at one look, so that no organization keeps the others waiting. */
const escalationsMax = 100

const systemOf = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "OWNER",
  name: "system",
  kind: "system",
  userId: null,
  createdBy: null
})

/**
 * In each process: steps that are overdue go to the ADMINs and OWNERs too (contract section 6). Processes that look at
 * the same time share the work, since each passes over what another holds.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* ApprovalStore
    const engine = yield* ApprovalEngine
    const look = Effect.gen(function* () {
      for (const organizationId of yield* store.organizationsDue(yield* Clock.currentTimeMillis)) {
        let count = 0
        const one = Effect.provideService(engine.escalateOne, Caller, systemOf(organizationId))
        while (count < escalationsMax && (yield* one)) count++
      }
    })
    yield* look.pipe(
      // The next look does what this one could not.
      Effect.catchCause((cause) => Effect.logWarning("Overdue approvals could not be escalated", cause)),
      Effect.repeat(Schedule.spaced(pause)),
      Effect.forkScoped
    )
  })
)
