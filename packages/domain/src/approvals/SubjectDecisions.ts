import { Context, Effect, Layer } from "effect"
import type { Forbidden, NotFound, StateRefused, VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Expenses } from "../expenses/Expenses.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import type { PolicyBlocked } from "../policies/PolicyBlocked.ts"
import type { ApprovalSubject } from "./ApprovalEngine.ts"

/** Why a subject's use case does not take a decision. */
export type DecisionRefusal =
  | NotFound
  | Forbidden
  | RoleMissing
  | StateRefused
  | VersionConflict
  | PolicyBlocked
  | Unavailable

/** Decides this version of a subject as its own endpoint does. */
type DecideSubject = (
  subject: Pick<ApprovalSubject, "id" | "version">,
  decision: "approve" | "reject",
  reason: string | null
) => Effect.Effect<unknown, DecisionRefusal, Caller>

/** The use cases that decide, by the type of the subject: so an approval's own door does what the subject's door does. */
export class SubjectDecisions extends Context.Service<
  SubjectDecisions,
  Partial<Readonly<Record<ApprovalSubject["type"], DecideSubject>>>
>()("@sarraf/domain/approvals/SubjectDecisions") {
  static readonly layer: Layer.Layer<SubjectDecisions, never, Expenses> = Layer.effect(
    SubjectDecisions,
    Effect.map(Expenses, (expenses) =>
      SubjectDecisions.of({
        expense: ({ id, version }, decision, reason) => expenses.decide(id, decision, reason, [version])
      })
    )
  )
}
