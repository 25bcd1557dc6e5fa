import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { beginOf, endOf, type Moment } from "../time/Moment.ts"
import { type AuditFilter, type AuditHead, type AuditRecord, AuditTrail } from "./AuditTrail.ts"

/** What is asked of the trail: a day is the organization's, and `to` takes the whole of it in. */
export interface AuditQuestion extends Omit<AuditFilter, "from" | "to"> {
  readonly from?: Moment
  readonly to?: Moment
}

const filterOf = ({ from, to, ...rest }: AuditQuestion, timezone: string): AuditFilter => ({
  ...rest,
  ...(from === undefined ? {} : { from: beginOf(from, timezone) }),
  ...(to === undefined ? {} : { to: endOf(to, timezone) })
})

/** Driving port: the whole audit trail of the caller's organization, for those who may read it. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    list(
      question: AuditQuestion,
      page: PageRequest
    ): Effect.Effect<Page<AuditRecord>, RoleMissing | Unavailable, Caller>
    readonly head: Effect.Effect<AuditHead, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/audit/AuditLog") {
  static readonly layer: Layer.Layer<AuditLog, never, AuditTrail | Organizations> = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const trail = yield* AuditTrail
      const organizations = yield* Organizations
      return AuditLog.of({
        list: Effect.fn("AuditLog.list")(function* (question, page) {
          yield* permitted("audit.read")
          const { timezone } = yield* organizations.current
          return yield* trail.list(filterOf(question, timezone), page)
        }),
        head: Effect.andThen(permitted("audit.read"), trail.head)
      })
    })
  )
}
