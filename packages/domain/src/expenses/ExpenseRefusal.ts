import type { Forbidden, InvalidFields, NotFound, StateRefused, VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { RoleMissing } from "../organizations/Caller.ts"
import type { PolicyBlocked } from "../policies/PolicyBlocked.ts"

/** Why an expense cannot be read. */
export type ReadRefusal = RoleMissing | NotFound | Unavailable

/** Why a command on an expense is refused, beside what its body may have wrong. */
export type CommandRefusal = ReadRefusal | StateRefused | VersionConflict | PolicyBlocked

/** Why a decision is refused; `Forbidden`: the caller is not among its deciders, or is concerned by it. */
export type DecisionRefusal = Exclude<CommandRefusal, Unavailable | VersionConflict> | Forbidden

/** Why what somebody entered is refused. */
export type FieldsRefusal = RoleMissing | NotFound | Forbidden | InvalidFields | PolicyBlocked | Unavailable
