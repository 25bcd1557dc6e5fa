import { Context, Schema } from "effect"

/** MEMBER ⊂ APPROVER ⊂ ADMIN ⊂ OWNER; AUDITOR stands beside: it reads all and writes nothing (contract section 3). */
export const roles = ["MEMBER", "APPROVER", "ADMIN", "OWNER", "AUDITOR"] as const
export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

/**
 * Who asks on the expense side: from the credential, never from the request's content. `user` is a person's session,
 * `key` an API key, which acts for the organization, and `system` the service's own work.
 */
export class Caller extends Context.Service<
  Caller,
  {
    readonly organizationId: string
    readonly role: Role
    /** For the audit trail, and for Idempotency-Keys: `user:usr_…`, `key:sandbox`, `system`. */
    readonly name: string
    readonly kind: "user" | "key" | "system"
    /** The person who acts; null for a key, which no person stands behind. */
    readonly userId: string | null
    /** The person who made the key; null for sessions and seeded keys. */
    readonly createdBy: string | null
  }
>()("@sarraf/domain/organizations/Caller") {}

/**
 * The persons who act when this caller does: the one who is signed in, or the one who made the key. Separation of duties
 * compares these (contract section 3).
 */
export const personsBehind = ({
  createdBy,
  userId
}: Pick<Caller["Service"], "createdBy" | "userId">): ReadonlyArray<string> =>
  [userId, createdBy].filter((person) => person !== null)

/**
 * The persons who count as having made or submitted what is for `userId`. A key acts for the organization: what it makes
 * for nobody in particular has no person as its submitter, and the same key may approve it (contract section 3).
 */
export const submittingPersons = (
  caller: Pick<Caller["Service"], "createdBy" | "kind" | "userId">,
  userId: string | null
): ReadonlyArray<string> => (caller.kind === "key" && userId === null ? [] : personsBehind(caller))

/** The caller's role does not cover it; one of `needed` would. */
export class RoleMissing extends Schema.TaggedError<RoleMissing>()("RoleMissing", {
  needed: Schema.Array(Role)
}) {}
