// The smallest honest server for the same tasks: the intent is committed, then the outcome, then the answer goes out. No
// signature, no check of the request, no provider, no idempotency. Started with the folder of PostgreSQL's socket and
// the name of a database.
import { randomUUID } from "node:crypto"
import fastify from "fastify"
import postgres from "postgres"

interface PaymentRequest {
  readonly merchantReference: string
  readonly amount: number
  readonly currency: string
  readonly cardNumber: string
  readonly cardExpMonth: string
  readonly cardExpYear: string
  readonly buyer: { readonly firstName: string; readonly lastName: string; readonly email: string }
  readonly billingAddress: { readonly address: string; readonly city: string; readonly country: string }
}

interface PaymentRow {
  readonly id: string
  readonly merchant_reference: string
  readonly status: string
  readonly amount_minor: number
  readonly authorized_minor: number
  readonly captured_minor: number
  readonly refunded_minor: number
  readonly currency: string
  readonly provider: string
  readonly psp_response_code: string
  readonly card_first6: string
  readonly card_last4: string
  readonly card_exp_month: number
  readonly card_exp_year: number
  readonly buyer_name: string
  readonly buyer_email: string
  readonly billing_address: string
  readonly expires_at: Date
  readonly created_at: Date
  readonly updated_at: Date
}

const [host = "", database = ""] = process.argv.slice(2)
/** As many connections as the gateway has. Statements are prepared, which is this library's default. */
const sql = postgres({ host, database, username: "sarraf", max: 10, prepare: true, onnotice: () => {} })

await sql`CREATE TABLE IF NOT EXISTS baseline_payments (
  id TEXT PRIMARY KEY,
  merchant_reference TEXT NOT NULL,
  status TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  authorized_minor INTEGER NOT NULL DEFAULT 0,
  captured_minor INTEGER NOT NULL DEFAULT 0,
  refunded_minor INTEGER NOT NULL DEFAULT 0,
  currency TEXT NOT NULL,
  provider TEXT,
  psp_response_code TEXT,
  card_first6 TEXT NOT NULL,
  card_last4 TEXT NOT NULL,
  card_exp_month SMALLINT NOT NULL,
  card_exp_year SMALLINT NOT NULL,
  buyer_name TEXT NOT NULL,
  buyer_email TEXT NOT NULL,
  billing_address TEXT NOT NULL,
  expires_at TIMESTAMPTZ NOT NULL DEFAULT now() + INTERVAL '15 days',
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`
await sql`CREATE TABLE IF NOT EXISTS baseline_operations (
  id TEXT PRIMARY KEY,
  payment_id TEXT NOT NULL,
  type TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`

const begin = (id: string, { billingAddress, buyer, ...payment }: PaymentRequest) => sql`INSERT INTO baseline_payments (
    id, merchant_reference, status, amount_minor, currency, card_first6, card_last4, card_exp_month, card_exp_year,
    buyer_name, buyer_email, billing_address
  ) VALUES (
    ${id}, ${payment.merchantReference}, 'PENDING', ${Math.round(payment.amount * 100)}, ${payment.currency},
    ${payment.cardNumber.slice(0, 6)}, ${payment.cardNumber.slice(-4)}, ${Number(payment.cardExpMonth)},
    ${Number(payment.cardExpYear)}, ${`${buyer.firstName} ${buyer.lastName}`}, ${buyer.email},
    ${`${billingAddress.address}, ${billingAddress.city}, ${billingAddress.country}`}
  )`

const settle = async (id: string) => {
  const [row] = await sql<Array<PaymentRow>>`UPDATE baseline_payments
    SET status = 'AUTHORIZED', authorized_minor = amount_minor, provider = ${"isbank"}, psp_response_code = ${"00"},
      updated_at = now()
    WHERE id = ${id} RETURNING *`
  if (row === undefined) throw new Error(`Payment ${id} is gone.`)
  return row
}

const find = async (id: string) => {
  const [row] = await sql<Array<PaymentRow>>`SELECT * FROM baseline_payments WHERE id = ${id}`
  if (row === undefined) throw new Error(`There is no payment ${id}.`)
  return row
}

/** An operation is begun, then it and its payment are settled in one statement. */
const operate = async (type: "CAPTURE" | "REFUND", paymentId: string, amount: number) => {
  const id = randomUUID()
  const minor = Math.round(amount * 100)
  const captured = type === "CAPTURE" ? minor : 0
  await sql`INSERT INTO baseline_operations (id, payment_id, type, amount_minor, status)
    VALUES (${id}, ${paymentId}, ${type}, ${minor}, 'PENDING')`
  const [row] = await sql<Array<PaymentRow>>`WITH settled AS (
      UPDATE baseline_operations SET status = 'SUCCEEDED' WHERE id = ${id})
    UPDATE baseline_payments SET status = ${type === "CAPTURE" ? "CAPTURED" : "REFUNDED"}, captured_minor = captured_minor + ${captured},
      refunded_minor = refunded_minor + ${minor - captured}, updated_at = now()
    WHERE id = ${paymentId} RETURNING *`
  if (row === undefined) throw new Error(`There is no payment ${paymentId}.`)
  return row
}

/** As many bytes as the gateway's answer. */
const present = (row: PaymentRow) => ({
  transactionId: row.id,
  status: row.status,
  amount: row.amount_minor / 100,
  currency: row.currency,
  provider: row.provider,
  pspResponseCode: row.psp_response_code,
  merchantReference: row.merchant_reference,
  authorizedAmount: row.authorized_minor / 100,
  capturedAmount: row.captured_minor / 100,
  refundedAmount: row.refunded_minor / 100,
  capturableAmount: (row.authorized_minor - row.captured_minor) / 100,
  releasedAmount: 0,
  refundableAmount: (row.captured_minor - row.refunded_minor) / 100,
  pendingAmount: 0,
  installment: 1,
  is3DS: false,
  livemode: false,
  card: {
    first6: row.card_first6,
    last4: row.card_last4,
    expMonth: row.card_exp_month,
    expYear: row.card_exp_year
  },
  buyer: { name: row.buyer_name, email: row.buyer_email, billingAddress: row.billing_address },
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  metadata: {}
})

const server = fastify()

server.post<{ Body: PaymentRequest }>("/payments", async ({ body }) => {
  const id = randomUUID()
  await begin(id, body)
  return present(await settle(id))
})

interface OperationRequest {
  readonly transactionId: string
  readonly amount: number
}
interface OfPayment {
  readonly id: string
}

server.get<{ Params: OfPayment }>("/payments/:id", async ({ params }) => present(await find(params.id)))
server.post<{ Body: OperationRequest; Params: OfPayment }>("/payments/:id/capture", async ({ body, params }) =>
  present(await operate("CAPTURE", params.id, body.amount))
)
server.post<{ Body: OperationRequest; Params: OfPayment }>("/payments/:id/refund", async ({ body, params }) =>
  present(await operate("REFUND", params.id, body.amount))
)

process.once("SIGTERM", async () => {
  await server.close()
  await sql.end()
})

console.log(`The baseline is ready at ${await server.listen({ host: "127.0.0.1", port: 0 })}`)
