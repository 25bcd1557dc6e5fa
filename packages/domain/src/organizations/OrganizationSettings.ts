import { Clock, Context, DateTime, Effect, Layer, Option, Struct } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, StateRefused, type VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller, RoleMissing } from "./Caller.ts"
import { requireVersion } from "./Credentials.ts"
import { type BusinessDetails, OrganizationSettingsStore } from "./OrganizationSettingsStore.ts"
import { type Organization, Organizations } from "./Organizations.ts"
import { permitted } from "./Permissions.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** The settings, and what the API calls each of them. */
const settingNames = {
  name: "name",
  baseCurrency: "base_currency",
  timezone: "timezone",
  strictSignatures: "strict_signatures",
  apiKeysMayApprove: "api_keys_may_approve",
  soleOwnerMayApprove: "sole_owner_may_approve",
  requiresSecondFactor: "requires_second_factor",
  allowedOrigins: "allowed_origins"
} as const satisfies Partial<Readonly<Record<keyof Organization, string>>>

type Settings = Pick<Organization, keyof typeof settingNames>

/** Web origins that one organization may list: a request is compared with all of them. */
const originsMax = 50

/** verification × command → verification (contract section 3). An ADMIN submits, the operator verifies and rejects. */
export const verificationTransitions = {
  UNVERIFIED: { submit: "PENDING", verify: "VERIFIED", reject: "REJECTED" },
  PENDING: { verify: "VERIFIED", reject: "REJECTED" },
  VERIFIED: { reject: "REJECTED" },
  REJECTED: { submit: "PENDING", verify: "VERIFIED" }
} as const satisfies Readonly<
  Record<Organization["verification"], Partial<Readonly<Record<string, Organization["verification"]>>>>
>

type VerificationCommand = "submit" | "verify" | "reject"

/** Why browsers may not call from this origin, as RFC 6454 writes one; undefined where they may. */
const originFault = (origin: string, livemode: boolean): string | undefined => {
  const [, scheme, host] = /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/u.exec(origin) ?? []
  if (scheme === "https" || (scheme === "http" && host === "localhost" && !livemode)) return undefined
  return livemode
    ? "must be an https origin without a path, such as https://app.example.com"
    : "must be an https origin without a path, such as https://app.example.com, or http://localhost with a port"
}

const faultsOf = ({ allowedOrigins = [], timezone }: Partial<Settings>, livemode: boolean) => {
  const faults = allowedOrigins.flatMap((origin, index) => {
    const message = originFault(origin, livemode)
    return message === undefined ? [] : [{ path: `allowed_origins[${index}]`, message }]
  })
  if (allowedOrigins.length > originsMax) {
    faults.push({ path: "allowed_origins", message: `must be at most ${originsMax}` })
  }
  if (timezone !== undefined && Option.isNone(DateTime.zoneMakeNamed(timezone))) {
    faults.push({ path: "timezone", message: "must be a timezone of the IANA database, such as Europe/Istanbul" })
  }
  return faults
}

const isSame = (one: Settings[keyof Settings], other: Settings[keyof Settings]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The settings that differ, as the audit trail names them. */
const differing = (of: Settings, from: Settings): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Struct.keys(settingNames)
      .filter((name) => !isSame(of[name], from[name]))
      .map((name) => [settingNames[name], of[name]])
  )

type Refusal = RoleMissing | StateRefused | Unavailable

