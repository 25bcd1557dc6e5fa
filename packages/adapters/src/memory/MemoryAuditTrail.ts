import { chainStart } from "@sarraf/domain/audit/AuditChain"
import { type AuditFilter, type AuditRecord, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { RequestOrigin } from "@sarraf/domain/organizations/RequestOrigin"
import { Clock, Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

const fits = (filter: AuditFilter, { action, actor, at, subject }: AuditRecord): boolean =>
  (filter.actor === undefined || actor === filter.actor) &&
  (filter.action === undefined || action === filter.action) &&
  (filter.subjectType === undefined || subject.type === filter.subjectType) &&
  (filter.subjectId === undefined || subject.id === filter.subjectId) &&
  (filter.from === undefined || at >= filter.from) &&
  (filter.to === undefined || at < filter.to)

/** The audit trail in memory: in order, and never sealed, since nobody could keep it apart from what it is about. */
export const layer = Layer.effect(
  AuditTrail,
  Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory
    let last = 0
    return AuditTrail.of({
      append: (entry) =>
        memory.within(
          Effect.gen(function* () {
            const { name, organizationId } = yield* Caller
            const at = yield* Clock.currentTimeMillis
            const position = String(++last)
            const record = { ...entry, detail: entry.detail ?? {}, ...(yield* RequestOrigin) }
            memory.auditRecords.put(organizationId, position, {
              ...record,
              sequence: null,
              hash: null,
              at,
              actor: name,
              position
            })
          })
        ),
      list: (filter, page) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => {
            const before = page.after === undefined ? Number.POSITIVE_INFINITY : Number(page.after)
            const found = memory.auditRecords
              .all(organizationId)
              .filter((record) => Number(record.position) < before && fits(filter, record))
            return pageOf(found.reverse().slice(0, page.limit + 1), page)
          })
        ),
      head: Effect.succeed({ ...chainStart, at: null })
    })
  })
)
