import { Context, type Effect } from "effect"
import type { Forbidden, StateRefused } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { ApprovalStepRule } from "./ApprovalStep.ts"

/** What is to be decided: a version of a request. A decision is bound to the version its approval was opened on. */
export interface ApprovalSubject {
  readonly type: "expense" | "bill" | "purchase_request" | "card" | "limit_raise"
  readonly id: string
  readonly version: number
}

/** An approval to be opened. */
export interface ApprovalRequest {
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
  readonly id: string
  /** Who may decide in some step, for the rows an APPROVER reaches; null: whoever has the role. */
  readonly deciders: ReadonlyArray<string> | null
}

/** What became of the approval with this decision. `OPEN`: other steps or persons are still to decide. */
export interface DecidedApproval {
  readonly id: string
  readonly status: "OPEN" | "APPROVED" | "REJECTED"
}

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
  }
>()("@sarraf/domain/approvals/ApprovalEngine") {}
