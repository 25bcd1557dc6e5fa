import type { Instant } from "../time/Instant.ts"
import { isoTime } from "../time/IsoTime.ts"
import type { EventType, NewEvent } from "./EventLog.ts"

/** The version of the payloads' shape (contract section 7). */
export const apiVersion = "2026-11-01" as const

/** An event as it was committed. */
export interface EventRecord {
  /** `evt_…` */
  readonly id: string
  readonly type: EventType
  readonly organizationId: string
  readonly objectId: string
  /** Counts the events of the object, from 1. */
  readonly sequence: number
  readonly data: Pick<NewEvent, "object" | "previous">
  readonly createdAt: Instant
}

/** An event as receivers and `GET /api/events` get it (contract section 7). */
export const eventPayload = ({ createdAt, data, id, organizationId, sequence, type }: EventRecord) => ({
  id,
  type,
  created_at: isoTime(createdAt),
  organization_id: organizationId,
  api_version: apiVersion,
  sequence,
  data
})
export type EventPayload = ReturnType<typeof eventPayload>
