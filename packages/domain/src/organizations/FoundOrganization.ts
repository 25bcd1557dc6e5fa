import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { type Forbidden, InvalidFields, type NotFound, type StateRefused } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import { currencyCodes } from "../money/Currency.ts"
import { Caller, type RoleMissing } from "./Caller.ts"
import { MemberDirectory, type MemberLink } from "./MemberDirectory.ts"
import { OrganizationRegistry } from "./OrganizationRegistry.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** What is said of a new organization. */
export interface NewOrganization {
  readonly name: string
  readonly baseCurrency: string
  readonly timezone: string
  readonly ownerEmail: string
  /** Undefined: what stands before the `@`. */
  readonly ownerName: string | undefined
}

/** Whoever runs the installation, in an organization of it. */
export const operatorCaller = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "OWNER",
  name: "operator",
  kind: "system",
  userId: null,
  createdBy: null
})

const faultsOf = ({ baseCurrency, name, ownerEmail, timezone }: NewOrganization) => [
  ...(name.trim() === "" ? [{ path: "name", message: "must not be empty" }] : []),
  ...(currencyCodes.some((code) => code === baseCurrency)
    ? []
    : [{ path: "currency", message: "must be a currency of ISO 4217, such as TRY" }]),
  ...(Option.isSome(DateTime.zoneMakeNamed(timezone))
    ? []
    : [{ path: "timezone", message: "must be a timezone of the IANA database, such as Europe/Istanbul" }]),
  ...(/^[!-?A-~]+@[!-?A-~]+\.[!-?A-~]+$/u.test(ownerEmail)
    ? []
    : [{ path: "owner-email", message: "must be an e-mail address such as name@example.com" }])
]

/** Driving port: the operator makes an organization and invites its first OWNER (contract section 3). */
export class FoundOrganization extends Context.Service<
  FoundOrganization,
  {
    /** The organization's id, and the one-time link of its OWNER. Both are made or neither is. */
    found(
      organization: NewOrganization
    ): Effect.Effect<
      { readonly id: string; readonly owner: MemberLink },
      Forbidden | InvalidFields | NotFound | RoleMissing | StateRefused | Unavailable
    >
  }
>()("@sarraf/domain/organizations/FoundOrganization") {
  static readonly layer: Layer.Layer<
    FoundOrganization,
    never,
    AuditTrail | Identifiers | MemberDirectory | OrganizationRegistry | UnitOfWork
  > = Layer.effect(
    FoundOrganization,
    Effect.gen(function* () {
      const registry = yield* OrganizationRegistry
      const directory = yield* MemberDirectory
      const trail = yield* AuditTrail
      const identifiers = yield* Identifiers
      const units = yield* UnitOfWork

      const insertWithOwner = Effect.fnUntraced(function* (id: string, organization: NewOrganization) {
        const { baseCurrency, name, ownerEmail, ownerName, timezone } = organization
        yield* registry.insert({ id, name, baseCurrency, timezone })
        yield* trail.append({
          action: "organization.created",
          subject: { type: "organization", id },
          after: { name, base_currency: baseCurrency, timezone }
        })
        return yield* directory.invite({
          email: ownerEmail.toLowerCase(),
          name: ownerName,
          role: "OWNER",
          departmentId: null,
          managerId: null
        })
      })

      return FoundOrganization.of({
        found: Effect.fn("FoundOrganization.found")(function* (organization) {
          const faults = faultsOf(organization)
          if (faults.length > 0) return yield* new InvalidFields({ faults })
          const id = yield* identifiers.next("org")
          const owner = yield* units
            .run(insertWithOwner(id, organization))
            .pipe(Effect.provideService(Caller, operatorCaller(id)))
          return { id, owner }
        })
      })
    })
  )
}
