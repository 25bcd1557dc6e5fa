import { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { Schema } from "effect"
import { countryCode } from "./country.ts"

/** PostgreSQL has no place for U+0000, and a lone surrogate is no character (contract section 1). */
export const isStorable = Schema.makeFilter(
  (text: string) =>
    (!text.includes("\u0000") && text.isWellFormed()) || "must not contain U+0000 or an unpaired surrogate"
)

/** A text that must say something: not empty, not spaces alone. */
const text = (maxLength: number) =>
  Schema.String.check(
    isStorable,
    Schema.makeFilter((value: string) => value.trim() !== "" || "must not be empty"),
    Schema.isMaxLength(maxLength)
  )

/** `null` counts as absent for every optional field (contract section 1). */
const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const amountMax = 99_999_999.99

/** Major units with at most two decimals, the exponent of all five currencies; never rounded. */
export const AmountOfPayment = Schema.Finite.check(
  Schema.makeFilter((amount: number) => {
    if (amount <= 0) return "must be greater than 0"
    if (amount > amountMax) return `must be at most ${amountMax}`
    return /^\d+(\.\d{1,2})?$/u.test(String(amount)) || "must have at most two decimals"
  })
).annotate({ description: "Major units: 149.90", examples: [149.9] })

const Country = text(100).check(
  Schema.makeFilter(
    (value: string) =>
      countryCode(value) !== undefined ||
      "must be a country: an ISO 3166-1 code such as TR or TUR, or its English or Turkish name"
  )
)

const metadataMax = 20
/** Retrieval puts its own members beside the caller's. */
const reservedNames = ["attempts", "routing"]

const Metadata = Schema.Record(text(64), Schema.String.check(isStorable, Schema.isMaxLength(500))).check(
  Schema.makeFilter((metadata: Readonly<Record<string, string>>) => {
    if (Object.keys(metadata).length > metadataMax) return `must have at most ${metadataMax} entries`
    const taken = reservedNames.find((name) => name in metadata)
    return taken === undefined || `must not have an entry named ${taken}`
  })
)

const Email = text(254).check(
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
  merchantReference: text(255),
  cardNumber: text(40),
  cardExpMonth: text(10),
  cardExpYear: text(10),
  cardCvc: text(10),
  is3DS: optional(Schema.Boolean),
  returnUrl: optional(text(2_000)),
  installment: optional(Installment),
  buyer: Schema.Struct({
    firstName: text(100),
    lastName: text(100),
    email: Email,
    ip: optional(text(45)),
    phone: optional(text(40))
  }),
  billingAddress: Schema.Struct({
    address: text(300),
    city: text(100),
    country: Country,
    postalCode: optional(text(20)),
    state: optional(text(100))
  }),
  cardHolderName: optional(text(200)),
  description: optional(text(500)),
  metadata: optional(Metadata)
})
  .check(returnsToAnAddress)
  .annotate({ identifier: "AuthorizeRequest" })

const operationFields = {
  /** Where it is given, it must be the path's. */
  transactionId: optional(text(100)),
  reference: optional(text(255))
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
