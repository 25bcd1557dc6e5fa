import { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { Schema } from "effect"
import { isStorable, optional, Text } from "./conventions.ts"
import { countryCode } from "./country.ts"

const amountMax = 99_999_999.99

/** Major units with at most two decimals, the exponent of all five currencies; never rounded. */
export const AmountOfPayment = Schema.Finite.check(
  Schema.makeFilter((amount: number) => {
    if (amount <= 0) return "must be greater than 0"
    if (amount > amountMax) return `must be at most ${amountMax}`
    return /^\d+(\.\d{1,2})?$/u.test(String(amount)) || "must have at most two decimals"
  })
).annotate({ description: "Major units: 149.90", examples: [149.9] })

const Country = Text(100).check(
  Schema.makeFilter(
    (value: string) =>
      countryCode(value) !== undefined ||
      "must be a country: an ISO 3166-1 code such as TR or TUR, or its English or Turkish name"
  )
)

const metadataMax = 20
/** Retrieval puts its own members beside the caller's. */
const reservedNames = ["attempts", "routing"]

const Metadata = Schema.Record(Text(64), Schema.String.check(isStorable, Schema.isMaxLength(500))).check(
  Schema.makeFilter((metadata: Readonly<Record<string, string>>) => {
    if (Object.keys(metadata).length > metadataMax) return `must have at most ${metadataMax} entries`
    const taken = reservedNames.find((name) => name in metadata)
    return taken === undefined || `must not have an entry named ${taken}`
  })
)

const Email = Text(254).check(
  Schema.isPattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/u, { message: "must be an e-mail address such as name@example.com" })
)

const Installment = Schema.Int.check(
  Schema.makeFilter((count: number) => (count >= 1 && count <= 12) || "must be a whole number from 1 to 12")
)

const isHttp = (text: string) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)

/** Without 3D Secure nobody comes back, and the address is ignored (contract section 4, 3DS). */
const returnsToAnAddress = Schema.makeFilter(
  ({ is3DS, returnUrl }: { readonly is3DS?: boolean | null; readonly returnUrl?: string | null }) =>
    is3DS !== true || returnUrl == null || isHttp(returnUrl)
      ? undefined
      : { path: ["returnUrl"], issue: "must be a web address such as https://shop.example/return" }
)

/** Body of `POST /pf/v1/payments/authorize` (specification 2.1, with the additions of contract section 4). */
export const AuthorizeRequest = Schema.Struct({
  amount: AmountOfPayment,
  currency: PaymentCurrency,
  merchantReference: Text(255),
  cardNumber: Text(40),
  cardExpMonth: Text(10),
  cardExpYear: Text(10),
  cardCvc: Text(10),
  is3DS: optional(Schema.Boolean),
  returnUrl: optional(Text(2_000)),
  installment: optional(Installment),
  buyer: Schema.Struct({
    firstName: Text(100),
    lastName: Text(100),
    email: Email,
    ip: optional(Text(45)),
    phone: optional(Text(40))
  }),
  billingAddress: Schema.Struct({
    address: Text(300),
    city: Text(100),
    country: Country,
    postalCode: optional(Text(20)),
    state: optional(Text(100))
  }),
  cardHolderName: optional(Text(200)),
  description: optional(Text(500)),
  metadata: optional(Metadata)
})
  .check(returnsToAnAddress)
  .annotate({ identifier: "AuthorizeRequest" })

const operationFields = {
  /** Where it is given, it must be the path's. */
  transactionId: optional(Text(100)),
  reference: optional(Text(255))
}

/** Body of `POST /pf/v1/payments/:id/capture`; absent fields mean all that is left. */
export const CaptureRequest = Schema.Struct({
  ...operationFields,
  amount: optional(AmountOfPayment),
  finalCapture: optional(Schema.Boolean)
}).annotate({ identifier: "CaptureRequest" })

/** Body of `POST /pf/v1/payments/:id/refund`; without an amount all that is left. */
export const RefundRequest = Schema.Struct({ ...operationFields, amount: optional(AmountOfPayment) }).annotate({
  identifier: "RefundRequest"
})

/** Body of `POST /pf/v1/payments/:id/void`. */
export const VoidRequest = Schema.Struct(operationFields).annotate({ identifier: "VoidRequest" })
