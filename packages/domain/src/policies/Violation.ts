import { Schema } from "effect"

/** BLOCK over REQUIRE_APPROVAL over WARN (specification 2.5, contract section 6). */
export const Enforcement = Schema.Literals(["BLOCK", "REQUIRE_APPROVAL", "WARN"])
export type Enforcement = typeof Enforcement.Type

/** A policy whose conditions a request meets, as it is kept with the request: which version decided, and what it said. */
export const Violation = Schema.Struct({
  policyId: Schema.String,
  policyVersion: Schema.Number,
  name: Schema.String,
  enforcement: Enforcement,
  /** The sentence that a person reads: "Meals over 500 TRY need a receipt: this has none". */
  message: Schema.String
})
export type Violation = typeof Violation.Type
