import { Schema } from "effect"

/** Not there, or another organization's, or out of the caller's reach: these look alike on purpose. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** `expense`, `policy`: what was looked for, for the sentence. */
  resource: Schema.String,
  id: Schema.String
}) {}

/** A value that is well formed and cannot be: an id that nobody has, a currency without a rate. Field paths as in the request. */
export class InvalidFields extends Schema.TaggedError<InvalidFields>()("InvalidFields", {
  faults: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** The caller is known and may act, but not here: `reason` is a sentence that says why, and who may. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { reason: Schema.String }) {}

/** The state does not allow the command; `allowed` holds the commands that it does allow. */
export class StateRefused extends Schema.TaggedError<StateRefused>()("StateRefused", {
  resource: Schema.String,
  status: Schema.String,
  allowed: Schema.Array(Schema.String),
  /** More than the state: what is missing for the command. */
  reason: Schema.optionalKey(Schema.String)
}) {}

/** `If-Match` or `version` names another version than the present one. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  present: Schema.Number
}) {}
