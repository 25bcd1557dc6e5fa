import { pageOf } from "@sarraf/domain/lists/Page"
import { Money } from "@sarraf/domain/money/Money"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Attempt, AttemptOutcome } from "@sarraf/domain/payments/Attempt"
import type { CardSummary } from "@sarraf/domain/payments/Card"
import type { OperationStatus, OperationType, PaymentError } from "@sarraf/domain/payments/Operation"
import { type AttemptRecord, type PaymentRecord, PaymentRecords } from "@sarraf/domain/payments/PaymentReading"
import type { PaymentStatus } from "@sarraf/domain/payments/PaymentStatus"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"

/** What the view `assistant_payments` shows of the request. */
interface ShownRequest {
  readonly brand: CardSummary["brand"]
  readonly last4: string
  readonly description: string | null
  readonly installment: number
  readonly is3DS: boolean
  readonly order: ReadonlyArray<string>
  readonly rule: string | null
  readonly policyVersion: number
  readonly reasons: Readonly<Record<string, string>>
}

type Count = string | bigint

interface PaymentRow {
  readonly id: string
  readonly client_id: string
  readonly merchant_reference: string
  readonly status: PaymentStatus
  readonly currency: string
  readonly amount: Count
  readonly provider: string
  readonly authorized: Count
  readonly captured: Count
  readonly capture_pending: Count
  readonly released: Count
  readonly refunded: Count
  readonly refund_pending: Count
  readonly disputed: Count
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly request: ShownRequest
}

/** What the view `assistant_payment_steps` shows of an event: an attempt that began with it, and one that ended. */
interface StepRow {
  readonly started: Pick<Attempt, "number" | "provider" | "startedAt"> | null
  readonly ended:
    | (Pick<Attempt, "number" | "responseCode" | "detail" | "completedAt"> & { readonly outcome: AttemptOutcome })
    | null
  readonly error: PaymentError | null
}

interface OperationRow {
  readonly id: string
  readonly type: OperationType
  readonly amount: Count
  readonly status: OperationStatus
  readonly reference: string | null
  readonly available_from: Date | null
}

const columns = `p.id, p.client_id, p.merchant_reference, p.status, p.currency, p.amount, p.provider, p.authorized, p.captured,
  p.capture_pending, p.released, p.refunded, p.refund_pending, p.disputed, p.expires_at, p.created_at, p.updated_at,
  (SELECT shown.request FROM assistant_payments shown
    WHERE shown.organization_id = p.organization_id AND shown.payment_id = p.id) AS request`

const recordOf = (row: PaymentRow): PaymentRecord => ({
  id: row.id,
  clientId: row.client_id,
  merchantReference: row.merchant_reference,
  status: row.status,
  money: new Money({ currency: row.currency, minor: BigInt(row.amount) }),
  sums: {
    authorized: BigInt(row.authorized),
    captured: BigInt(row.captured),
    capturePending: BigInt(row.capture_pending),
    released: BigInt(row.released),
    refunded: BigInt(row.refunded),
    refundPending: BigInt(row.refund_pending),
    disputed: BigInt(row.disputed)
  },
  provider: row.provider,
  card: { brand: row.request.brand, last4: row.request.last4 },
  description: row.request.description,
  installment: row.request.installment,
  is3DS: row.request.is3DS,
  expiresAt: row.expires_at?.getTime() ?? null,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

/** The attempts that the steps make, in the order in which they began. */
const attemptsOf = (steps: ReadonlyArray<StepRow>): ReadonlyArray<AttemptRecord> => {
  const attempts = new Map<number, AttemptRecord>()
  for (const { ended, started } of steps) {
    const known = ended === null ? undefined : attempts.get(ended.number)
    if (ended !== null && known !== undefined) attempts.set(ended.number, { ...known, ...ended })
    if (started !== null) {
      const running = { outcome: "RUNNING", responseCode: null, detail: null, completedAt: null } as const
      attempts.set(started.number, { ...started, ...running })
    }
  }
  return [...attempts.values()]
}

/** Payments in PostgreSQL, as far as assistants may see them. */
export const layer = Layer.effect(
  PaymentRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return PaymentRecords.of({
      find: Effect.fn("PgPaymentRecords.find")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<PaymentRow>`SELECT ${sql.literal(columns)} FROM payments p
          WHERE p.organization_id = ${organizationId} AND p.id = ${id}`
        if (row === undefined) return undefined
        const steps = yield* sql<StepRow>`SELECT started, ended, error FROM assistant_payment_steps
          WHERE organization_id = ${organizationId} AND payment_id = ${id} ORDER BY sequence`
        const operations = yield* sql<OperationRow>`SELECT id, type, amount, status, reference, available_from
          FROM payment_operations WHERE organization_id = ${organizationId} AND payment_id = ${id} ORDER BY id`
        const { order, policyVersion, reasons, rule } = row.request
        return {
          ...recordOf(row),
          attempts: attemptsOf(steps),
          operations: operations.map((operation) => ({
            id: operation.id,
            type: operation.type,
            minor: BigInt(operation.amount),
            status: operation.status,
            reference: operation.reference,
            availableFrom: operation.available_from?.getTime() ?? null
          })),
          routing: { order, rule, policyVersion, reasons },
          error: steps.findLast(({ ended }) => ended !== null)?.error ?? null
        }
      }, within),
      list: Effect.fn("PgPaymentRecords.list")(function* (search, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`p.organization_id = ${organizationId}`,
          ...(search.statuses === undefined ? [] : [sql`p.status = ANY (${[...search.statuses]}::text[])`]),
          ...(search.merchantReference === undefined ? [] : [sql`p.merchant_reference = ${search.merchantReference}`]),
          ...(search.clientId === undefined ? [] : [sql`p.client_id = ${search.clientId}`]),
          ...(search.provider === undefined ? [] : [sql`p.provider = ${search.provider}`]),
          ...(search.currency === undefined ? [] : [sql`p.currency = ${search.currency}`]),
          ...(search.from === undefined ? [] : [sql`p.created_at >= ${new Date(search.from)}`]),
          ...(search.to === undefined ? [] : [sql`p.created_at < ${new Date(search.to)}`]),
          ...(page.after === undefined ? [] : [sql`p.id < ${page.after}`])
        ]
        const rows = yield* sql<PaymentRow>`SELECT ${sql.literal(columns)} FROM payments p
          WHERE ${sql.and(conditions)} ORDER BY p.id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(recordOf), page)
      }, within)
    })
  })
)
