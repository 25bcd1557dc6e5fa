import { RequestAlreadyBegun, type RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import type { Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { type Actor, PaymentChanged, PaymentNotFound, PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Effect, Layer, Predicate } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as GroupCommit from "../GroupCommit.ts"
import { orUnavailable } from "../orUnavailable.ts"
import { attemptDocument, eventDocument, operationDocument, paymentDocument } from "./PaymentDocument.ts"
import { paymentEventFromJson } from "./PaymentEventJson.ts"
import { paymentFromRow } from "./PaymentRow.ts"
import { makeBegin, makeCommit } from "./PaymentStatements.ts"

/** How long an Idempotency-Key is remembered (contract section 1). */
const recordMillis = 24 * 3_600_000

const recordDocument = ({ caller, fingerprint, key, operationId }: RequestRecord, at: number) => ({
  caller,
  key,
  fingerprint,
  operation_id: operationId,
  expires_at: new Date(at + recordMillis).toISOString()
})

const auditDocument = (event: PaymentEvent, actor: Actor) => ({
  at: new Date(event.at).toISOString(),
  actor: actor.name,
  request_id: actor.requestId,
  action: event.type,
  detail:
    event.type === "operation.begun"
      ? { operationId: event.operation.id, type: event.operation.type, amount: event.operation.minor.toString() }
      : event.type === "operation.settled"
        ? { operationId: event.result.id, status: event.result.status, by: event.by }
        : event.type === "authorization.settled"
          ? { outcome: event.result.outcome, responseCode: event.result.responseCode, by: event.by }
          : {}
})

/** The constraint that a refused row ran into, as PostgreSQL names it. */
const violated = (error: unknown): string | undefined =>
  SqlError.isSqlError(error) && Predicate.hasProperty(error.reason.cause, "constraint")
    ? String(error.reason.cause.constraint)
    : undefined

/** The Idempotency-Key went to another request while this one was on its way. */
const orAlreadyBegun =
  (record: RequestRecord | undefined) =>
  (error: SqlError.SqlError): Effect.Effect<never, RequestAlreadyBegun | SqlError.SqlError> =>
    Effect.fail(
      violated(error) === "request_records_pkey" ? new RequestAlreadyBegun({ key: record?.key ?? "" }) : error
    )

/** Another operation on this payment was begun first, or has the same reference. */
const orChanged =
  (payment: Payment) =>
  (error: SqlError.SqlError): Effect.Effect<never, PaymentChanged | SqlError.SqlError> =>
    Effect.fail(
      violated(error)?.startsWith("payment_operations_") === true ? new PaymentChanged({ id: payment.id }) : error
    )

/** Payments in PostgreSQL. `begin` and `commit` are one statement each, shared by concurrent calls. */
export const layer = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const beginRow = yield* GroupCommit.make({ statement: makeBegin(sql) })
    const commitRow = yield* GroupCommit.make({ statement: makeCommit(sql) })

    const withParts = sql.literal(`p.*,
      (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.number), '[]') FROM payment_attempts a
        WHERE a.organization_id = p.organization_id AND a.payment_id = p.id) AS attempts,
      (SELECT coalesce(jsonb_agg(to_jsonb(o) ORDER BY o.id), '[]') FROM payment_operations o
        WHERE o.organization_id = p.organization_id AND o.payment_id = p.id) AS operations`)

    return PaymentStore.of({
      begin: (payment, event, record) =>
        beginRow({
          payment: paymentDocument(payment),
          attempts: payment.attempts.map(attemptDocument),
          events: [eventDocument(event, payment.version)],
          records: [recordDocument(record, event.at)],
          operations: [],
          audit: []
        }).pipe(Effect.catchTag("SqlError", orAlreadyBegun(record)), orUnavailable),
      commit: ({ actor, after, before, events, record }) =>
        commitRow({
          payment: { ...paymentDocument(after), expected: before.version },
          attempts: after.attempts.filter((attempt) => !before.attempts.includes(attempt)).map(attemptDocument),
          operations: after.operations
            .filter((operation) => !before.operations.includes(operation))
            .map(operationDocument),
          events: events.map((event, index) => eventDocument(event, before.version + index + 1)),
          audit: events.map((event) => auditDocument(event, actor)),
          records: record === undefined ? [] : [recordDocument(record, after.updatedAt)]
        }).pipe(
          Effect.catchTag("SqlError", orAlreadyBegun(record)),
          Effect.catchTag("SqlError", orChanged(before)),
          Effect.flatMap((applied) => (applied ? Effect.void : Effect.fail(new PaymentChanged({ id: before.id })))),
          orUnavailable
        ),
      find: Effect.fn("PgPaymentStore.find")(function* (id) {
        const { clientId, organizationId } = yield* GatewayCaller
        const [row] = yield* sql`SELECT ${withParts} FROM payments p
          WHERE p.organization_id = ${organizationId} AND p.id = ${id} AND p.client_id = ${clientId}`
        return row === undefined ? yield* new PaymentNotFound({ id }) : paymentFromRow(row)
      }, orUnavailable),
      findByReference: Effect.fn("PgPaymentStore.findByReference")(function* (merchantReference) {
        const { clientId, organizationId } = yield* GatewayCaller
        const [row] = yield* sql`SELECT ${withParts} FROM payments p WHERE p.organization_id = ${organizationId}
          AND p.client_id = ${clientId} AND p.merchant_reference = ${merchantReference} AND p.holds_reference`
        return row === undefined ? undefined : paymentFromRow(row)
      }, orUnavailable),
      events: Effect.fn("PgPaymentStore.events")(function* (id) {
        const { organizationId } = yield* GatewayCaller
        const rows = yield* sql<{ data: unknown }>`SELECT data FROM payment_events
          WHERE organization_id = ${organizationId} AND payment_id = ${id} ORDER BY sequence`
        return rows.map(({ data }) => paymentEventFromJson(data))
      }, orUnavailable),
      list: Effect.fn("PgPaymentStore.list")(function* (filter) {
        const { clientId, organizationId } = yield* GatewayCaller
        const { before, currency, from, limit, merchantReference, provider, status, to, updatedFrom } = filter
        const rows = yield* sql`SELECT ${withParts} FROM payments p WHERE ${sql.and([
          sql`p.organization_id = ${organizationId}`,
          sql`p.client_id = ${clientId}`,
          ...(before === undefined ? [] : [sql`p.id < ${before}`]),
          ...(status === undefined ? [] : [sql`p.status = ${status}`]),
          ...(merchantReference === undefined ? [] : [sql`p.merchant_reference = ${merchantReference}`]),
          ...(provider === undefined ? [] : [sql`p.provider = ${provider}`]),
          ...(currency === undefined ? [] : [sql`p.currency = ${currency}`]),
          ...(from === undefined ? [] : [sql`p.created_at >= ${new Date(from)}`]),
          ...(to === undefined ? [] : [sql`p.created_at < ${new Date(to)}`]),
          ...(updatedFrom === undefined ? [] : [sql`p.updated_at >= ${new Date(updatedFrom)}`])
        ])} ORDER BY p.id DESC LIMIT ${limit}`
        return rows.map(paymentFromRow)
      }, orUnavailable)
    })
  })
)
