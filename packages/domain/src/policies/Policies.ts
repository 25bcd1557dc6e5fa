import { Clock, Context, DateTime, Effect, Equal, Layer } from "effect"
import { type AuditRecord, AuditTrail } from "../audit/AuditTrail.ts"
import { type InvalidFields, NotFound, StateRefused, VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import type { Members } from "../organizations/Members.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Policy, PolicyContent } from "./Policy.ts"
import { makePolicyChecks } from "./PolicyChecks.ts"
import { policyDocument } from "./PolicyDocument.ts"
import { makePolicyReading } from "./PolicyReading.ts"
import { type PolicyFilter, PolicyStore, type PolicyVersion } from "./PolicyStore.ts"
import { type PolicyTemplate, policyTemplates } from "./templates.ts"

/** All of them are read for every request that policies are about. */
const policiesMax = 200

/** What of a policy changes; undefined: it stays. */
export type PolicyChange = { readonly [K in keyof PolicyContent]?: PolicyContent[K] | undefined }

/** The versions that a change is meant for; undefined: whichever is present. */
type ExpectedVersions = ReadonlyArray<number> | undefined

type Reading = RoleMissing | Unavailable
type Refused = Reading | InvalidFields | NotFound

/** Driving port: the organization's policies (contract section 6). */
export class Policies extends Context.Service<
  Policies,
  {
    list(filter: PolicyFilter, page: PageRequest): Effect.Effect<Page<Policy>, Reading, Caller>
    find(id: string): Effect.Effect<Policy, Reading | NotFound, Caller>
    /** Newest first, of deleted policies too: what a past verdict names is found here. */
    versions(id: string, page: PageRequest): Effect.Effect<Page<PolicyVersion>, Reading | NotFound, Caller>
    history(id: string, page: PageRequest): Effect.Effect<Page<AuditRecord>, Reading | NotFound, Caller>
    /** The usual policies, in the organization's currency. */
    readonly templates: Effect.Effect<ReadonlyArray<PolicyTemplate>, Reading, Caller>
    /** `StateRefused` where the organization has as many as it may. */
    create(content: PolicyContent): Effect.Effect<Policy, Refused | StateRefused, Caller>
    /** The next version, or the present one where nothing would change. */
    change(
      id: string,
      change: PolicyChange,
      expected: ExpectedVersions
    ): Effect.Effect<Policy, Refused | VersionConflict, Caller>
    /** It is applied no longer, and its versions stay. */
    remove(id: string, expected: ExpectedVersions): Effect.Effect<void, Reading | NotFound | VersionConflict, Caller>
  }
>()("@sarraf/domain/policies/Policies") {
  static readonly layer: Layer.Layer<
    Policies,
    never,
    PolicyStore | AuditTrail | UnitOfWork | Members | Organizations | Identifiers
  > = Layer.effect(
    Policies,
    Effect.gen(function* () {
      const store = yield* PolicyStore
      const audit = yield* AuditTrail
      const units = yield* UnitOfWork
      const organizations = yield* Organizations
      const identifiers = yield* Identifiers
      const check = yield* makePolicyChecks
      const reading = yield* makePolicyReading

      const present = Effect.fnUntraced(function* (id: string, found: Policy | undefined) {
        return found === undefined || found.isDeleted ? yield* new NotFound({ resource: "policy", id }) : found
      })

      /** Deleted ones too. */
      const known = Effect.fnUntraced(function* (id: string) {
        yield* permitted("policy.read")
        if ((yield* store.find(id)) === undefined) return yield* new NotFound({ resource: "policy", id })
      })

      const locked = Effect.fnUntraced(function* (id: string, expected: ExpectedVersions) {
        const policy = yield* present(id, yield* store.lock(id))
        if (expected !== undefined && !expected.includes(policy.version)) {
          return yield* new VersionConflict({ present: policy.version })
        }
        return policy
      })

      const keep = Effect.fnUntraced(function* (action: string, before: Policy, after: Policy) {
        const next = { ...after, version: before.version + 1, updatedAt: yield* Clock.currentTimeMillis }
        yield* store.save(next)
        yield* audit.append({
          action,
          subject: { type: "policy", id: next.id },
          before: policyDocument(before),
          ...(next.isDeleted ? {} : { after: policyDocument(next) })
        })
        return next
      })

      return Policies.of({
        list: reading.list,
        find: reading.find,
        versions: Effect.fn("Policies.versions")(function* (id, page) {
          yield* known(id)
          return yield* store.versions(id, page)
        }),
        history: Effect.fn("Policies.history")(function* (id, page) {
          yield* known(id)
          return yield* audit.list({ subjectType: "policy", subjectId: id }, page)
        }),
        templates: Effect.gen(function* () {
          yield* permitted("policy.read")
          const { baseCurrency, timezone } = yield* organizations.current
          const now = DateTime.setZoneNamedUnsafe(yield* DateTime.now, timezone)
          return policyTemplates(baseCurrency, DateTime.getPart(now, "year"))
        }),
        create: Effect.fn("Policies.create")(function* (content) {
          yield* permitted("policy.change")
          return yield* units.run(
            Effect.gen(function* () {
              yield* check(content)
              if ((yield* store.count) >= policiesMax) {
                return yield* new StateRefused({
                  resource: "organization",
                  status: `at its limit of ${policiesMax} policies`,
                  allowed: ["deleting one of them"]
                })
              }
              const createdAt = yield* Clock.currentTimeMillis
              const policy: Policy = {
                ...content,
                id: yield* identifiers.next("pol"),
                version: 1,
                isDeleted: false,
                createdAt,
                updatedAt: createdAt
              }
              yield* store.insert(policy)
              yield* audit.append({
                action: "policy.created",
                subject: { type: "policy", id: policy.id },
                after: policyDocument(policy)
              })
              return policy
            })
          )
        }),
        change: Effect.fn("Policies.change")(function* (id, change, expected) {
          yield* permitted("policy.change")
          return yield* units.run(
            Effect.gen(function* () {
              const before = yield* locked(id, expected)
              const after = changed(before, change)
              yield* check(after)
              return Equal.equals(before, after) ? before : yield* keep("policy.changed", before, after)
            })
          )
        }),
        remove: Effect.fn("Policies.remove")(function* (id, expected) {
          yield* permitted("policy.change")
          yield* units.run(
            Effect.gen(function* () {
              const before = yield* locked(id, expected)
              yield* keep("policy.deleted", before, { ...before, active: false, isDeleted: true })
            })
          )
        })
      })
    })
  )
}

/** Steps that are not named go with the enforcement that they belong to. */
const changed = (before: Policy, change: PolicyChange): Policy => {
  const enforcement = change.enforcement ?? before.enforcement
  const steps = enforcement === "REQUIRE_APPROVAL" ? before.approvalSteps : []
  return {
    ...before,
    name: change.name ?? before.name,
    scope: change.scope ?? before.scope,
    enforcement,
    message: change.message === undefined ? before.message : change.message,
    conditions: change.conditions ?? before.conditions,
    approvalSteps: change.approvalSteps ?? steps,
    active: change.active ?? before.active
  }
}
