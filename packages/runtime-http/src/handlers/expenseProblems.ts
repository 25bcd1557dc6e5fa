import { violationDocument } from "@sarraf/domain/expenses/ExpenseDocument"
import type { PolicyBlocked } from "@sarraf/domain/policies/PolicyBlocked"
import { Effect, Struct } from "effect"
import * as problems from "../api/problems.ts"
import { refusals } from "./conventions.ts"

/** What refuses to read expenses. */
export const readRefusals = Struct.pick(refusals, ["RoleMissing", "NotFound", "Unavailable"])

/** What refuses a command on an expense. */
export const commandRefusals = {
  ...readRefusals,
  ...Struct.pick(refusals, ["StateRefused", "VersionConflict"]),
  PolicyBlocked: ({ violations }: PolicyBlocked) =>
    Effect.fail(
      new problems.PolicyBlocked({
        detail: "Change what the violations name, or ask an administrator about these policies. Nothing was changed.",
        violations: violations.map(violationDocument)
      })
    )
}

/** What refuses a decision. */
export const decisionRefusals = { ...commandRefusals, ...Struct.pick(refusals, ["Forbidden"]) }

/** What refuses what somebody entered. */
export const fieldsRefusals = { ...decisionRefusals, ...Struct.pick(refusals, ["InvalidFields"]) }
