import { Context, Effect, Layer } from "effect"
import { type AuditRecord, AuditTrail } from "../audit/AuditTrail.ts"
import { NotFound, StateRefused, VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { type Page, type PageRequest, pageOf } from "../lists/Page.ts"
import { type Caller, personsBehind, type RoleMissing } from "../organizations/Caller.ts"
import type { Members } from "../organizations/Members.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { permitted, type Reach } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Approval } from "./Approval.ts"
import { type ApprovalDocument, approvalDocument } from "./ApprovalDocument.ts"
import { makeSituation } from "./ApprovalSituation.ts"
import { type Situation, standingOf } from "./ApprovalStanding.ts"
import { type ApprovalFilter, type ApprovalPart, ApprovalStore } from "./ApprovalStore.ts"
import type { DelegationStore } from "./DelegationStore.ts"
import { type DecisionRefusal, SubjectDecisions } from "./SubjectDecisions.ts"

/** An approval as its caller sees it. */
export interface ApprovalView {
  readonly document: ApprovalDocument
  /** Whether the caller may decide the step that is open. */
  readonly canDecide: boolean
}

export interface ApprovalQuery extends Omit<ApprovalFilter, "id"> {
  /** Only those that the caller may decide now. */
  readonly mine: boolean
}

export interface ApprovalOrder {
  readonly decision: "approve" | "reject"
  readonly reason: string | null
  /** Versions of the approval, one of which must be the present one; undefined: any. */
  readonly expected: ReadonlyArray<number> | undefined
  /** The version of the subject that the decision is meant for; undefined: the one that the approval was opened on. */
  readonly subjectVersion: number | undefined
}

type Requirements =
  | ApprovalStore
  | AuditTrail
  | DelegationStore
  | Members
  | Organizations
  | SubjectDecisions
  | UnitOfWork

const mayDecideNow = (approval: Approval, situation: Situation, caller: Caller["Service"]): boolean =>
  approval.status === "OPEN" && standingOf(approval, situation).capacityOf(caller) !== undefined

const viewOf = (approval: Approval, situation: Situation, caller: Caller["Service"]): ApprovalView => ({
  document: approvalDocument(approval, situation),
  canDecide: mayDecideNow(approval, situation, caller)
})

const fits = ({ statuses, subjectId, subjectType }: ApprovalQuery, { status, subject }: Approval): boolean =>
  (statuses === undefined || statuses.includes(status)) &&
  (subjectType === undefined || subject.type === subjectType) &&
  (subjectId === undefined || subject.id === subjectId)

/** Driving port: approvals, read and decided. What is out of the caller's reach is not found. */
export class Approvals extends Context.Service<
  Approvals,
  {
    find(id: string): Effect.Effect<ApprovalView, NotFound | RoleMissing | Unavailable, Caller>
    /** What was done to it, newest first. */
    history(
      id: string,
      page: PageRequest
    ): Effect.Effect<Page<AuditRecord>, NotFound | RoleMissing | Unavailable, Caller>
    /** Newest first. */
    list(query: ApprovalQuery, page: PageRequest): Effect.Effect<Page<ApprovalView>, RoleMissing | Unavailable, Caller>
    /** Decides the subject through its own use case, with all that follows from it there. */
    decide(id: string, order: ApprovalOrder): Effect.Effect<ApprovalView, DecisionRefusal, Caller>
  }
>()("@sarraf/domain/approvals/Approvals") {
  static readonly layer: Layer.Layer<Approvals, never, Requirements> = Layer.effect(
    Approvals,
    Effect.gen(function* () {
      const store = yield* ApprovalStore
      const subjects = yield* SubjectDecisions
      const trail = yield* AuditTrail
      const units = yield* UnitOfWork
      const situationNow = yield* makeSituation

      const partOf = (
        caller: Caller["Service"],
        reach: Reach,
        decidable: ReadonlyArray<Approval>
      ): ApprovalPart | undefined =>
        reach === "all"
          ? undefined
          : {
              persons: personsBehind(caller),
              name: caller.name,
              decidable: decidable.map(({ id }) => id),
              seesAsked: reach === "decidable"
            }

      const within = Effect.fnUntraced(function* (id: string, situation: Situation) {
        const { caller, reach } = yield* permitted("approval.read")
        const approval = yield* store.find(id)
        if (approval === undefined) return yield* new NotFound({ resource: "approval", id })
        const decidable = mayDecideNow(approval, situation, caller) ? [approval] : []
        const { items } = yield* store.list({ id }, partOf(caller, reach, decidable), { limit: 1, after: undefined })
        return items.length === 1 ? approval : yield* new NotFound({ resource: "approval", id })
      })

      const find = Effect.fn("Approvals.find")(function* (id: string) {
        const { caller } = yield* permitted("approval.read")
        const situation = yield* situationNow
        return viewOf(yield* within(id, situation), situation, caller)
      })

      const history = Effect.fn("Approvals.history")(function* (id: string, page: PageRequest) {
        yield* within(id, yield* situationNow)
        return yield* trail.list({ subjectType: "approval", subjectId: id }, page)
      })

      const list: Approvals["Service"]["list"] = Effect.fn("Approvals.list")(function* (query, page) {
        const { caller, reach } = yield* permitted("approval.read")
        const situation = yield* situationNow
        const { mine, ...filter } = query
        const open = mine || reach !== "all" ? yield* store.open : []
        const decidable = open.filter((approval) => mayDecideNow(approval, situation, caller))
        const found = mine
          ? pageOf(
              decidable.filter(
                (approval) => fits(query, approval) && (page.after === undefined || approval.id < page.after)
              ),
              page
            )
          : yield* store.list(filter, partOf(caller, reach, decidable), page)
        return { ...found, items: found.items.map((approval) => viewOf(approval, situation, caller)) }
      })

      const decide: Approvals["Service"]["decide"] = Effect.fn("Approvals.decide")(function* (id, order) {
        yield* permitted("approval.decide")
        const before = yield* within(id, yield* situationNow)
        const { expected, subjectVersion } = order
        if (expected !== undefined && !expected.includes(before.version)) {
          return yield* new VersionConflict({ present: before.version })
        }
        if (subjectVersion !== undefined && subjectVersion !== before.subject.version) {
          return yield* new VersionConflict({ present: before.subject.version })
        }
        const decideSubject = subjects[before.subject.type]
        if (before.status !== "OPEN" || decideSubject === undefined) {
          return yield* new StateRefused({ resource: "approval", status: before.status, allowed: [] })
        }
        // A subject that was decided or changed meanwhile has another version, of which the caller said nothing.
        const isOver = Effect.flatMap(find(id), ({ document: { status } }) =>
          Effect.fail(new StateRefused({ resource: "approval", status, allowed: [] }))
        )
        yield* Effect.catchTag(
          decideSubject(before.subject, order.decision, order.reason),
          "VersionConflict",
          () => isOver
        )
        return yield* find(id)
      }, units.run)

      return Approvals.of({ find, history, list, decide })
    })
  )
}