/** Driving port: the caller's organization, its settings and the verification of its business. */
export class OrganizationSettings extends Context.Service<
  OrganizationSettings,
  {
    readonly find: Effect.Effect<Organization, RoleMissing | Unavailable, Caller>
    /** Changes what is given. `StateRefused` for the base currency once there are expenses in it. */
    change(
      settings: Partial<Settings>,
      terms: { readonly expected: ReadonlyArray<number> | undefined; readonly livemode: boolean }
    ): Effect.Effect<Organization, InvalidFields | Refusal | VersionConflict, Caller>
    /** Submits the business for verification. */
    submit(details: BusinessDetails): Effect.Effect<Organization, Refusal, Caller>
    /** What the operator decides about the business, and why. */
    decide(
      command: Exclude<VerificationCommand, "submit">,
      reason: string
    ): Effect.Effect<Organization, StateRefused | Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/OrganizationSettings") {
  static readonly layer: Layer.Layer<
    OrganizationSettings,
    never,
    AuditTrail | Organizations | OrganizationSettingsStore | UnitOfWork
  > = Layer.effect(
    OrganizationSettings,
    Effect.gen(function* () {
      const organizations = yield* Organizations
      const store = yield* OrganizationSettingsStore
      const trail = yield* AuditTrail
      const units = yield* UnitOfWork

      /** In a unit of work that holds the lock. */
      const save = Effect.fnUntraced(function* (before: Organization, changes: Partial<Organization>) {
        const updatedAt = yield* Clock.currentTimeMillis
        const after = { ...before, ...changes, version: before.version + 1, updatedAt }
        const isSaved = yield* organizations.save(before, after)
        if (!isSaved) return yield* Effect.die(new Error("An organization was changed although it was locked"))
        yield* store.forgetRemembered
        return after
      })

      const change = Effect.fnUntraced(function* (
        settings: Partial<Settings>,
        expected: ReadonlyArray<number> | undefined
      ) {
        const before = yield* store.lock
        yield* requireVersion(before.version, expected)
        const wanted = { ...before, ...settings }
        if (wanted.baseCurrency !== before.baseCurrency && (yield* store.hasExpenses)) {
          return yield* new StateRefused({
            resource: "organization",
            status: "in use",
            allowed: ["every other setting"],
            reason: "The base currency is fixed once there are expenses, whose amounts were converted to it."
          })
        }
        const changed = differing(wanted, before)
        if (Object.keys(changed).length === 0) return before
        const after = yield* save(before, settings)
        yield* trail.append({
          action: "organization.changed",
          subject: { type: "organization", id: before.id },
          before: differing(before, wanted),
          after: changed
        })
        return after
      })

      /** Moves the verification on, and records `fields` with it. */
      const move = Effect.fnUntraced(function* (
        command: VerificationCommand,
        action: string,
        detail: Readonly<Record<string, unknown>>
      ) {
        const before = yield* store.lock
        const commands: Partial<Record<VerificationCommand, Organization["verification"]>> =
          verificationTransitions[before.verification]
        const verification = commands[command]
        if (verification === undefined) {
          return yield* new StateRefused({
            resource: "verification",
            status: before.verification,
            allowed: Object.keys(commands)
          })
        }
        const after = yield* save(before, { verification })
        yield* trail.append({
          action: `organization.${action}`,
          subject: { type: "organization", id: before.id },
          before: { verification: before.verification },
          after: { verification },
          detail
        })
        return after
      })

      return OrganizationSettings.of({
        find: Effect.andThen(permitted("organization.read"), organizations.current),
        change: Effect.fn("OrganizationSettings.change")(function* (settings, { expected, livemode }) {
          yield* permitted("organization.change")
          const faults = faultsOf(settings, livemode)
          if (faults.length > 0) return yield* new InvalidFields({ faults })
          return yield* units.run(change(settings, expected))
        }),
        submit: Effect.fn("OrganizationSettings.submit")(function* (details) {
          yield* permitted("organization.change")
          return yield* units.run(
            Effect.gen(function* () {
              const { country, legalName, registrationNumber, website } = details
              const submitted = { legal_name: legalName, registration_number: registrationNumber, country, website }
              const after = yield* move("submit", "verification_submitted", submitted)
              yield* store.submit(details, after.updatedAt)
              return after
            })
          )
        }),
        decide: Effect.fn("OrganizationSettings.decide")((command, reason) =>
          units.run(move(command, "verification_decided", { reason }))
        )
      })
    })
  )
}
