import { Context } from "effect"

/** Where a change comes from, for the audit trail: the runtime sets it for each request. */
export const RequestOrigin = Context.Reference<{
  /** The `x-request-id`; empty for the service's own work. */
  readonly requestId: string
  /** The caller's network address as the runtime saw it; null where there is none. */
  readonly address: string | null
}>("@sarraf/domain/organizations/RequestOrigin", { defaultValue: () => ({ requestId: "", address: null }) })
