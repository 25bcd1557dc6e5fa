import type { RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import type { PaymentRequest } from "@sarraf/domain/payments/Payment"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { request, start, type Told, told } from "../../../domain/payments/support/SamplePayment.ts"

export const actor = { name: "client:shop", requestId: "request-1" }

/** A client of an organization, with payments that count from one: what a test writes is its own. */
export const shop = (name: string, organization = `org_${name}`) => {
  const caller = { organizationId: organization, clientId: name, livemode: false }
  /** The shop's payment of this number, begun and not stored. */
  const payment = (number: number, changes: Partial<PaymentRequest> = {}): Told => {
    const { clientId, organizationId } = caller
    const id = `txn_${String(number).padStart(4, "0")}_${name}`
    const asked = { id, organizationId, clientId, merchantReference: `order-${number}`, ...changes }
    return told(request(asked), start({ reference: `${name}-${number}` }))
  }
  const record = (
    paymentId: string,
    key = `key of ${paymentId}`,
    operationId: string | null = null
  ): RequestRecord => ({
    organizationId: caller.organizationId,
    caller: caller.clientId,
    key,
    fingerprint: `fingerprint of ${key}`,
    paymentId,
    operationId
  })
  return { caller, payment, record, as: Effect.provideService(GatewayCaller, caller) }
}

/** An organization as its row, for what joins it. */
export const insertOrganization = (id: string, isSandbox: boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(
      Effect.asVoid(sql`INSERT INTO organizations (id, name, base_currency, timezone, verification, is_sandbox)
        VALUES (${id}, 'Shop', 'TRY', 'Europe/Istanbul', 'VERIFIED', ${isSandbox})`)
    )
  )

export type Shop = ReturnType<typeof shop>

/** Begins a payment; false where its merchantReference is taken. */
export const store = Effect.fnUntraced(function* ({ record }: Shop, { events, payment }: Told, key?: string) {
  const [event] = events
  if (event === undefined) return yield* Effect.die(new Error("A payment without events"))
  return yield* (yield* PaymentStore).begin(payment, event, record(payment.id, key))
})

/** Commits what lies between two states of one history. */
export const commit = Effect.fnUntraced(function* (before: Told, after: Told, record?: RequestRecord) {
  const change = {
    before: before.payment,
    after: after.payment,
    events: after.events.slice(before.events.length),
    actor
  }
  yield* (yield* PaymentStore).commit(record === undefined ? change : { ...change, record })
})

/** Begins a payment and commits every state of its history after the first. */
export const storeHistory = Effect.fnUntraced(function* (owner: Shop, states: ReadonlyArray<Told>) {
  const [first, ...rest] = states
  if (first === undefined || !(yield* store(owner, first))) return yield* Effect.die(new Error("Not begun"))
  let before = first
  for (const after of rest) {
    yield* commit(before, after)
    before = after
  }
  return before
})
