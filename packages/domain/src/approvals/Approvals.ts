import { Context, Effect, Layer } from "effect"
import { type AuditRecord, AuditTrail } from "../audit/AuditTrail.ts"
import { type NotFound, StateRefused, VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import type { Members } from "../organizations/Members.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import { type ApprovalQuery, type ApprovalView, makeApprovalReading } from "./ApprovalReading.ts"
import type { ApprovalStore } from "./ApprovalStore.ts"
import type { DelegationStore } from "./DelegationStore.ts"
import { type DecisionRefusal, SubjectDecisions } from "./SubjectDecisions.ts"

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
      const subjects = yield* SubjectDecisions
      const trail = yield* AuditTrail
      const units = yield* UnitOfWork
      const { find, list, within } = yield* makeApprovalReading

      const history = Effect.fn("Approvals.history")(function* (id: string, page: PageRequest) {
        yield* within(id)
        return yield* trail.list({ subjectType: "approval", subjectId: id }, page)
      })

      const decide: Approvals["Service"]["decide"] = Effect.fn("Approvals.decide")(function* (id, order) {
        yield* permitted("approval.decide")
        const before = yield* within(id)
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
