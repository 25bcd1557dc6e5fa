import { Context, Effect, Schema } from "effect"

/** MEMBER ⊂ APPROVER ⊂ ADMIN ⊂ OWNER; AUDITOR stands beside: it reads all and writes nothing (contract section 3). */
export const roles = ["MEMBER", "APPROVER", "ADMIN", "OWNER", "AUDITOR"] as const
export type Role = (typeof roles)[number]

/** Who asks on the expense side: from the credential, never from the request's content. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly organizationId: string
    readonly role: Role
    /** For the audit trail: `key:sandbox`. */
    readonly name: string
  }
>()("@sarraf/domain/organizations/Caller") {}

/** The caller's role does not cover it; one of `needed` would. */
export class RoleMissing extends Schema.TaggedError<RoleMissing>()("RoleMissing", {
  needed: Schema.Array(Schema.Literals(roles))
}) {}

/** The caller, where it has one of these roles. */
export const callerWith = (needed: ReadonlyArray<Role>): Effect.Effect<Caller["Service"], RoleMissing, Caller> =>
  Effect.flatMap(Caller, (caller) =>
    needed.includes(caller.role) ? Effect.succeed(caller) : Effect.fail(new RoleMissing({ needed }))
  )
