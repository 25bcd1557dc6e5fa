import { Clock, Context, Effect, Layer } from "effect"
import { type AuditRecord, AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, NotFound, StateRefused, VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "./Caller.ts"
import { type DepartmentRecord, DepartmentStore } from "./DepartmentStore.ts"
import { MemberStore } from "./MemberStore.ts"
import { permitted } from "./Permissions.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

type Refusal = InvalidFields | RoleMissing | Unavailable
type Expected = ReadonlyArray<number> | undefined

/** Driving port: the organization's departments. Two of them differ in more than the case of their names. */
export class Departments extends Context.Service<
  Departments,
  {
    /** Newest first. */
    list(page: PageRequest): Effect.Effect<Page<DepartmentRecord>, RoleMissing | Unavailable, Caller>
    find(id: string): Effect.Effect<DepartmentRecord, NotFound | RoleMissing | Unavailable, Caller>
    /** Newest first. */
    history(
      id: string,
      page: PageRequest
    ): Effect.Effect<Page<AuditRecord>, NotFound | RoleMissing | Unavailable, Caller>
    create(name: string): Effect.Effect<DepartmentRecord, Refusal, Caller>
    rename(
      id: string,
      name: string,
      expected: Expected
    ): Effect.Effect<DepartmentRecord, NotFound | Refusal | VersionConflict, Caller>
    /** `StateRefused` while members or expenses have it. */
    remove(
      id: string,
      expected: Expected
    ): Effect.Effect<void, NotFound | RoleMissing | StateRefused | Unavailable | VersionConflict, Caller>
  }
>()("@sarraf/domain/organizations/Departments") {
  static readonly layer: Layer.Layer<
    Departments,
    never,
    AuditTrail | DepartmentStore | Identifiers | MemberStore | UnitOfWork
  > = Layer.effect(
    Departments,
    Effect.gen(function* () {
      const units = yield* UnitOfWork
      const store = yield* DepartmentStore
      const { lock } = yield* MemberStore
      const identifiers = yield* Identifiers
      const trail = yield* AuditTrail

      const named = Effect.fnUntraced(function* (name: string, id?: string) {
        const same = yield* store.named(name)
        if (same === undefined || same.id === id) return
        return yield* new InvalidFields({ faults: [{ path: "name", message: "is the name of another department" }] })
      })

      const existing = Effect.fnUntraced(function* (id: string) {
        return (yield* store.find(id)) ?? (yield* new NotFound({ resource: "department", id }))
      })

      const present = Effect.fnUntraced(function* (id: string, expected: Expected) {
        const found = yield* existing(id)
        if (expected !== undefined && !expected.includes(found.version)) {
          return yield* new VersionConflict({ present: found.version })
        }
        return found
      })

      const subject = (id: string) => ({ type: "department", id })

      const create = Effect.fnUntraced(function* (name: string) {
        yield* lock
        yield* named(name)
        const at = yield* Clock.currentTimeMillis
        const made = { id: yield* identifiers.next("dep"), name, version: 1, createdAt: at, updatedAt: at }
        yield* store.insert(made)
        yield* trail.append({ action: "department.created", subject: subject(made.id), after: { name } })
        return made
      })

      const rename = Effect.fnUntraced(function* (id: string, name: string, expected: Expected) {
        yield* lock
        const before = yield* present(id, expected)
        if (before.name === name) return before
        yield* named(name, id)
        const after = { ...before, name, version: before.version + 1, updatedAt: yield* Clock.currentTimeMillis }
        yield* store.save(after)
        yield* trail.append({
          action: "department.changed",
          subject: subject(id),
          before: { name: before.name },
          after: { name }
        })
        return after
      })

      const remove = Effect.fnUntraced(function* (id: string, expected: Expected) {
        yield* lock
        const { name } = yield* present(id, expected)
        const uses = yield* store.uses(id)
        if (uses.length > 0) {
          return yield* new StateRefused({
            resource: "department",
            status: `used by ${uses.join(" and ")}`,
            allowed: ["a change of its name"]
          })
        }
        yield* store.remove(id)
        yield* trail.append({ action: "department.deleted", subject: subject(id), before: { name } })
      })

      const guarded = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.andThen(permitted("member.change"), units.run(work))

      return Departments.of({
        list: Effect.fn("Departments.list")((page) => Effect.andThen(permitted("organization.read"), store.list(page))),
        find: Effect.fn("Departments.find")((id) => Effect.andThen(permitted("organization.read"), existing(id))),
        history: Effect.fn("Departments.history")(function* (id, page) {
          yield* permitted("organization.read")
          yield* existing(id)
          return yield* trail.list({ subjectType: "department", subjectId: id }, page)
        }),
        create: Effect.fn("Departments.create")((name) => guarded(create(name))),
        rename: Effect.fn("Departments.rename")((id, name, expected) => guarded(rename(id, name, expected))),
        remove: Effect.fn("Departments.remove")((id, expected) => guarded(remove(id, expected)))
      })
    })
  )
}
