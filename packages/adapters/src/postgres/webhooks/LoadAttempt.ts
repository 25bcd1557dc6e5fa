import type { EventType } from "@sarraf/domain/events/EventLog"
import { type EventRecord, eventPayload } from "@sarraf/domain/events/EventPayload"
import type { DeliveryStatus } from "@sarraf/domain/webhooks/WebhookDelivery"
import { Array, Effect } from "effect"
import * as GroupCommit from "../GroupCommit.ts"
import { groupClient } from "../GroupWriter.ts"
import { rowParameters, rowsFrom } from "../RowParameters.ts"
import type { AttemptElement } from "./DeliveryQueue.ts"
import type { EndpointRow } from "./EndpointRows.ts"

interface LoadedRow extends EndpointRow {
  readonly delivery_status: DeliveryStatus | null
  readonly delivery_attempts: number
  readonly event_id: string | null
  readonly event_type: EventType
  readonly event_object_id: string
  readonly event_sequence: number
  readonly event_data: EventRecord["data"]
  readonly event_created_at: Date
}

/** What an attempt needs. */
export interface LoadedAttempt {
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly endpoint: EndpointRow
  /** Null where the event is no longer kept. */
  readonly event: { readonly id: string; readonly body: string } | null
}

const columns = { ord: "integer", organization_id: "text", id: "text" } as const

const loadSql = `SELECT endpoint.*, CASE WHEN endpoint.id IS NOT NULL THEN delivery.status END AS delivery_status,
    delivery.attempts AS delivery_attempts, event.id AS event_id, event.type AS event_type,
    event.object_id AS event_object_id, event.sequence AS event_sequence, event.data AS event_data,
    event.created_at AS event_created_at
  FROM ${rowsFrom(columns, 1, "wanted")}
  LEFT JOIN webhook_deliveries AS delivery USING (organization_id, id)
  LEFT JOIN webhook_endpoints AS endpoint
    ON endpoint.organization_id = delivery.organization_id AND endpoint.id = delivery.endpoint_id
  LEFT JOIN events AS event ON event.organization_id = delivery.organization_id AND event.id = delivery.event_id
  ORDER BY wanted.ord`

/** Each attempt sends the identical text: it is made of the row alone, whose JSON the database keeps in one form. */
const bodyOf = (row: LoadedRow, id: string): string =>
  JSON.stringify(
    eventPayload({
      id,
      type: row.event_type,
      organizationId: row.organization_id,
      objectId: row.event_object_id,
      sequence: row.event_sequence,
      data: row.event_data,
      createdAt: row.event_created_at.getTime()
    })
  )

const loadedOf = (row: LoadedRow): LoadedAttempt | undefined =>
  row.delivery_status === null
    ? undefined
    : {
        status: row.delivery_status,
        attempts: row.delivery_attempts,
        endpoint: row,
        event: row.event_id === null ? null : { id: row.event_id, body: bodyOf(row, row.event_id) }
      }

/**
 * Reads what an attempt needs, of all lanes in one statement; undefined where the delivery or its endpoint is gone.
 */
export const makeLoadAttempt = Effect.gen(function* () {
  const groups = yield* groupClient
  return yield* GroupCommit.make({
    statement: (elements: Array.NonEmptyReadonlyArray<AttemptElement>) => {
      const rows = elements.map(({ deliveryId, organizationId }, ord) => ({
        ord,
        organization_id: organizationId,
        id: deliveryId
      }))
      return Effect.map(groups.unsafe<LoadedRow>(loadSql, rowParameters(columns, rows)), Array.map(loadedOf))
    },
    rowsMax: 64
  })
})
