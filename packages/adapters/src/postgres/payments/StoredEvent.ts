import { Money } from "@sarraf/domain/money/Money"
import { cardBrands } from "@sarraf/domain/payments/CardNumber"
import { paymentErrorCodes } from "@sarraf/domain/payments/Operation"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { Effect, Schema } from "effect"
import { StoredRouting } from "./StoredRouting.ts"

/** Events of before the field was there have none. */
const orFalse = Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
const orNull = Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

const Texts = Schema.Record(Schema.String, Schema.String)
const OptionalText = Schema.NullOr(Schema.String)

const PaymentError = Schema.Struct({
  code: Schema.Literals(paymentErrorCodes),
  detail: Schema.String
})

const CardSummary = Schema.Struct({
  brand: Schema.Literals(cardBrands),
  first6: Schema.String,
  last4: Schema.String,
  expMonth: Schema.Finite,
  expYear: Schema.Finite,
  fingerprint: Schema.String
})

const AttemptOutcome = Schema.Literals([
  "RUNNING",
  "NotSent",
  "Refused",
  "Accepted",
  "ActionRequired",
  "Pending",
  "Unknown"
])

const OperationType = Schema.Literals(["CAPTURE", "REFUND", "VOID"])
const OperationStatus = Schema.Literals(["PENDING", "SUCCEEDED", "FAILED"])

const AttemptStart = Schema.Struct({
  number: Schema.Finite,
  provider: Schema.String,
  reference: Schema.String,
  startedAt: Schema.Finite,
  deadline: Schema.Finite,
  standIns: Schema.optionalKey(Schema.Array(Schema.String))
})

const AttemptResult = Schema.Struct({
  number: Schema.Finite,
  completedAt: Schema.NullOr(Schema.Finite),
  outcome: AttemptOutcome,
  providerReference: OptionalText,
  responseCode: OptionalText,
  fields: Texts,
  notes: Texts,
  detail: OptionalText,
  isDoubtful: orFalse
})

const SettledBy = Schema.Literals(["request", "reconciler", "notification", "operator"])

const OperationResult = Schema.Struct({
  id: Schema.String,
  status: OperationStatus,
  providerReference: OptionalText,
  responseCode: OptionalText,
  fields: Texts,
  availableFrom: Schema.NullOr(Schema.Finite),
  error: Schema.NullOr(PaymentError),
  completedAt: Schema.NullOr(Schema.Finite),
  deadline: Schema.optionalKey(Schema.Finite),
  sentAt: Schema.optionalKey(Schema.Finite)
})

const at = Schema.Finite

const PaymentEventJson = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("payment.begun"),
    at,
    request: Schema.Struct({
      id: Schema.String,
      organizationId: Schema.String,
      clientId: Schema.String,
      merchantReference: Schema.String,
      contentFingerprint: Schema.String,
      livemode: Schema.Boolean,
      money: Schema.Struct({ currency: Schema.String, minor: Schema.BigIntFromString }).pipe(Schema.decodeTo(Money)),
      installment: Schema.Finite,
      is3DS: Schema.Boolean,
      returnUrl: orNull,
      description: OptionalText,
      metadata: Texts,
      card: CardSummary,
      routing: StoredRouting,
      createdAt: Schema.Finite
    }),
    attempt: AttemptStart
  }),
  Schema.Struct({ type: Schema.Literal("payment.rerouted"), at, result: AttemptResult, attempt: AttemptStart }),
  Schema.Struct({ type: Schema.Literal("payment.noted"), at, attempt: Schema.Finite, notes: Texts }),
  Schema.Struct({
    type: Schema.Literal("authorization.settled"),
    at,
    by: SettledBy,
    command: Schema.NullOr(Schema.Literals(["authorize", "challenge", "await", "decline", "fail", "void"])),
    result: AttemptResult,
    error: Schema.NullOr(PaymentError),
    expiresAt: Schema.NullOr(Schema.Finite)
  }),
  Schema.Struct({ type: Schema.Literal("authorization.lapsed"), at }),
  Schema.Struct({ type: Schema.Literal("challenge.begun"), at }),
  Schema.Struct({
    type: Schema.Literal("challenge.ended"),
    at,
    by: Schema.Literals(["buyer", "timeout"]),
    deadline: Schema.Finite
  }),
  Schema.Struct({
    type: Schema.Literal("attempt.reversed"),
    at,
    by: SettledBy,
    attempt: Schema.Finite,
    status: Schema.Literals(["BEGUN", "DONE"]),
    reason: Schema.String
  }),
  Schema.Struct({ type: Schema.Literal("payment.disputed"), at, minor: Schema.BigIntFromString }),
  Schema.Struct({ type: Schema.Literal("review.requested"), at, reason: Schema.String }),
  Schema.Struct({ type: Schema.Literal("review.closed"), at, evidence: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("operation.begun"),
    at,
    operation: Schema.Struct({
      id: Schema.String,
      type: OperationType,
      minor: Schema.BigIntFromString,
      final: Schema.Boolean,
      status: OperationStatus,
      reference: OptionalText,
      providerRequest: Schema.String,
      providerReference: OptionalText,
      responseCode: OptionalText,
      fields: Texts,
      availableFrom: Schema.NullOr(Schema.Finite),
      error: Schema.NullOr(PaymentError),
      createdAt: Schema.Finite,
      sentAt: Schema.optionalKey(Schema.Finite),
      deadline: Schema.NullOr(Schema.Finite),
      completedAt: Schema.NullOr(Schema.Finite)
    })
  }),
  Schema.Struct({ type: Schema.Literal("operation.settled"), at, by: SettledBy, result: OperationResult })
])

const decode: (event: unknown) => PaymentEvent = Schema.decodeUnknownSync(PaymentEventJson)

/** A row of `payment_events`: its time is a date in a row, and text where the row came as JSON. */
export interface StoredEvent {
  readonly type: string
  readonly at: Date | string
  readonly data: object
}

/** Reads an event back; throws where it does not decode, which is a defect. */
export const paymentEventFromRow = ({ at, data, type }: StoredEvent): PaymentEvent =>
  decode({ ...data, type, at: new Date(at).getTime() })
