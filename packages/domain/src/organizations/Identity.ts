import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller, RoleMissing } from "./Caller.ts"
import { type Member, Members } from "./Members.ts"
import { type Organization, Organizations } from "./Organizations.ts"
import { permitted } from "./Permissions.ts"

/** Whose data a caller sees, and as whom. */
export interface OwnIdentity {
  readonly organization: Organization
  /** Null for a key, which no person stands behind. */
  readonly member: Member | null
  readonly departmentName: string | null
}

/** Driving port: the caller's organization, and the caller in it. */
export class Identity extends Context.Service<
  Identity,
  { readonly current: Effect.Effect<OwnIdentity, RoleMissing | Unavailable, Caller> }
>()("@sarraf/domain/organizations/Identity") {
  static readonly layer: Layer.Layer<Identity, never, Members | Organizations> = Layer.effect(
    Identity,
    Effect.gen(function* () {
      const members = yield* Members
      const organizations = yield* Organizations
      const current = Effect.gen(function* () {
        const { caller } = yield* permitted("organization.read")
        const organization = yield* organizations.current
        const member = caller.userId === null ? undefined : yield* members.find(caller.userId)
        const departmentId = member?.departmentId ?? null
        const departments = departmentId === null ? [] : yield* members.departments
        const departmentName = departments.find(({ id }) => id === departmentId)?.name ?? null
        return { organization, member: member ?? null, departmentName }
      })
      return Identity.of({ current: Effect.withSpan(current, "Identity.current") })
    })
  )
}
