import type { RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import type { FollowUp } from "@sarraf/domain/payments/FollowUp"
import type { Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import type { Instant } from "@sarraf/domain/time/Instant"
import { Context, Layer } from "effect"

/** A payment as it stands, and the events that made it, in their order. */
interface StoredPayment {
  readonly payment: Payment
  readonly events: ReadonlyArray<PaymentEvent>
}

/** When a payment is looked at again, and who holds it meanwhile. */
export interface ScheduledLook extends FollowUp {
  /** Of the payment's last attempt. */
  readonly provider: string
  readonly leaseUntil: Instant | null
  readonly needsReview: boolean
}

interface StoredRecord {
  readonly record: RequestRecord
  readonly expiresAt: Instant
}

/** What a request began is found under its key for a day (contract section 1). */
const recordMillis = 24 * 3_600_000

const keyOf = ({ caller, key, organizationId }: Pick<RequestRecord, "caller" | "key" | "organizationId">) =>
  `${organizationId} ${caller} ${key}`

/**
 * What the stores of this folder hold together, as the tables of one database do. Several processes of the gateway in one
 * program share it; all of it ends with the program. Each write is one step, so that nothing is ever half written.
 */
export class Memory extends Context.Service<
  Memory,
  {
    /** By their id. */
    readonly payments: Map<string, StoredPayment>
    /** By the payment's id. */
    readonly followUps: Map<string, ScheduledLook>
    /** What a request's key began, where that has not been forgotten at this time. */
    readonly findRecord: (
      of: Pick<RequestRecord, "caller" | "key" | "organizationId">,
      now: Instant
    ) => RequestRecord | undefined
    readonly addRecord: (record: RequestRecord, now: Instant) => void
  }
>()("@sarraf/adapters/memory/Memory") {
  static readonly layer: Layer.Layer<Memory> = Layer.sync(Memory, () => {
    const records = new Map<string, StoredRecord>()
    return Memory.of({
      payments: new Map(),
      followUps: new Map(),
      findRecord: (of, now) => {
        const found = records.get(keyOf(of))
        return found !== undefined && found.expiresAt > now ? found.record : undefined
      },
      addRecord: (record, now) => void records.set(keyOf(record), { record, expiresAt: now + recordMillis })
    })
  })
}
