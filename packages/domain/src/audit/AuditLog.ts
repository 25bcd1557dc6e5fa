import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import { type AuditFilter, type AuditHead, type AuditRecord, AuditTrail } from "./AuditTrail.ts"

/** Driving port: the whole audit trail of the caller's organization, for those who may read it. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    list(filter: AuditFilter, page: PageRequest): Effect.Effect<Page<AuditRecord>, RoleMissing | Unavailable, Caller>
    readonly head: Effect.Effect<AuditHead, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/audit/AuditLog") {
  static readonly layer: Layer.Layer<AuditLog, never, AuditTrail> = Layer.effect(
    AuditLog,
    Effect.map(AuditTrail, (trail) =>
      AuditLog.of({
        list: Effect.fn("AuditLog.list")(function* (filter, page) {
          yield* permitted("audit.read")
          return yield* trail.list(filter, page)
        }),
        head: Effect.andThen(permitted("audit.read"), trail.head)
      })
    )
  )
}
