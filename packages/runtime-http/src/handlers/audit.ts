import { AuditLog } from "@sarraf/domain/audit/AuditLog"
import type { AuditRecord } from "@sarraf/domain/audit/AuditTrail"
import type { Page, PageRequest } from "@sarraf/domain/lists/Page"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { AuditEntryBody } from "../api/audit.ts"
import { momentOf, type PageQuery, pageBody, pageRequest, refusals, timeOf, timeOrNull } from "./conventions.ts"

const shared = Struct.pick(refusals, ["RoleMissing", "Unavailable"])

/** An entry as the audit trail and every history answer it. */
export const auditBody = (record: AuditRecord): typeof AuditEntryBody.Type => ({
  sequence: record.sequence,
  hash: record.hash,
  at: timeOf(record.at),
  actor: record.actor,
  request_id: record.requestId,
  address: record.address,
  action: record.action,
  subject: record.subject,
  before: record.before ?? null,
  after: record.after ?? null,
  detail: record.detail ?? {}
})

/** The place of an entry, for the next page of the audit trail or of a history. */
export const auditPosition = ({ position }: AuditRecord): string => position

/** The history of one thing as every resource answers it: `read` looks whether the caller may see the thing. */
export const historyOf =
  <E, R>(resource: string, read: (id: string, page: PageRequest) => Effect.Effect<Page<AuditRecord>, E, R>) =>
  ({ params, query }: { readonly params: { readonly id: string }; readonly query: PageQuery }) =>
    Effect.gen(function* () {
      const list = `${resource}/${params.id}/history`
      const page = yield* read(params.id, yield* pageRequest(list, query))
      return pageBody(list, query, page, auditPosition, auditBody)
    })

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fn(function* (handlers) {
    const log = yield* AuditLog
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* pageRequest("audit", query)
          const filter = {
            ...(query.actor == null ? {} : { actor: query.actor }),
            ...(query.action == null ? {} : { action: query.action }),
            ...(query.subject_type == null ? {} : { subjectType: query.subject_type }),
            ...(query.subject_id == null ? {} : { subjectId: query.subject_id }),
            ...(query.from == null ? {} : { from: momentOf(query.from) }),
            ...(query.to == null ? {} : { to: momentOf(query.to) })
          }
          return pageBody("audit", query, yield* log.list(filter, page), auditPosition, auditBody)
        }).pipe(Effect.catchTags(shared))
      )
      .handle("head", () =>
        log.head.pipe(
          Effect.map(({ at, hash, sequence }) => ({ sequence, hash, at: timeOrNull(at) })),
          Effect.catchTags(shared)
        )
      )
  })
)
