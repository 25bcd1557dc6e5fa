import { RequestAlreadyBegun, type RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { followUpOf } from "@sarraf/domain/payments/FollowUp"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { PaymentChanged, PaymentNotFound, PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Effect, Layer, Predicate } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as GroupCommit from "../GroupCommit.ts"
import { groupClient } from "../GroupWriter.ts"
import { orUnavailable } from "../orUnavailable.ts"
import { servedOrganizations } from "../ServedMode.ts"
import { callerOf, type OwnerRow } from "./OwnerRow.ts"
import { attemptRow, auditRow, eventRow, followUpRow, operationRow, paymentRow, recordRow } from "./PaymentRows.ts"
import { makeBegin, makeCommit, makeCommitWithFollowUp } from "./PaymentStatements.ts"
import { paymentEventFromRow, type StoredEvent } from "./StoredEvent.ts"

/** The constraint that a refused row ran into, as PostgreSQL names it. */
const violated = (error: unknown): string | undefined =>
  SqlError.isSqlError(error) && Predicate.hasProperty(error.reason.cause, "constraint")
    ? String(error.reason.cause.constraint)
    : undefined

/** Another operation on this payment was begun first, or has the same reference. */
const orChanged =
  (payment: Payment) =>
  (error: SqlError.SqlError): Effect.Effect<never, PaymentChanged | SqlError.SqlError> =>
    Effect.fail(
      violated(error)?.startsWith("payment_operations_") === true ? new PaymentChanged({ id: payment.id }) : error
    )

interface DueRefundRow extends OwnerRow {
  readonly id: string
}

/** Payments in PostgreSQL. `begin` and `commit` are one statement each, shared by concurrent calls. */
export const layer = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const groups = yield* groupClient
    const isServed = (yield* servedOrganizations)("g")
    const beginRow = yield* GroupCommit.make({ statement: makeBegin(groups) })
    const commitPlain = yield* GroupCommit.make({ statement: makeCommit(groups) })
    const commitFollowed = yield* GroupCommit.make({ statement: makeCommitWithFollowUp(groups) })

    /** A key is free again when its day is over, also where its row has not been swept away yet. */
    const forgetExpired = ({ caller, key, organizationId }: RequestRecord, now: number) =>
      Effect.map(
        sql`DELETE FROM request_records WHERE organization_id = ${organizationId} AND caller = ${caller}
          AND key = ${key} AND expires_at <= ${new Date(now)} RETURNING 1`,
        (rows) => rows.length > 0
      )

    /** Writes, unless the Idempotency-Key went to another request while this one was on its way. */
    const underKey = (
      record: RequestRecord | undefined,
      now: number,
      write: () => Effect.Effect<boolean, SqlError.SqlError>
    ): Effect.Effect<boolean, RequestAlreadyBegun | SqlError.SqlError> =>
      Effect.catchTag(Effect.suspend(write), "SqlError", (error) =>
        record === undefined || violated(error) !== "request_records_pkey"
          ? Effect.fail(error)
          : Effect.flatMap(forgetExpired(record, now), (isFree) =>
              isFree ? underKey(record, now, write) : Effect.fail(new RequestAlreadyBegun({ key: record.key }))
            )
      )

    /** The payment as its events make it; undefined where it is not this client's. */
    const load = Effect.fnUntraced(function* (id: string) {
      const { clientId, organizationId } = yield* GatewayCaller
      const rows = yield* sql<StoredEvent>`SELECT type, at, data FROM payment_events
        WHERE organization_id = ${organizationId} AND payment_id = ${id} ORDER BY sequence`
      const events = rows.map(paymentEventFromRow)
      const payment = rebuild(events)
      return payment?.clientId === clientId ? { payment, events } : undefined
    })

    return PaymentStore.of({
      begin: (payment, event, record) =>
        underKey(record, event.at, () => {
          const attempt = lastAttempt(payment)
          if (attempt === undefined) return Effect.die(new Error("A payment begins with an attempt."))
          return beginRow({
            payment: paymentRow(payment),
            attempt: attemptRow(attempt),
            event: eventRow(event, payment.version),
            record: recordRow(record, event.at)
          })
        }).pipe(orUnavailable),
      commit: ({ actor, after, before, events, record }) =>
        underKey(record, after.updatedAt, () => {
          const followUp = followUpOf(before, after)
          const commitRow = followUp === null ? commitPlain : commitFollowed
          return commitRow({
            payment: { ...paymentRow(after), expected: before.version },
            attempts: after.attempts.filter((attempt) => !before.attempts.includes(attempt)).map(attemptRow),
            operations: after.operations
              .filter((operation) => !before.operations.includes(operation))
              .map(operationRow),
            events: events.map((event, index) => ({
              ...eventRow(event, before.version + index + 1),
              ...auditRow(event, actor)
            })),
            records: record === undefined ? [] : [recordRow(record, after.updatedAt)],
            followUps: followUp === null ? [] : [followUpRow(after, followUp)]
          })
        }).pipe(
          Effect.catchTag("SqlError", orChanged(before)),
          Effect.filterOrFail(
            (applied) => applied,
            () => new PaymentChanged({ id: before.id })
          ),
          Effect.asVoid,
          orUnavailable
        ),
      find: Effect.fn("PgPaymentStore.find")(function* (id) {
        const found = yield* load(id)
        return found === undefined ? yield* new PaymentNotFound({ id }) : found.payment
      }, orUnavailable),
      findByReference: Effect.fn("PgPaymentStore.findByReference")(function* (merchantReference) {
        const { clientId, organizationId } = yield* GatewayCaller
        const [row] = yield* sql<{ id: string }>`SELECT id FROM payments WHERE organization_id = ${organizationId}
          AND client_id = ${clientId} AND merchant_reference = ${merchantReference} AND holds_reference`
        return row === undefined ? undefined : (yield* load(row.id))?.payment
      }, orUnavailable),
      findAttempt: Effect.fn("PgPaymentStore.findAttempt")(function* (provider, reference) {
        const [row] =
          yield* sql<OwnerRow>`SELECT a.organization_id, a.payment_id, p.client_id, NOT g.is_sandbox AS livemode
          FROM payment_attempts a JOIN payments p ON p.organization_id = a.organization_id AND p.id = a.payment_id
          JOIN organizations g ON g.id = a.organization_id
          WHERE a.provider = ${provider} AND a.reference = ${reference} AND ${isServed}`
        return row === undefined ? undefined : { caller: callerOf(row), paymentId: row.payment_id }
      }, orUnavailable),
      events: Effect.fn("PgPaymentStore.events")(function* (id) {
        return (yield* load(id))?.events ?? []
      }, orUnavailable),
      dueRefunds: Effect.fn("PgPaymentStore.dueRefunds")(function* (now, limit) {
        const rows =
          yield* sql<DueRefundRow>`SELECT o.organization_id, o.payment_id, o.id, p.client_id, NOT g.is_sandbox AS livemode
          FROM payment_operations o JOIN payments p ON p.organization_id = o.organization_id AND p.id = o.payment_id
          JOIN organizations g ON g.id = o.organization_id
          WHERE ${isServed} AND o.status = 'PENDING' AND o.available_from <= ${new Date(now)} ORDER BY o.available_from LIMIT ${limit}`
        return rows.map((row) => ({ caller: callerOf(row), paymentId: row.payment_id, operationId: row.id }))
      }, orUnavailable),
      list: Effect.fn("PgPaymentStore.list")(function* (filter) {
        const { clientId, organizationId } = yield* GatewayCaller
        const { before, currency, from, limit, merchantReference, provider, status, to, updatedFrom } = filter
        const rows = yield* sql<{ events: ReadonlyArray<StoredEvent> }>`SELECT (
            SELECT jsonb_agg(jsonb_build_object('type', e.type, 'at', e.at, 'data', e.data) ORDER BY e.sequence)
            FROM payment_events e WHERE e.organization_id = p.organization_id AND e.payment_id = p.id) AS events
          FROM payments p WHERE ${sql.and([
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
        return rows.flatMap(({ events }) => rebuild(events.map(paymentEventFromRow)) ?? [])
      }, orUnavailable)
    })
  })
)
