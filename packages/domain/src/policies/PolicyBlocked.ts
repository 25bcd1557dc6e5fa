import { Schema } from "effect"
import { Violation } from "./Violation.ts"

/** A policy with BLOCK is met, so that nothing was changed; every policy that is met, those that block first. */
export class PolicyBlocked extends Schema.TaggedError<PolicyBlocked>()("PolicyBlocked", {
  violations: Schema.Array(Violation)
}) {}
