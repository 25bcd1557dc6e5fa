import type { RefusalReason } from "@sarraf/domain/payments/Outcome"
import * as Ruling from "../Ruling.ts"

/** What was asked for, as far as the meaning of a refusal depends on it. */
export type Step = "authorization" | "completion" | "capture" | "refund" | "cancel" | "voidCapture"

/** What a code of a message that is not an approval means. `detail` is ours; the bank's Turkish text is not passed on. */
type Meaning =
  | (Ruling.Ruling & { readonly _tag: "Refused"; readonly reason?: RefusalReason })
  /** The code does not say whether money moved: only the bank's own record of the order does. */
  | { readonly _tag: "Unknown"; readonly detail: string }

const refused = (why: Ruling.Ruling): Meaning => ({ _tag: "Refused", ...why })

const unknown = (detail: string): Meaning => ({ _tag: "Unknown", detail })

const declined = refused(Ruling.declined)
const card = refused(Ruling.cardInvalid)
const invalid = refused(
  Ruling.make("CARD_DECLINED", "The card's issuer found the transaction or its amount not valid.")
)
const away = refused(
  Ruling.make("PROVIDER_ERROR", "The card's issuer or the bank's system does not work at present.", true)
)
const field = refused(
  Ruling.make("PROVIDER_ERROR", "The bank found a field of the message missing or not valid.", true)
)
const configuration = refused(
  Ruling.make("PROVIDER_ERROR", "The bank's terminal is not set up for this payment.", true)
)
const notFound = refused(
  Ruling.make("PROVIDER_ERROR", "The bank has no transaction of this order that this step applies to.")
)
const followUp = refused(Ruling.make("PROVIDER_ERROR", "The bank does not allow this step for the order as it is now."))
const velocity = refused(
  Ruling.make("CARD_DECLINED", "A limit of the bank for this card or this buyer's address is reached.")
)
const authentication = refused(Ruling.make("3DS_FAILED", "The proof of the buyer's authentication was not accepted."))
const duplicate = unknown("The bank already has a transaction under this order.")
const gateway = unknown("The bank's system failed, and what came of the transaction is not known.")
const approvalLike = unknown("The bank's code reads like an approval in a message that is none.")

/**
 * `Code`: provider sheet, section 5, first table. Beyond it: ISO 8583 codes 08, 10, 11 and 16 mean approvals of a kind in
 * other messages, so that a message which carries one and is no approval settles nothing.
 */
const hostCodes = Ruling.meaningsOf([
  ["51", refused(Ruling.insufficientFunds)],
  ["01 02 05 57 62 65 77 28 09", declined],
  ["04 07 34 41 43 59", refused(Ruling.cardBlocked)],
  ["14 54 33", card],
  ["12 13", invalid],
  ["96 91", away],
  ["99", gateway],
  ["00 08 10 11 16", approvalLike]
])

/** `ReasonCode` beside code 92: provider sheet, section 5, second table. */
const gatewayReasons = Ruling.meaningsOf([
  ["0001 0002 0231", field],
  ["0003", card],
  ["0099 0651 0652 0653 0654", configuration],
  ["0752 0753 0756 0759 0764 0769 0785", configuration],
  ["0104 0111", duplicate],
  ["0101 0102 0103 0108 0109 0110 0113 0201 0203 0204", notFound],
  ["0202 0207 0208 0209 0210 0214 0217", followUp],
  ["0402 0405", velocity],
  ["0763 0804", authentication],
  ["0122 0770 0771 0773 9998 9999", gateway]
])

/**
 * A refund and a void are said to be "not valid" where the batch decides between the two; that code has no meaning of its
 * own in the sheet, and the use case asks the bank's record before it tries the other way.
 */
const batchReasons: Readonly<Partial<Record<Step, readonly [reasonCode: string, reason: RefusalReason]>>> = {
  refund: ["0208", "notSettled"],
  voidCapture: ["0210", "alreadySettled"]
}

/**
 * The meaning of a refusal. A host's code of two digits that is not in the table is, conservatively, an issuer's final
 * "no"; whatever else is unlisted, or absent, settles nothing.
 */
export const rulingOf = (
  response: {
    readonly Code: string
    readonly ReasonCode?: string
    readonly Source?: string
    readonly SysErrMsg?: string
  },
  step: Step
): Meaning => {
  const { Code, ReasonCode = "", Source, SysErrMsg = "" } = response
  if (Code === "92") {
    const meaning = gatewayReasons.get(ReasonCode) ?? gateway
    const batch = batchReasons[step]
    return meaning._tag === "Refused" && batch?.[0] === ReasonCode ? { ...meaning, reason: batch[1] } : meaning
  }
  if (Code === "12" && SysErrMsg.includes("CVC")) return card
  return hostCodes.get(Code) ?? (Source === "HOST" && /^[0-9A-Z]{2}$/u.test(Code) ? declined : gateway)
}
