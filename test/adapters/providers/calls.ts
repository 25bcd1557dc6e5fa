import { Money } from "@sarraf/domain/money/Money"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import type {
  Authorization,
  AuthorizeCall,
  CaptureCall,
  Captured,
  OperationCall,
  ThreeDSReturn
} from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Redacted, Result } from "effect"

export const cardNumber = (digits: string) => Result.getOrThrow(CardNumber.parse(digits))

/** A payment that a provider's tests are about. */
interface SamplePayment {
  readonly reference: string
  /** Of a capture, refund or release of it. */
  readonly operationReference: string
  readonly money: Money
  readonly cardNumber: string
  /** The provider's own, and the notes, as they are known once it is authorized. */
  readonly providerReference: string | null
  readonly notes?: Authorization["notes"]
  /** What its authorization asks for otherwise. */
  readonly request?: Partial<AuthorizeCall>
}

/** The calls of the port about one payment; a test names what it wants otherwise. */
export const callsOf = (payment: SamplePayment) => {
  const { money, reference } = payment
  const requestId = "req-of-ours"

  const authorization = (changes: Partial<Authorization> = {}): Authorization => ({
    reference,
    providerReference: payment.providerReference,
    notes: payment.notes ?? {},
    money,
    authorizedAt: DateTime.makeUnsafe("2026-11-21T09:00:00Z"),
    ...changes
  })

  const operationCall = (minor: bigint, changes: Partial<OperationCall> = {}): OperationCall => ({
    authorization: authorization(),
    operationId: "op_1",
    reference: payment.operationReference,
    money: new Money({ ...money, minor }),
    captures: [],
    requestId,
    ...changes
  })

  return {
    authorizeCall: (changes: Partial<AuthorizeCall> = {}): AuthorizeCall => ({
      reference,
      money,
      card: {
        number: cardNumber(payment.cardNumber),
        expMonth: 3,
        expYear: 2030,
        cvc: Redacted.make("737"),
        holderName: "Ayşe Yılmaz"
      },
      installment: 1,
      // With letters that forms and XML have to escape.
      buyer: { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse+1@example.com", ip: "203.0.113.7" },
      billingAddress: { address: "Çiçek Sokağı 5 & 7", city: "İzmir", country: "TR", postalCode: "35000" },
      requestId,
      note: () => Effect.void,
      ...payment.request,
      ...changes
    }),
    authorization,
    operationCall,
    captureCall: (minor: bigint, changes: Partial<OperationCall> = {}): CaptureCall => ({
      ...operationCall(minor, changes),
      final: true
    }),
    /** A capture that lies before a call; of the whole amount unless told otherwise. */
    capture: (providerReference: string | null, minor = money.minor, changes: Partial<Captured> = {}): Captured => ({
      operationId: "op_capture",
      providerReference,
      minor,
      refundedMinor: 0n,
      ...changes
    }),
    /** The buyer's browser is back from the issuer with these fields. */
    returnCall: (returned: Readonly<Record<string, string>>, changes: Partial<ThreeDSReturn> = {}): ThreeDSReturn => ({
      authorization: authorization(),
      installment: 1,
      returned,
      requestId,
      note: () => Effect.void,
      ...changes
    })
  }
}
