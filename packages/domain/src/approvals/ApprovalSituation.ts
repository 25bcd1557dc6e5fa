import { Clock, Effect } from "effect"
import { Members } from "../organizations/Members.ts"
import { Organizations } from "../organizations/Organizations.ts"
import type { Situation } from "./ApprovalStanding.ts"
import { DelegationStore } from "./DelegationStore.ts"

/** Reads the caller's organization as it is now, for `standingOf`. */
export const makeSituation = Effect.gen(function* () {
  const members = yield* Members
  const organizations = yield* Organizations
  const delegations = yield* DelegationStore
  return Effect.gen(function* () {
    const everybody = yield* members.all
    const situation: Situation = {
      members: new Map(everybody.map((member) => [member.userId, member])),
      delegations: yield* delegations.inForce(yield* Clock.currentTimeMillis),
      settings: yield* organizations.current
    }
    return situation
  })
})
