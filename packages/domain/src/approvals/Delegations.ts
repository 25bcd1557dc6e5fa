import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Forbidden, InvalidFields, NotFound, StateRefused } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { type Member, Members } from "../organizations/Members.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Instant } from "../time/Instant.ts"
import { mayDecide } from "./ApprovalStanding.ts"
import { type Delegation, delegationMillisMax, overlaps } from "./Delegation.ts"
import { DelegationStore } from "./DelegationStore.ts"

export interface DelegationOrder {
  /** Whose decisions; undefined: the caller's own. */
  readonly from: string | undefined
  readonly to: string
  /** Undefined, or past: from now on. */
  readonly startsAt: Instant | undefined
  readonly endsAt: Instant
  readonly reason: string | null
}

interface Fault {
  readonly path: string
  readonly message: string
}

const personFault = (path: string, member: Member): ReadonlyArray<Fault> =>
  member.status === "ACTIVE" && mayDecide(member.role)
    ? []
    : [{ path, message: "must be an active member with the role APPROVER or above" }]

const periodFaults = (startsAt: Instant, endsAt: Instant): ReadonlyArray<Fault> => [
  ...(endsAt > startsAt ? [] : [{ path: "ends_at", message: "must be after now and after starts_at" }]),
  ...(endsAt - startsAt <= delegationMillisMax
    ? []
    : [{ path: "ends_at", message: "must be at most 90 days after starts_at" }])
]

/** Driving port: who decides for whom, for a period (contract section 6). */
export class Delegations extends Context.Service<
  Delegations,
  {
    /**
     * `NotFound` for who is no member; `InvalidFields` for persons or periods that cannot be; `StateRefused` where the
     * person has delegated for a part of the period.
     */
    create(
      order: DelegationOrder
    ): Effect.Effect<
      Delegation,
      Forbidden | InvalidFields | NotFound | StateRefused | RoleMissing | Unavailable,
      Caller
    >
    /** `NotFound` also for one that the caller has no part in, without `all` in reach. */
    find(id: string): Effect.Effect<Delegation, NotFound | RoleMissing | Unavailable, Caller>
    /** Newest first; without `all` in reach those that the caller gave or was given. */
    list(page: PageRequest): Effect.Effect<Page<Delegation>, RoleMissing | Unavailable, Caller>
    /** From this moment on the steps are the delegator's alone again. Nothing happens to one that is over. */
    end(id: string): Effect.Effect<void, Forbidden | NotFound | RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/approvals/Delegations") {
  static readonly layer: Layer.Layer<
    Delegations,
    never,
    AuditTrail | DelegationStore | Identifiers | Members | UnitOfWork
  > = Layer.effect(
    Delegations,
    Effect.gen(function* () {
      const store = yield* DelegationStore
      const members = yield* Members
      const trail = yield* AuditTrail
      const identifiers = yield* Identifiers
      const units = yield* UnitOfWork

      const record = (action: "created" | "ended", { from, id, reason, to }: Delegation) =>
        trail.append({
          action: `delegation.${action}`,
          subject: { type: "delegation", id },
          detail: { from_user_id: from, to_user_id: to, reason }
        })

      const personAt = Effect.fnUntraced(function* (path: string, id: string) {
        return (yield* members.find(id)) ?? (yield* new NotFound({ resource: `member (${path})`, id }))
      })

      const create = Effect.fn("Delegations.create")(function* (order: DelegationOrder) {
        const { caller, reach } = yield* permitted("delegation.manage")
        const from = order.from ?? caller.userId
        if (from === null) {
          return yield* new InvalidFields({ faults: [{ path: "from_user_id", message: "is required of an API key" }] })
        }
        if (reach !== "all" && from !== caller.userId) {
          return yield* new Forbidden({
            reason: "You delegate your own decisions; an ADMIN delegates those of others."
          })
        }
        const createdAt = yield* Clock.currentTimeMillis
        const startsAt = Math.max(order.startsAt ?? createdAt, createdAt)
        const { endsAt, reason, to } = order
        const faults = [
          ...personFault("from_user_id", yield* personAt("from_user_id", from)),
          ...(to === from
            ? [{ path: "to_user_id", message: "must be another person" }]
            : personFault("to_user_id", yield* personAt("to_user_id", to))),
          ...periodFaults(startsAt, endsAt)
        ]
        if (faults.length > 0) return yield* new InvalidFields({ faults })
        const id = yield* identifiers.next("del")
        const made = { id, from, to, startsAt, endsAt, endedAt: null, reason, createdBy: caller.name, createdAt }
        const present = yield* store.lockOf(from, createdAt)
        if (present.some((other) => overlaps(other, made))) {
          return yield* new StateRefused({
            resource: "delegation",
            status: "in force or planned",
            allowed: ["delete"],
            reason: "This person has delegated for a part of the period already."
          })
        }
        yield* store.insert(made)
        yield* record("created", made)
        return made
      }, units.run)

      const reachable = Effect.fnUntraced(function* (id: string) {
        const { caller, reach } = yield* permitted("delegation.manage")
        const found = yield* store.find(id)
        const isParty = caller.userId !== null && (found?.from === caller.userId || found?.to === caller.userId)
        if (found === undefined || (reach !== "all" && !isParty)) {
          return yield* new NotFound({ resource: "delegation", id })
        }
        return { caller, reach, found }
      })

      const end = Effect.fn("Delegations.end")(function* (id: string) {
        const { caller, found, reach } = yield* reachable(id)
        if (reach !== "all" && found.from !== caller.userId) {
          return yield* new Forbidden({ reason: "It is ended by the person who delegated, or by an ADMIN." })
        }
        const at = yield* Clock.currentTimeMillis
        if (found.endedAt !== null || found.endsAt <= at) return
        yield* store.end(id, at)
        yield* record("ended", found)
      }, units.run)

      const list = Effect.fn("Delegations.list")(function* (page: PageRequest) {
        const { caller, reach } = yield* permitted("delegation.manage")
        if (reach === "all") return yield* store.list(undefined, page)
        return caller.userId === null ? { items: [], hasMore: false } : yield* store.list(caller.userId, page)
      })

      const find = Effect.fn("Delegations.find")((id: string) => Effect.map(reachable(id), ({ found }) => found))

      return Delegations.of({ create, end, find, list })
    })
  )
}
