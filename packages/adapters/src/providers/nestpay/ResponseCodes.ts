import type { RefusalReason } from "@sarraf/domain/payments/Outcome"
import * as Ruling from "../Ruling.ts"

/** What a code of a message that is not an approval means. `detail` is ours; the bank's Turkish text is not passed on. */
type Meaning =
  | (Ruling.Ruling & {
      readonly _tag: "Refused"
      /** Another provider may be tried only where the payment had installments. */
      readonly isAboutInstallments?: true
      readonly reason?: RefusalReason
    })
  /** The gateway has a transaction of this order under way. */
  | { readonly _tag: "Pending"; readonly detail: string }
  /** The code does not say whether money moved: only the bank's own record of the order does. */
  | { readonly _tag: "Unknown"; readonly detail: string }

const refused = (
  why: Ruling.Ruling,
  more: { readonly isAboutInstallments?: true; readonly reason?: RefusalReason } = {}
): Meaning => ({ _tag: "Refused", ...why, ...more })

const unknown = (detail: string): Meaning => ({ _tag: "Unknown", detail })

const core = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `CORE-${from + index}`).join(" ")

const declined = refused(Ruling.declined)
const card = refused(Ruling.cardInvalid)
const limit = refused(Ruling.make("CARD_DECLINED", "A limit of the card does not allow this payment."))
const invalid = refused(
  Ruling.make("CARD_DECLINED", "The card's issuer found the transaction or its amount not valid.")
)
const authentication = refused(Ruling.make("3DS_FAILED", "The proof of the buyer's authentication was not accepted."))
const away = refused(
  Ruling.make("PROVIDER_ERROR", "The card's issuer or the bank's system does not work at present.", true)
)
const impossible = refused(Ruling.make("PROVIDER_ERROR", "The bank's system could not complete the transaction."))
const configuration = refused(Ruling.make("PROVIDER_ERROR", "The bank's shop is not set up for this payment.", true))
const installments = refused(
  Ruling.make("PROVIDER_ERROR", "The bank does not allow these installments or this card.", true),
  { isAboutInstallments: true }
)
const fraudRule = refused(Ruling.make("CARD_DECLINED", "A fraud rule of the shop stopped the payment."))
const followUp = refused(Ruling.make("PROVIDER_ERROR", "The bank does not allow this step for the order as it is now."))
const notSettled = refused(Ruling.make("PROVIDER_ERROR", "The capture has not settled: void it instead."), {
  reason: "notSettled"
})
const settled = refused(Ruling.make("PROVIDER_ERROR", "The capture has settled: refund it instead."), {
  reason: "alreadySettled"
})
const duplicate = unknown("The bank already has an order under this reference.")
const gateway = unknown("The bank's gateway failed, and what came of the transaction is not known.")
const reversal = unknown("The issuer did not answer and the bank is taking the transaction back.")
const approvalLike = unknown("The bank's code reads like an approval in a message that is none.")
const ongoing: Meaning = { _tag: "Pending", detail: "The bank has a transaction of this order under way." }

/**
 * Provider sheet, section 5, row by row; later rows win. Beyond the sheet's rows: CORE-2201 and -2202 (user not
 * authenticated, user without the right) are refusals before any transaction by the error table of the NestPay
 * integration manual; ISO 8583 codes 08, 10, 11, 16 and 17 mean approvals of a kind in other messages, so that a
 * message which carries one and is no approval settles nothing.
 */
const meanings = Ruling.meaningsOf([
  ["51", refused(Ruling.insufficientFunds)],
  ["61 65", limit],
  ["01 02 05 15 57 62 63 75 YK GK", declined],
  ["04 07 34 41 43 59", refused(Ruling.cardBlocked)],
  ["12 13", invalid],
  ["14 33 54 82 84 CORE-2010 CORE-2011 CORE-2012 CORE-2015 CORE-2208 CORE-2515", card],
  ["HPP-1001", card],
  ["91 96", away],
  ["93", impossible],
  ["92", reversal],
  [`58 CORE-2105 CORE-2106 ${core(2115, 2123)} CORE-2126 CORE-2254 CORE-2311 CORE-2314`, configuration],
  ["3D-1004 3D-1007 CORE-2201 CORE-2202", configuration],
  ["CORE-2121 CORE-2127", authentication],
  ["CORE-2124 CORE-2204 CORE-2603 CORE-2517", installments],
  ["CORE-2250 CORE-2251 CORE-2253", fraudRule],
  ["CORE-2302 CORE-2507", duplicate],
  ["CORE-2016 CORE-2304", ongoing],
  ["CORE-2002 CORE-2003 CORE-2008 CORE-2133 CORE-2503 CORE-2504 CORE-2505 CORE-2509", followUp],
  ["CORE-2512 CORE-2513 215001 215021", followUp],
  ["CORE-2508", notSettled],
  ["CORE-2511", settled],
  [`2100 ${core(1000, 1005)} CORE-2500 CORE-2700 CORE-2800 CORE-2900 CORE-3000 99`, gateway],
  ["00 08 10 11 16 17", approvalLike]
])

const issuerCode = /^[0-9A-Z]{2}$/u

/** `ISO8583-51` is the issuer's `51`. */
const bare = (code: string): string => (code.startsWith("ISO8583-") ? code.slice("ISO8583-".length) : code)

/**
 * The meaning of a code: `CORE-2507`, `ISO8583-51`, `51`, `215021`. `declared` tells that the message itself says
 * `Declined`. A code that is not in the table is, conservatively, an issuer's final "no" where the message is declared a
 * decline and the code has an issuer's two characters; whatever else is unlisted, or absent, settles nothing.
 */
export const rulingOf = (code: string, declared: boolean): Meaning =>
  meanings.get(bare(code)) ?? (declared && issuerCode.test(bare(code)) ? declined : gateway)
