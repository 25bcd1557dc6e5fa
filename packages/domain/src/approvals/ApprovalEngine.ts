import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { type Forbidden, StateRefused } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { EventLog } from "../events/EventLog.ts"
import { Caller, personsBehind } from "../organizations/Caller.ts"
import type { Members } from "../organizations/Members.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import { type Approval, type ApprovalDecision, cancelled, decided, escalated, opened } from "./Approval.ts"
import { approvalDocument } from "./ApprovalDocument.ts"
import { refusalOf } from "./ApprovalRefusal.ts"
import { makeSituation } from "./ApprovalSituation.ts"
import { type Situation, standingOf } from "./ApprovalStanding.ts"
import type { ApprovalStepRule } from "./ApprovalStep.ts"
import { ApprovalStore } from "./ApprovalStore.ts"
import type { DelegationStore } from "./DelegationStore.ts"

/** What is to be decided: a version of a request. A decision is bound to the version its approval was opened on. */
export interface ApprovalSubject {
  readonly type: "expense" | "bill" | "purchase_request" | "card" | "limit_raise"
  readonly id: string
  readonly version: number
}

/** An approval to be opened. */
export interface ApprovalRequest {
  /** `apr_…`: drawn by the subject's use case, so that the subject names its approval when it is told of. */
  readonly id: string
  readonly subject: ApprovalSubject
  /** The persons who submitted it, made the key that did, or benefit: none of them decides (contract section 3). */
  readonly concerned: ReadonlyArray<string>
  /** Whose manager a step with `manager` means; null where no person stands behind the request. */
  readonly submitterId: string | null
  readonly steps: ReadonlyArray<ApprovalStepRule>
  /** What a list of approvals shows of the subject: `Migros, 149.90 TRY`. */
  readonly summary: string
}

/** An approval as the subject's use case needs it. */
export interface OpenedApproval {
  /** Who may decide in some step, for the rows an APPROVER reaches; null: whoever has the role. */
  readonly deciders: ReadonlyArray<string> | null
}

/** What became of the approval with this decision. `OPEN`: other steps or persons are still to decide. */
export interface DecidedApproval {
  readonly id: string
  readonly status: "OPEN" | "APPROVED" | "REJECTED"
}

type Requirements = ApprovalStore | DelegationStore | Members | Organizations | AuditTrail | EventLog | UnitOfWork

/**
 * One engine for whatever needs approval. All of its methods belong into the subject's unit of work, after the subject
 * has been locked; they append `approval.requested` and `approval.completed` and their audit entries themselves.
 */
export class ApprovalEngine extends Context.Service<
  ApprovalEngine,
  {
    /** Opens the approval of a subject that has none open. */
    open(request: ApprovalRequest): Effect.Effect<OpenedApproval, Unavailable, Caller>
    /**
     * The caller's decision in the step that is open. `Forbidden`: not among its deciders, or one of the persons
     * concerned. `StateRefused`: nothing is open for this subject, or the caller has decided already.
     */
    decide(
      subject: Pick<ApprovalSubject, "type" | "id">,
      decision: "approve" | "reject",
      reason: string | null
    ): Effect.Effect<DecidedApproval, Forbidden | StateRefused | Unavailable, Caller>
    /** Ends the open approval of a subject that was withdrawn or changed; nothing happens where there is none. */
    cancel(subject: Pick<ApprovalSubject, "type" | "id">, reason: string): Effect.Effect<void, Unavailable, Caller>
    /** The service's own work: asks ADMINs and OWNERs about one step of the caller's organization that is overdue; false where there is none. */
    readonly escalateOne: Effect.Effect<boolean, Unavailable, Caller>
  }
