import type { Forbidden, InvalidFields, NotFound, StateRefused, VersionConflict } from "@sarraf/domain/errors/Refusals"
import type { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Caller, type RoleMissing } from "@sarraf/domain/organizations/Caller"
import type { VerificationMissing } from "@sarraf/domain/organizations/Credentials"
import { operatorCaller } from "@sarraf/domain/organizations/FoundOrganization"
import { Data, Effect } from "effect"

/** `message` says why a command did nothing, and what to do. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<{ readonly message: string }> {}

/** Acts in an organization as whoever runs the installation: the audit trail names them `operator`. */
export const asOperator = (organizationId: string) => Effect.provideService(Caller, operatorCaller(organizationId))

type Refusal =
  | Forbidden
  | InvalidFields
  | NotFound
  | RoleMissing
  | StateRefused
  | Unavailable
  | VerificationMissing
  | VersionConflict

/** A refusal of the domain in a sentence for the command line. */
export const toldToOperator = (refusal: Refusal): CommandRefused => {
  const { message } = refusal
  switch (refusal._tag) {
    case "InvalidFields":
      return new CommandRefused({ message: refusal.faults.map((fault) => `${fault.path} ${fault.message}`).join("; ") })
    case "NotFound":
      return new CommandRefused({ message: `There is no ${refusal.resource} ${refusal.id}.` })
    case "Forbidden":
      return new CommandRefused({ message: refusal.reason })
    case "StateRefused": {
      const allowed = refusal.allowed.join(", ") || "nothing"
      return new CommandRefused({ message: `The ${refusal.resource} is ${refusal.status}, which allows: ${allowed}.` })
    }
    case "Unavailable":
      return new CommandRefused({ message: "The database was lost on the way: look whether it was done, then repeat." })
    default:
      return new CommandRefused({ message })
  }
}
