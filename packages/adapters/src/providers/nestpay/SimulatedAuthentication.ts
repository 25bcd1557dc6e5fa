import { createHash, randomBytes } from "node:crypto"
import { Schema } from "effect"
import { behaviourOf } from "../TestCards.ts"

/**
 * What the simulated bank keeps of a buyer who is sent to the issuer: the form's fields without number, security code and
 * hash, and of the card the first six and last four. `asked` → `proved` → `used`, or `asked` → `ended`.
 */
const Authentication = Schema.Struct({
  id: Schema.String,
  form: Schema.Record(Schema.String, Schema.String),
  first6: Schema.String,
  last4: Schema.String,
  /** The issuer's code once it is charged, decided by the number when that was there. */
  procReturnCode: Schema.String,
  xid: Schema.String,
  cavv: Schema.String,
  tries: Schema.Number,
  state: Schema.Literals(["asked", "proved", "used", "ended"])
})
export type Authentication = typeof Authentication.Type

export const authenticationOf = Schema.decodeUnknownSync(Authentication)

const cardFields: ReadonlySet<string> = new Set(["pan", "cv2", "hash"])

/** What of a form is kept and sent back. */
export const withoutCard = (posted: ReadonlyMap<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries([...posted].filter(([name]) => !cardFields.has(name)))

export const opened = (posted: ReadonlyMap<string, string>, procReturnCode: string): Authentication => {
  const random = randomBytes(72)
  const pan = posted.get("pan") ?? ""
  return {
    id: random.subarray(0, 32).toString("hex").toUpperCase(),
    form: withoutCard(posted),
    first6: pan.slice(0, 6),
    last4: pan.slice(-4),
    procReturnCode,
    xid: random.subarray(32, 52).toString("base64"),
    cavv: random.subarray(52, 72).toString("base64"),
    tries: 0,
    state: "asked"
  }
}

/** `435508:4328…0638B8:3827:##190100000`: stands for the card in the payment that follows. */
export const mdOf = ({ first6, form, id }: Authentication): string =>
  `${first6}:${id}:${Number.parseInt(id.slice(0, 3), 16)}:##${form.clientid}`

/** The authentication that a `Number` of a payment stands for; nothing where it is no `md`. */
export const idOf = (number: string): string | undefined => /^\d{6}:([0-9A-F]{64}):\d{1,4}:##\d+$/u.exec(number)?.[1]

/** Visa and others, Mastercard. */
export const eciOf = ({ first6 }: Authentication): string => (/^[25]/u.test(first6) ? "02" : "05")

/** The network's test cards have zeros between their first six and last four; of another card nothing more is known. */
export const testNumberOf = ({ first6, last4 }: Authentication): string => {
  const number = `${first6}000000${last4}`
  return behaviourOf(number) === "approve" ? "" : number
}

const escape = (value: string): string => value.replace(/[\\|]/gu, "\\$&")

const unhashed: ReadonlySet<string> = new Set(["hash", "encoding", "nationalidno"])

/** The bank's own reckoning of hash version 3 (provider sheet, section 3). */
export const hashOf = (posted: ReadonlyMap<string, string>, storeKey: string): string => {
  const names = [...posted.keys()].filter((name) => !unhashed.has(name.toLowerCase()))
  names.sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
  const plaintext = [...names.map((name) => posted.get(name) ?? ""), storeKey].map(escape).join("|")
  return createHash("sha512").update(plaintext).digest("base64")
}

interface Verdict {
  readonly isAuthenticated: boolean
  /** `Y-status/Challenge authentication`. */
  readonly mdErrorMsg: string
}

/** What the browser brings back from the issuer, without the hash. */
export const returnedFields = (authentication: Authentication, verdict: Verdict): ReadonlyMap<string, string> => {
  const { first6, form, last4, xid } = authentication
  const proof = verdict.isAuthenticated
    ? { mdStatus: "1", txstatus: "Y", eci: eciOf(authentication), cavv: authentication.cavv }
    : { mdStatus: "0", txstatus: "N" }
  return new Map(
    Object.entries({
      ...form,
      ...proof,
      mdErrorMsg: verdict.mdErrorMsg,
      md: mdOf(authentication),
      xid,
      maskedCreditCard: `${first6.slice(0, 4)} ${first6.slice(4)}** **** ${last4}`,
      MaskedPan: `${first6}***${last4}`,
      merchantID: form.clientid ?? "",
      merchantName: "DENEME İŞYERİ",
      clientIp: "127.0.0.1",
      version: "2.0",
      sID: "1",
      dsId: "1",
      digest: "digest",
      PAResSyntaxOK: "true",
      PAResVerified: "true",
      TRANID: ""
    })
  )
}