>()("@sarraf/domain/approvals/ApprovalEngine") {
  static readonly layer: Layer.Layer<ApprovalEngine, never, Requirements> = Layer.effect(
    ApprovalEngine,
    Effect.gen(function* () {
      const store = yield* ApprovalStore
      const trail = yield* AuditTrail
      const events = yield* EventLog
      const units = yield* UnitOfWork
      const situationNow = yield* makeSituation

      const record = (
        action: "opened" | "decided" | "completed" | "cancelled" | "escalated",
        { id, status, step, subject }: Approval,
        detail: Readonly<Record<string, unknown>> = {}
      ) =>
        trail.append({
          action: `approval.${action}`,
          subject: { type: "approval", id },
          after: { status, current_step: step + 1 },
          detail: { subject_type: subject.type, subject_id: subject.id, subject_version: subject.version, ...detail }
        })

      /** Who may decide changed, or nobody does any more. */
      const announce = (type: "approval.requested" | "approval.completed", after: Approval, situation: Situation) =>
        events.append({ type, objectId: after.id, object: approvalDocument(after, situation) })

      const announceDecision = Effect.fnUntraced(function* (before: Approval, after: Approval, now: Situation) {
        if (after.status !== "OPEN") {
          yield* record("completed", after)
          yield* announce("approval.completed", after, now)
        } else if (after.step !== before.step) {
          yield* announce("approval.requested", after, now)
        }
      })

      const open = Effect.fn("ApprovalEngine.open")(function* (request: ApprovalRequest) {
        const { name } = yield* Caller
        const approval = opened(request, name, yield* Clock.currentTimeMillis)
        yield* store.insert(approval)
        yield* record("opened", approval, { steps: approval.steps.length })
        const situation = yield* situationNow
        yield* announce("approval.requested", approval, situation)
        const manager = request.submitterId === null ? null : situation.members.get(request.submitterId)?.managerId
        return { deciders: decidersOf(approval, manager ?? null) }
      }, units.run)

      const decide: ApprovalEngine["Service"]["decide"] = Effect.fn("ApprovalEngine.decide")(function* (
        subject,
        decision,
        reason
      ) {
        const caller = yield* Caller
        const before = yield* store.lockOpen(subject)
        if (before === undefined) {
          const none = { resource: "approval", status: "not open", allowed: [] }
          return yield* new StateRefused({ ...none, reason: "Nothing waits for a decision here." })
        }
        const situation = yield* situationNow
        const standing = standingOf(before, situation)
        const capacity = standing.capacityOf(caller)
        if (capacity === undefined) return yield* refusalOf(before, situation, standing, caller)
        const made: ApprovalDecision = {
          ...capacity,
          step: before.step,
          by: caller.name,
          persons: personsBehind(caller),
          decision,
          reason,
          at: yield* Clock.currentTimeMillis
        }
        const after = decided(before, made, standing.completes(capacity))
        yield* store.save(before, after)
        yield* record("decided", after, {
          step: before.step + 1,
          decision,
          reason,
          on_behalf_of: capacity.onBehalfOf,
          ...(capacity.isSoleOwner ? { sole_owner: true } : {})
        })
        yield* announceDecision(before, after, situation)
        return { id: after.id, status: after.status }
      }, units.run)

      const cancel: ApprovalEngine["Service"]["cancel"] = Effect.fn("ApprovalEngine.cancel")(function* (
        subject,
        reason
      ) {
        const before = yield* store.lockOpen(subject)
        if (before === undefined) return
        const after = cancelled(before, yield* Clock.currentTimeMillis)
        yield* store.save(before, after)
        yield* record("cancelled", after, { reason })
      }, units.run)

      const escalateOne = units.run(
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const before = yield* store.lockDue(at)
          if (before === undefined) return false
          const after = escalated(before, at)
          yield* store.save(before, after)
          yield* record("escalated", after)
          yield* announce("approval.requested", after, yield* situationNow)
          return true
        })
      )

      return ApprovalEngine.of({ open, decide, cancel, escalateOne })
    })
  )
}

const decidersOf = ({ steps }: Approval, manager: string | null): ReadonlyArray<string> | null => {
  if (steps.some(({ roles }) => roles !== undefined && roles.length > 0)) return null
  const named = steps.flatMap(({ manager: asked, users }) => [
    ...(users ?? []),
    ...(asked === true && manager !== null ? [manager] : [])
  ])
  return [...new Set(named)]
}
